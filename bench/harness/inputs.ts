/** Inputs from earlier runs: a large one takes minutes to generate, and its seed determines its content. */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { WrittenFile } from '../../fixtures/evidence/byte-file.ts';

interface Input extends WrittenFile {
  readonly file: string;
}

/**
 * An input in `kept`, generated unless it is there from an earlier run, or in `folder` when none is kept.
 * @param generator source of its generator: an input of another version is generated again
 * @param name of the file, with everything that determines the content, such as the number of its lines
 */
export function inputOf(
  folder: string,
  kept: string | undefined,
  generator: URL,
  name: string,
  make: (file: string) => WrittenFile,
): Input {
  if (kept === undefined) {
    const file = join(folder, name);
    return { file, ...make(file) };
  }
  mkdirSync(kept, { recursive: true });
  const file = join(kept, name);
  const note = `${file}.json`;
  const version = createHash('sha256').update(readFileSync(generator)).digest('hex');
  if (existsSync(note)) {
    const { by, bytes, sha256 } = JSON.parse(readFileSync(note, 'utf8')) as WrittenFile & {
      by: string;
    };
    const size = statSync(file, { throwIfNoEntry: false })?.size;
    if (by === version && size === bytes) return { file, bytes, sha256 };
  }
  const made = make(file);
  writeFileSync(note, JSON.stringify({ by: version, ...made }));
  return { file, ...made };
}
