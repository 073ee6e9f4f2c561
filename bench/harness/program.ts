/** The program that is measured: this checkout's, or that of another one (`--before`, see by-turns.ts). */
import { join, resolve } from 'node:path';

export const ROOT = resolve(import.meta.dirname, '../..');
/** Names the checkout, to the process of each turn. */
export const MEASURED = 'DAYBOOK_MEASURED';
/** The checkout whose program is measured. */
export const PROGRAM = resolve(process.env[MEASURED] ?? ROOT);
export const CLI = join(PROGRAM, 'app/cli/daybook.mjs');
/** The engine in a process that answers lines. */
export const SESSION = join(PROGRAM, 'bench/peers/daybook-session.ts');
