/**
 * A wrong clock: whether it is corrected at import, later or in a scan, the times are the same; the stated times
 * are never lost, and reading the evidence again gives the same.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { Commands, daybook, assertClearMessage, json, ndjson, scratch } from './harness.ts';

const space = scratch();
const commands = new Commands();
afterAll(async () => {
  await commands.close();
  space.remove();
});

interface Row {
  event_id: string;
  ts: string | null;
  tz_offset: number | null;
}

const two = (n: number): string => String(n).padStart(2, '0');
const EVIDENCE: Record<string, string> = {
  // About the end of summer time in Berlin, which the correction moves some events across.
  'local.log': Array.from(
    { length: 40 },
    (_, i) => `Oct 25 0${i % 6}:${two(i)}:00 gate sshd[7]: session ${i}\n`,
  ).join(''),
  'zulu.json': Array.from(
    { length: 20 },
    (_, i) => `{"timestamp":"2026-10-25T00:${two(i)}:00.000250Z","message":"text ${i}"}\n`,
  ).join(''),
};
for (const [name, text] of Object.entries(EVIDENCE))
  writeFileSync(path.join(space.folder, name), text);

async function imported(name: string, ...options: string[]): Promise<string> {
  const folder = path.join(space.folder, `${name}.daybook`);
  const files = Object.keys(EVIDENCE).map((file) => path.join(space.folder, file));
  const made = await commands.run([
    ...['import', folder, ...files, '--tz', 'Europe/Berlin', '--year', '2026', '--json'],
    ...options,
  ]);
  expect(made.status, made.err).toBe(0);
  return folder;
}

async function rowsOf(folder: string): Promise<Row[]> {
  const query = '* | fields event_id, ts, tz_offset | sort event_id';
  return ndjson<Row>(await commands.run(['query', folder, query, '--json']));
}

async function verified(folder: string): Promise<void> {
  const outcome = await commands.run(['verify', folder, '--sample', 'all']);
  expect(outcome.status, outcome.out + outcome.err).toBe(0);
}

describe('the error of a clock', () => {
  it('is taken from every time, at import and later alike, and can be undone', async () => {
    const right = await imported('right');
    const before = await rowsOf(right);
    const given = await imported('given', '--clock', '2h0.5s fast');
    const after = await rowsOf(given);
    for (const [i, row] of after.entries()) {
      const moved = Date.parse(before[i]!.ts!) - Date.parse(row.ts!);
      expect(moved, row.event_id).toBe(7_200_500);
      expect(row.tz_offset).toBe(before[i]!.tz_offset);
    }
    await verified(given);
    const changed = await daybook(['retime', right, '1', '2', '--clock', '2h0.5s fast', '--json']);
    expect(ndjson(changed)).toMatchObject([
      { source: 'local.log', events: 40, after: { decisions: { clock: '2h0.5s fast' } } },
      { source: 'zulu.json', events: 20, after: { decisions: { clockBasis: 'given' } } },
    ]);
    expect(await rowsOf(right)).toEqual(after);
    await verified(right);
    // Another zone is another reading of the stated time, whatever the clock.
    const zoned = ['retime', right, 'local.log', '--tz', '+05:00', '--clock', '1m slow'];
    expect((await commands.run(zoned)).status).toBe(0);
    await verified(right);
    const back = ['retime', right, 'local.log', '--tz', 'Europe/Berlin', '--clock', 'right'];
    expect((await commands.run(back)).status).toBe(0);
    expect((await commands.run(['retime', right, 'zulu.json', '--clock', 'right'])).status).toBe(0);
    expect(await rowsOf(right)).toEqual(before);
    await verified(right);
  });

  it('is said beside the sources and in the report', async () => {
    const folder = await imported('said', '--clock', '90s-slow');
    const sources = json<{ decisions: Record<string, unknown> }[]>(
      await commands.run(['sources', folder, '--json']),
    );
    for (const { decisions } of sources)
      expect(decisions).toMatchObject({ clock: '1m30s slow', clockBasis: 'given' });
    expect((await commands.run(['sources', folder])).out).toContain('1m30s slow');
    const report = path.join(space.folder, 'report.html');
    expect((await commands.run(['report', folder, '--out', report])).status).toBe(0);
    const text = readFileSync(report, 'utf8').replace(/<[^>]*>/g, '');
    expect(text.split(/clock(?: error)?: 1m30s slow \(given/)).toHaveLength(3);
  });

  it('is the same in a scan', async () => {
    const file = path.join(space.folder, 'zulu.json');
    const query = '* | fields ts | head 1';
    const rows = ndjson<Row>(
      await commands.run(['scan', file, query, '--clock', '1h fast', '--json']),
    );
    expect(rows[0]!.ts).toContain('2026-10-24T23:00:00.00025');
  });

  it('leaves sources whose zone was not decided, and says so', async () => {
    const folder = await imported('some');
    const outcome = await commands.run(['retime', folder, '1', '2', '--tz', '+01:00']);
    expect(outcome.status).toBe(3);
    expect(outcome.err).toContain(
      'zulu.json stays as it is: the zone of zulu.json was not decided',
    );
    expect((await commands.run(['retime', folder, '2', '--tz', '+01:00'])).status).toBe(2);
  });

  it.each(['90', 'fast', '-3s fast'])('refuses %j', async (clock) => {
    const outcome = await commands.run([
      ...['import', path.join(space.folder, 'none.daybook')],
      ...[path.join(space.folder, 'zulu.json'), '--clock', clock],
    ]);
    expect(outcome.status).toBe(2);
    assertClearMessage(outcome.err);
  });
});
