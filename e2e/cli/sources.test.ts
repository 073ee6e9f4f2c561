/** `daybook sources`: what was imported, and what could not be. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { Commands, daybook, json, scratch } from './harness.ts';

const space = scratch();
const commands = new Commands();
afterAll(async () => {
  await commands.close();
  space.remove();
});
const at = (name: string): string => path.join(space.folder, name);

it('lists files that could not be imported, with the reason', async () => {
  writeFileSync(at('a.log'), '2026-01-05T00:00:00Z host app[1]: hello\n');
  writeFileSync(at('hive.dat'), 'regf\0\0\0\0\x01\x02\x03');
  await commands.run(['import', at('case.daybook'), at('a.log'), at('hive.dat')]);
  const listed = await commands.run(['sources', at('case.daybook')]);
  expect(listed.status).toBe(0);
  expect(listed.out).toMatch(/^ *1 +a\.log /m);
  expect(listed.out).toMatch(/^not imported +status +import +why *$/m);
  expect(listed.out).toMatch(/^hive\.dat +ignored +1 +a registry hive; convert it first/m);
  const all = json<{ id: number | null; source: string; status: string; error: string }[]>(
    await commands.run(['sources', at('case.daybook'), '--json']),
  );
  expect(all.map(({ id, source, status }) => [id, source, status])).toEqual([
    [1, 'a.log', 'complete'],
    [null, 'hive.dat', 'ignored'],
  ]);
  expect(all[1]!.error).toContain('a registry hive');
  // A list of hashes is compared, so it is not missing evidence.
  writeFileSync(at('SHA256SUMS'), `${'0'.repeat(64)}  elsewhere.log\n`);
  await commands.run(['import', at('case.daybook'), at('a.log'), at('SHA256SUMS')]);
  expect((await commands.run(['sources', at('case.daybook')])).out).not.toContain('SHA256SUMS');

  await commands.run(['import', at('only.daybook'), at('hive.dat')]);
  const only = await daybook(['sources', at('only.daybook')]);
  expect(only.out).toMatch(/^not imported/);
  expect(only.out).toContain('a registry hive');
  expect(only.err).not.toContain('no sources yet');
});
