/** The window's first frame, its first rows, and what it loads for them. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { PROGRAM } from '../harness/program.ts';
import { openServed } from './served-window.ts';

export interface Start {
  readonly name: string;
  /** From the navigation, or the start of the program, in milliseconds. */
  readonly firstFrame: number;
  readonly firstRows: number;
  /** Kilobytes of all files that were loaded until the first rows. */
  readonly wire: number;
  readonly gzip: number;
  readonly brotli: number;
}

interface Loaded {
  readonly firstFrame: number;
  readonly firstRows: number;
  readonly files: readonly { readonly name: string; readonly wire: number }[];
}

const LOADED = `({
  firstFrame: performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? NaN,
  firstRows: performance.now(),
  files: [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')]
    .map(({ name, encodedBodySize }) => ({ name: new URL(name).pathname, wire: encodedBodySize })),
})`;

/** `serve` from the navigation on, with an empty cache; `npm start` from the start of the program. */
export async function measureFirstFrame(path: string): Promise<Start[]> {
  const out: Start[] = [];
  for (const [name, script, args] of [
    ['daybook serve, from the navigation', 'app/cli/daybook.mjs', ['serve', path]],
    ['npm start (browser), from the start of the program', 'app/start.ts', [path]],
  ] as const) {
    const window = await openServed(script, args);
    try {
      await window.page.goto(window.url);
      await window.page.locator('[role="grid"] [data-row]:not([aria-busy])').first().waitFor();
      const loaded = await window.page.evaluate<Loaded>(LOADED);
      const before = script === 'app/start.ts' ? window.addressMs : 0;
      out.push({
        name,
        firstFrame: before + loaded.firstFrame,
        firstRows: before + loaded.firstRows,
        wire: loaded.files.reduce((sum, { wire }) => sum + wire, 0) / 1000,
        gzip: packed(loaded.files, gzipSync) / 1000,
        brotli: packed(loaded.files, brotliCompressSync) / 1000,
      });
    } finally {
      await window.close();
    }
  }
  return out;
}

/** Bytes of the same files when they are compressed as they are built. */
function packed(files: Loaded['files'], pack: (bytes: Buffer) => Buffer): number {
  const folder = process.env['DAYBOOK_WINDOW'] ?? join(PROGRAM, 'renderer/dist');
  const size = ({ name, wire }: Loaded['files'][number]): number => {
    const file = join(folder, name === '/' ? 'index.html' : name);
    return existsSync(file) ? pack(readFileSync(file)).length : wire;
  };
  return files.reduce((sum, file) => sum + size(file), 0);
}
