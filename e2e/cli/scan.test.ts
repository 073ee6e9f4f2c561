/**
 * `daybook scan` through the command line, compared with an import of the same file and the same query: its output
 * formats, reports of damage, and exit status. Every kind of filter and stage is compared in
 * engine/query/{filters,stages}/conformance.test.ts and engine/operations/scan/scan.test.ts.
 */
import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { writeCapture } from '../../fixtures/evidence/capture.ts';
import { START } from '../../fixtures/evidence/story.ts';
import {
  Commands,
  daybook,
  assertClearMessage,
  json,
  ndjson,
  scratch,
  start,
  listening,
  until,
} from './harness.ts';

const { folder, remove } = scratch();
const commands = new Commands();
const capture = path.join(folder, 'lan.pcap');
const acase = path.join(folder, 'lan.daybook');

beforeAll(async () => {
  writeCapture(capture, {
    from: START,
    to: START + 600e6,
    format: 'pcap',
    snapLength: 256,
    conversations: 40,
    incident: 'brute-force',
    seed: 9,
  });
  const imported = await daybook(['import', acase, capture, '--no-flows']);
  expect(imported.status).toBe(0);
});
afterAll(async () => {
  await commands.close();
  remove();
});

interface Document {
  timings?: unknown;
  read?: { read: number; quarantined: number; quarantine: { offset: number; reason: string }[] };
}

describe('daybook scan', () => {
  it.each([
    '* | count',
    'dst_port:22 | top 5 src_ip by sum(bytes)',
    'NOT proto:tcp | timeline 1m',
    '* | timeline',
    '* | stats count(), sum(bytes), distinct(ip) by proto',
    'ip:10.0.0.0/8 | talkers 3',
  ])('answers as an import and a query do: %s', async (query) => {
    const scanned = await commands.run(['scan', capture, query, '--json']);
    const asked = await commands.run(['query', acase, query, '--json']);
    expect(scanned.status).toBe(0);
    const { read, ...found } = json<Document>(scanned);
    const { timings } = found;
    expect(timings).toMatchObject({ path: 'scan' });
    expect(found).toEqual({ ...json<Document>(asked), timings });
    expect(read?.quarantined).toBe(0);
  });

  it.each(['table', 'ndjson', 'csv', 'json'])('prints rows as query does: %s', async (format) => {
    const query = 'dst_port:22 | fields ts, src_ip, src_port, bytes | head 7';
    const args = [query, '--format', format, '--tz', 'Europe/Berlin'];
    const scanned = await commands.run(['scan', capture, ...args]);
    const asked = await commands.run(['query', acase, ...args]);
    const rows = (text: string) => text.replace(/\],"notes".*/s, ']');
    expect(rows(scanned.out)).toBe(rows(asked.out));
  });

  it('takes a range, a limit and standard input', async () => {
    const bytes = readFileSync(capture);
    const from = new Date(START / 1000 + 60_000).toISOString();
    const to = new Date(START / 1000 + 240_000).toISOString();
    const range = ['--from', from, '--to', to, '--limit', '5', '--format', 'ndjson'];
    const [piped, asked] = await Promise.all([
      daybook(['scan', '-', 'proto:tcp | fields ts, event_id', ...range], { input: bytes }),
      commands.run(['query', acase, 'proto:tcp | fields ts, event_id', ...range]),
    ]);
    expect(ndjson(piped)).toHaveLength(5);
    expect(piped.out).toBe(asked.out);
  });

  it('leaves a stream when it has found enough', async () => {
    const running = start(['scan', '-', '* | head 2', '--format', 'ndjson']);
    running.child.stdin.write(readFileSync(capture));
    // The stream stays open: only the scan can end this.
    const { status, out } = await running.outcome;
    expect(status).toBe(0);
    expect(out.trim().split('\n')).toHaveLength(2);
  });

  it('counts what cannot be read, says where and why, and ends with 3', async () => {
    const cut = path.join(folder, 'cut.pcap');
    writeFileSync(cut, readFileSync(capture).subarray(0, 9_999));
    const told = await daybook(['scan', cut, '* | count']);
    expect(told.status).toBe(3);
    expect(told.err).toMatch(
      /^1 record could not be read\n {2}cut\.pcap at byte [\d,]+: truncated record/m,
    );
    const document = await commands.run(['scan', cut, '* | count', '--json']);
    expect(document.status).toBe(3);
    const { read } = json<Document>(document);
    expect(read?.quarantine).toHaveLength(1);
    expect(read?.quarantine[0]).toMatchObject({ source: 'cut.pcap' });
    expect(read?.quarantine[0]?.reason).toMatch(/truncated/);
    expect(read?.quarantine[0]?.offset).toBeGreaterThan(9000);
  });

  it.each([
    [['scan'], 2],
    [['scan', 'nowhere.pcap'], 1],
    [['scan', capture, '* | sort bytes'], 2],
    [['scan', capture, 'nosuchfield:1'], 2],
    [['scan', capture, '(('], 2],
    [['scan', capture, '*', '--format', 'xml'], 2],
    [['scan', capture, '*', '--read', 'xml'], 2],
    [['scan', capture, '*', '--source-tz', 'Nowhere/At-all'], 2],
  ])('says clearly what is wrong: %j', async (args, status) => {
    const outcome = await commands.run(args);
    expect(outcome.status).toBe(status);
    assertClearMessage(outcome.err);
  });

  it('ends with 130 on ctrl-C, and leaves nothing', async () => {
    const { env, isListening } = listening(folder);
    const running = start(['scan', '-', '* | count'], { env: { TMPDIR: folder, ...env } });
    running.child.stdin.write(readFileSync(capture));
    await until(() => isListening(running.child.pid));
    running.child.kill('SIGINT');
    const { status, err } = await running.outcome;
    expect(status).toBe(130);
    expect(err).toMatch(/cancelled/);
    expect(readdirSync(folder).filter((name) => name.startsWith('daybook-scan-'))).toEqual([]);
  });

  it('explains itself', async () => {
    const { out, status } = await daybook(['scan', '--help']);
    expect(status).toBe(0);
    expect(out).toMatch(/one pass/);
    const overview = await daybook(['--help']);
    expect(overview.out).toMatch(/^ {2}scan /m);
  });
});

const shared =
  process.env['DAYBOOK_SHARED'] ?? path.resolve(import.meta.dirname, '../../../shared');
const relay = path.join(shared, 'data/pcap/tcpdump/frf16_magic_ie-oobr.pcap');

describe.skipIf(!existsSync(relay))('a real frame relay trace (skipped where it is not)', () => {
  it('is read', async () => {
    const { status, out } = await commands.run(['scan', relay, '* | values event_type', '--json']);
    expect([0, 3]).toContain(status);
    expect(out).toMatch(/mfr|frame-relay/);
  });
});
