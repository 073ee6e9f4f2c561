/** Changing a case: what a tag, a deletion or a new zone reports as done and left out, and what is refused. */
import { mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { assertClearMessage, Commands, daybook, json, ndjson, scratch, start } from './harness.ts';

const space = scratch();
const commands = new Commands();
const folder = path.join(space.folder, 'case.daybook');
const evidence = path.join(space.folder, 'evidence');

/** A capture with one flow of two packets (UDP, Ethernet, microseconds). */
function capture(): Uint8Array {
  const header = Buffer.alloc(24);
  header.writeUInt32LE(0xa1b2c3d4, 0);
  header.writeUInt16LE(2, 4);
  header.writeUInt16LE(4, 6);
  header.writeUInt32LE(65_535, 16);
  header.writeUInt32LE(1, 20);
  const packets = [0, 1].map((second) => {
    const record = Buffer.alloc(16 + 60);
    record.writeUInt32LE(1_700_000_000 + second, 0);
    record.writeUInt32LE(60, 8);
    record.writeUInt32LE(60, 12);
    record.writeUInt16BE(0x0800, 28);
    record[30] = 0x45;
    record.writeUInt16BE(46, 32);
    record[38] = 64;
    record[39] = 17;
    record.set([192, 0, 2, 1, 192, 0, 2, 2], 42);
    record.writeUInt16BE(5000, 50);
    record.writeUInt16BE(53, 52);
    record.writeUInt16BE(26, 54);
    return record;
  });
  return Buffer.concat([header, ...packets]);
}

beforeAll(async () => {
  mkdirSync(path.join(evidence, 'logs'), { recursive: true });
  writeFileSync(path.join(evidence, 'one.pcap'), capture());
  const lines = ['Feb 28 10:00:00 h sshd[1]: first', 'Feb 29 10:00:00 h sshd[1]: leap'];
  // More than one part of a table, with a longer program name in the last part.
  for (let i = 0; i < 300; i++) {
    const program = i === 299 ? 'a-program-of-a-longer-name' : 'cron';
    lines.push(`Mar  1 10:00:${String(i % 60).padStart(2, '0')} h ${program}[2]: run ${i}`);
  }
  const log = path.join(evidence, 'logs/auth.log');
  writeFileSync(log, `${lines.join('\n')}\n`);
  const at = Date.UTC(2024, 2, 2) / 1000;
  utimesSync(log, at, at);
  const made = await daybook(['import', folder, evidence, '--recursive']);
  expect(made.status, made.err).toBe(0);
});
afterAll(async () => {
  await commands.close();
  space.remove();
});

describe('marks', () => {
  it('a tag says which packets it left out, and kind:* brings them in', async () => {
    const flows = await commands.run(['tag', folder, 'dst_port:53', 'dns']);
    expect(flows.out).toBe('1 event matches; 1 is tagged dns\n');
    expect(flows.err).toMatch(/^(?:up to )?2 packets beneath flows were left out/);
    const all = await commands.run(['tag', folder, 'dst_port:53 kind:*', 'dns', '--json']);
    expect(json(all)).toEqual({ tag: 'dns', matched: 3, changed: 2 });
  });

  it.each(['tag', 'delete'])('%s needs a query that finds events', async (command) => {
    const rest = command === 'tag' ? ['name'] : ['--reason', 'why'];
    const outcome = await commands.run([command, folder, '* | top 3 host', ...rest]);
    expect(outcome.status).toBe(2);
    assertClearMessage(outcome.err);
    expect(outcome.err).toContain('a query that finds events');
  });
});

describe('retime', () => {
  it('takes the end of a path, and moves what was decided', async () => {
    const outcome = await commands.run(['retime', folder, 'auth.log', '--year', '2020', '--json']);
    expect(json(outcome)).toMatchObject({
      source: 'logs/auth.log',
      events: 302,
      before: { first: expect.stringMatching(/^2\d{3}-\d\d-\d\dT[\d:]{8}\.\d{6}Z$/) as string },
      after: { first: expect.stringMatching(/^20(19|20)-/) as string, decisions: { year: 2020 } },
    });
    const rows = await commands.run(['query', folder, 'leap', '--json']);
    expect(ndjson<{ ts: string }>(rows).map(({ ts }) => ts)).toEqual(['2020-02-29T10:00:00Z']);
  });

  it.each([
    ['auth.log', '--year', '2100', '29 February'],
    ['auth.log', '--year', '2023', 'its year cannot be 2023'],
    ['one.pcap', '--tz', 'Asia/Tokyo', 'was not decided'],
    ['one.pcap', '--year', '2020', 'was not decided'],
    ['other.log', '--year', '2020', 'there is no source'],
  ])('%s %s %s is refused and changes nothing', async (source, option, value, message) => {
    const before = await commands.run(['query', folder, 'kind:*', '--json']);
    const outcome = await commands.run(['retime', folder, source, option, value]);
    expect(outcome.status).not.toBe(0);
    assertClearMessage(outcome.err);
    expect(outcome.err).toContain(message);
    const after = await commands.run(['query', folder, 'kind:*', '--json']);
    expect(after.out).toBe(before.out);
  });
});

describe('what people read', () => {
  it('a table of many rows keeps its columns, and cuts nothing without a terminal', async () => {
    const outcome = await commands.run([
      'query',
      folder,
      'program:* | fields ts, program, message',
    ]);
    const lines = outcome.out.trimEnd().split('\n');
    expect(lines).toHaveLength(303);
    const at = lines[0]!.indexOf('message');
    const astray = lines.slice(1, -1).filter((line) => line.slice(at - 2, at) !== '  ');
    expect(astray.every((line) => line.includes('a-program-of-a-longer-name'))).toBe(true);
    const name = 'x'.repeat(100);
    const log = path.join(space.folder, 'long.log');
    writeFileSync(log, `2024-01-01T00:00:00Z h ${name}[1]: a\n`);
    await commands.run(['import', folder, log]);
    const long = await commands.run(['query', folder, 'source:long.log | fields program, ts']);
    expect(long.out).toContain(name);
  });

  it('a timeline by a field has a column for each value', async () => {
    const outcome = await commands.run([
      'timeline',
      folder,
      'source:auth.log',
      '--interval',
      '1d',
      '--by',
      'program',
      '--format',
      'csv',
    ]);
    const [head, first] = outcome.out.split('\n');
    expect(head).toBe('start,count,cron,sshd,a-program-of-a-longer-name');
    expect(first).toMatch(/T00:00:00.000000Z,1,0,1,0$/);
  });

  it('watch says in a line what another process did', async () => {
    const { child, outcome } = start(['watch', folder]);
    await new Promise<void>((ready) => child.stderr.once('data', () => ready()));
    const seen = new Promise<string>((line) =>
      child.stdout.once('data', (part: Buffer) => line(part.toString())),
    );
    await daybook(['tag', folder, 'leap', 'odd']);
    expect(await seen).toMatch(/^\S+Z tag odd 1 event\n$/);
    child.kill('SIGINT');
    await outcome;
  });

  it('watch with a query gives each event that arrives once', async () => {
    const { child, outcome } = start(['watch', folder, 'arrival', '--json']);
    await new Promise<void>((ready) => child.stderr.once('data', () => ready()));
    let out = '';
    const last = new Promise<void>((seen) =>
      child.stdout.on('data', (part: Buffer) => {
        out += part.toString();
        if (out.includes('last arrival')) seen();
      }),
    );
    for (const words of ['first arrival', 'a departure', 'last arrival']) {
      const file = path.join(space.folder, `${words.replaceAll(' ', '-')}.log`);
      writeFileSync(file, `<13>1 2026-03-01T00:00:00Z host program - - - ${words}\n`);
      await daybook(['import', folder, file]);
    }
    await last;
    child.kill('SIGINT');
    await outcome;
    const records = out.trimEnd().split('\n');
    expect(records.map((line) => JSON.parse(line) as unknown)).toMatchObject([
      { message: 'first arrival' },
      { message: 'last arrival' },
    ]);
  });
});
