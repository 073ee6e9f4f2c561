/** Exports of more rows than fit in the memory limit: they are read in slices, and none is refused. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { daybook, scratch } from './harness.ts';

const space = scratch();
const CASE = path.join(space.folder, 'case.daybook');
const ROWS = 100_000;
/** Far less than needed to sort all rows of a day at once. */
const env = { DAYBOOK_MEMORY: '48MB' };

beforeAll(async () => {
  const start = Date.UTC(2026, 2, 1);
  const flows = ['ts,src_ip,dst_ip,src_port,dst_port,proto,bytes,note'];
  const log: string[] = [];
  for (let i = 0; i < ROWS; i++) {
    const at = start + i * 300;
    const [a, b] = [`10.${i % 250}.${i % 251}.1`, `10.9.${i % 253}.${i % 249}`];
    flows.push(`${at / 1000},${a},${b},${1024 + (i % 60_000)},443,tcp,${i},text number ${i}`);
    log.push(
      `${new Date(at).toISOString()} web${i % 9} sshd[${i % 30_000}]: failed ${i} from ${a}`,
    );
  }
  const files = { 'flows.csv': flows, 'auth.log': log };
  for (const [name, lines] of Object.entries(files))
    writeFileSync(path.join(space.folder, name), `${lines.join('\n')}\n`);
  const paths = Object.keys(files).map((name) => path.join(space.folder, name));
  const made = await daybook(['import', CASE, ...paths]);
  expect(made.status, made.err).toBe(0);
});
afterAll(() => space.remove());

describe('a small memory limit', () => {
  it('lets every row of a long day out, once and in order', async () => {
    const args = ['query', CASE, 'kind:* | fields ts, event_id', '--format', 'ndjson'];
    const outcome = await daybook(args, { env });
    expect(outcome.status, outcome.err).toBe(0);
    const rows = outcome.out.trimEnd().split('\n');
    expect(rows).toHaveLength(2 * ROWS);
    const parsed = rows.map((row) => JSON.parse(row) as { ts: string; event_id: string });
    expect(new Set(parsed.map(({ event_id }) => event_id)).size).toBe(2 * ROWS);
    let last = 0;
    for (const { ts } of parsed) {
      const at = Date.parse(ts);
      expect(at >= last, ts).toBe(true);
      last = at;
    }
  });

  it.each(['csv', 'parquet'])('exports %s with all columns', async (format) => {
    const out = path.join(space.folder, `rows.${format}`);
    const args = ['query', CASE, 'kind:*', '--format', format, '--out', out];
    const outcome = await daybook(args, { env });
    expect(outcome.status, outcome.err).toBe(0);
  });
});
