/** A case of twelve log lines, `line-0-` to `line-11-`, that are tagged. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { daybook } from './harness.ts';

/**
 * Makes `tagged.daybook` in `folder` and returns its path. Line 3 is tagged `guessed`, line 5 `stolen`.
 * @param all the tag of every line
 * @param run runs its commands
 */
export async function taggedCase(
  folder: string,
  all: string,
  run: typeof daybook = daybook,
): Promise<string> {
  const [target, log] = [path.join(folder, 'tagged.daybook'), path.join(folder, 'auth.log')];
  const lines = Array.from(
    { length: 12 },
    (_, i) => `<38>1 2026-03-04T10:00:${String(i + 10)}Z host app 1 - - line-${i}-\n`,
  );
  writeFileSync(log, lines.join(''));
  for (const args of [
    ['import', target, log],
    ['tag', target, 'line', all],
    ['tag', target, '"line-3-"', 'guessed'],
    ['tag', target, '"line-5-"', 'stolen'],
  ]) {
    const { status, err } = await run(args);
    if (status !== 0) throw new Error(err);
  }
  return target;
}
