/** The engine's process: its bundle, or its sources. */
import { bundled } from '../bundled.mjs';

await import(bundled('app/engine/main.ts'));
