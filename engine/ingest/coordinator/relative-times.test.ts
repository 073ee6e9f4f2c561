/** Evidence whose times count from its own beginning is reported; evidence with dates is not. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { importInProcess } from '../testing/in-process.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'daybook-relative-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it.each([
  ['seconds of a recording', [0.5, 250.25], 1],
  ['dates', [1_700_000_000.5, 1_700_000_250.25], 0],
  ['one date among them', [0.5, 1_700_000_250.25], 0],
  ['times before 1970', [-90.5, 250.25], 0],
])('%s', async (name, times, notes) => {
  const file = join(folder, `${name}.json`);
  const records = times.map((ts, i) =>
    JSON.stringify({
      ...{ _path: 'conn', ts, uid: `C${i}`, proto: 'udp' },
      ...{ 'id.orig_h': '192.0.2.1', 'id.orig_p': 5000 + i },
      ...{ 'id.resp_h': '192.0.2.2', 'id.resp_p': 53 },
    }),
  );
  writeFileSync(file, `${records.join('\n')}\n`);
  const { sources } = await importInProcess(join(folder, `${name}.daybook`), [file]);
  expect(sources[0]).toMatchObject({ read: 2, stored: 2 });
  expect(sources[0]!.notes.filter((note) => note.includes('are in 1970'))).toHaveLength(notes);
});
