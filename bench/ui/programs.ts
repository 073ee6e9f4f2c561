/** Where the product's programs are. */
import { join, resolve } from 'node:path';

export const ROOT = resolve(import.meta.dirname, '../..');
export const DAYBOOK = join(ROOT, 'app/cli/daybook.mjs');
