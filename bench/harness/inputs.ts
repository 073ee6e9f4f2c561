/** Inputs that were made before: a large one takes minutes, and its seed says what is in it. */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { WrittenFile } from '../../fixtures/evidence/byte-file.ts';

interface Input extends WrittenFile {
  readonly file: string;
}

/**
 * An input in `kept`, made unless it is there from an earlier run, or in `folder` when none is kept.
 * @param generator source of what makes it: an input that another version made is made again
 * @param name of the file, with all that the content depends on, such as the number of its lines
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
