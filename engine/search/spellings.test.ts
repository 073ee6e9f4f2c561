/**
 * Spellings of other tools give the same results as the language's own: with indexes, by reading every row, and in
 * a scan of the file.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { scanTools } from '../../app/compose.ts';
import { importInProcess } from '../ingest/testing/in-process.ts';
import { DaybookError } from '../contract/errors.ts';
import { CaseSession } from './session/case-session.ts';
import { takeApart } from '../operations/query/parse-query.ts';
import { startQuery } from './query.ts';
import { startScan } from '../operations/scan/scan.ts';

const root = mkdtempSync(join(tmpdir(), 'daybook-spellings-'));
const file = join(root, 'events.json');
let session: CaseSession;

beforeAll(async () => {
  const lines = Array.from({ length: 300 }, (_, i) =>
    JSON.stringify({
      timestamp: new Date(Date.UTC(2026, 9, 1, 0, 0, i)).toISOString(),
      src_ip: `10.0.0.${i % 9}`,
      dst_ip: '192.168.1.1',
      src_port: 1000 + i,
      dst_port: [22, 23, 443][i % 3],
      proto: 'tcp',
      bytes: i * 100,
      host: `web${i % 4}`,
      account: i % 2 === 0 ? 'root' : 'alice',
      message: `${i % 5 === 0 ? 'Failed' : 'Accepted'} password for root, taste=root, session ${i} not found`,
    }),
  );
  writeFileSync(file, `${lines.join('\n')}\n`);
  const folder = join(root, 'events.daybook');
  await importInProcess(folder, [file]);
  session = CaseSession.open(folder, { memoryLimit: 3e8, threads: 2 });
});
afterAll(async () => {
  await session.close();
  rmSync(root, { recursive: true, force: true });
});

interface Found {
  readonly count: unknown;
  readonly readings: readonly string[];
}

async function asked(text: string, path?: 'scan'): Promise<Found> {
  const running = startQuery(session, { text: `${text} | count`, zone: 'UTC', path });
  const answer = await running.answer();
  if (answer.shape !== 'count') throw new TypeError('no count');
  return { count: answer.count, readings: [...running.plan.readings] };
}

async function scanned(text: string): Promise<Found> {
  const none = { from: undefined, to: undefined, limit: undefined, format: undefined };
  const running = startScan(
    {
      ...{ ...none, timeZone: undefined, year: undefined, mapping: undefined },
      ...{ path: file, text: `${text} | count`, zone: 'UTC', threads: 1 },
      signal: new AbortController().signal,
      standardInput: Readable.from([]),
      onProgress: () => undefined,
    },
    scanTools,
  );
  const answer = await running.answer();
  if (answer.shape !== 'count') throw new TypeError('no count');
  return { count: answer.count, readings: [...running.plan.readings] };
}

describe('a spelling of another tool', () => {
  it.each([
    ['dst_port=22', 'dst_port:22'],
    ['dst_port = 22', 'dst_port:22'],
    ['dst_port==22', 'dst_port:22'],
    ['dst_port!=22', 'NOT dst_port:22'],
    ['dst_port > 22', 'dst_port:>22'],
    ['bytes<=5000', 'bytes:<=5000'],
    ['dst_port in (22, 443)', 'dst_port:(22 OR 443)'],
    ['dst_port in {22 443}', 'dst_port:(22 OR 443)'],
    ['dst_port not in (22,443)', 'NOT dst_port:(22 OR 443)'],
    ['dst_port:22,443', 'dst_port:(22 OR 443)'],
    ['dst_port:ssh,https', 'dst_port:(22 OR 443)'],
    ['src_ip:10.0.0.2-10.0.0.4', 'src_ip:[10.0.0.2 TO 10.0.0.4]'],
    ['src_ip:10.0.0.2,10.0.0.4', 'src_ip:(10.0.0.2 OR 10.0.0.4)'],
    ['src_ip==10.0.0.3&&dst_port==22', 'src_ip:10.0.0.3 dst_port:22'],
    ['host="web1"', 'host:"web1"'],
    ['host=web*', 'host:web*'],
    ['host like "%b1"', 'host:*b1'],
    ['account=root', 'account:root'],
    ['account!=root', 'NOT account:root'],
    ['failed && password', 'failed password'],
    ['failed || accepted', 'failed OR accepted'],
    ['failed and password', 'failed password'],
    ['failed or accepted', 'failed OR accepted'],
    ['not failed', 'NOT failed'],
    ['!failed', 'NOT failed'],
    ['failed and not host:web1', 'failed NOT host:web1'],
    ['/Failed.*root/', 'message:/Failed.*root/'],
    ['message contains "ailed pass"', 'message:/ailed pass/i'],
    ['message startswith "failed"', 'message:/^failed/i'],
    ['message endswith found', 'message:/found$/i'],
    ['message matches "for (root|x)"', 'message:/for (root|x)/'],
    ['message =~ /for roo./', 'message:/for roo./'],
    ['message !~ /^Failed/', 'NOT message:/^Failed/'],
    ['taste=root', '"taste=root"'],
    ['taste=root or account=alice', '"taste=root" OR account:alice'],
    ['session not found', 'session "not" found'],
    ['* | where dst_port in (22, 23)', 'dst_port:(22 OR 23)'],
    ['* | where bytes > 300 and bytes < 5000', 'bytes:{300 TO 5000}'],
  ])('%s is %s', async (spelling, daybook) => {
    const { count } = await asked(daybook, 'scan');
    expect(Number(count)).toBeGreaterThan(0);
    expect((await asked(spelling)).count).toBe(count);
    expect((await asked(spelling, 'scan')).count).toBe(count);
    expect((await scanned(spelling)).count).toBe(count);
  });

  it.each([
    ['taste=root', ['no event has a field "taste": searched for the text "taste=root"']],
    ['failed and password', [expect.stringMatching(/^read as: failed AND password;/)]],
    ['not failed', [expect.stringMatching(/^read as: NOT failed;/)]],
    ['session not found', [expect.stringMatching(/^"not" was searched for as a word/)]],
    ['message contains root', [expect.stringMatching(/^read as: message:\/root\/i;/)]],
    ['dst_port=22 and host:web1', []],
  ])('%s says how it was read, on every path', async (text, readings) => {
    expect((await asked(text)).readings).toEqual(readings);
    expect((await asked(text, 'scan')).readings).toEqual(readings);
    expect((await scanned(text)).readings).toEqual(readings);
    const explained = await startQuery(session, { text, zone: 'UTC' }).explain();
    expect(explained.filter((line) => line.startsWith('note: '))).toHaveLength(readings.length);
    expect(takeApart(text, 'UTC', session).readings ?? []).toEqual(readings);
  });

  it.each([
    ['index=main failed', /no event .*has a field "index"/, /one store/],
    ['dst_port=x', /dst_port has no value "x"/, /dst_port:22.*in quotes: "dst_port=x"/],
    ['dst_prt = 22', /no event .*has a field "dst_prt"/, /dst_port/],
    ['bytes:1,000', /may be one number or a list/, /bytes:1000/],
    ['tcp_flags:Q', /tcp_flags has no value/, /tcp_flags:S/],
  ])('%s is an error that says what to write', (text, message, hint) => {
    try {
      startQuery(session, { text, zone: 'UTC' });
    } catch (error) {
      if (!(error instanceof DaybookError)) throw error;
      expect(error.message).toMatch(message);
      expect(error.hint).toMatch(hint);
      return;
    }
    expect.unreachable('it ran');
  });
});
