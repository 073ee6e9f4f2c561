/**
 * `daybook import` on generated evidence: the ledger of every source, re-import, damage, wrong usage.
 */
import {
  copyFileSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventsOf, generateEvidence, type Expected } from '../../fixtures/generate.ts';
import {
  assertClearMessage,
  Commands,
  daybook,
  json,
  ledgerLines,
  scratch,
  type Ledger,
} from './harness.ts';

const { folder, remove } = scratch();
const commands = new Commands();
const at = (...names: string[]): string => path.join(folder, ...names);
let expected: Expected;

beforeAll(() => {
  expected = generateEvidence(folder, 0.2, 3);
});
afterAll(async () => {
  await commands.close();
  remove();
});

const balanced = (ledger: Ledger): boolean =>
  ledger.read === ledger.stored + ledger.duplicate + ledger.quarantined + ledger.skipped;

describe('import of a bundle', () => {
  it('prints a ledger per source that adds up and has every record', async () => {
    const outcome = await daybook([
      'import',
      at('all.daybook'),
      at('evidence'),
      '--recursive',
      '--json',
    ]);
    expect(outcome.err).toBe('');
    expect(outcome.status).toBe(0);
    const { sources, total } = ledgerLines(outcome);
    expect(sources.map((line) => line.source).sort()).toEqual(Object.keys(expected.sources).sort());
    for (const line of sources) {
      const source = expected.sources[line.source]!;
      expect(balanced(line), line.source).toBe(true);
      expect(line.quarantined + line.duplicate, line.source).toBe(0);
      expect(line.stored, line.source).toBe(source.records);
      expect(line.format, line.source).toBe(source.format);
      expect(line.sha256, line.source).toBe(source.sha256);
      expect(line.status, line.source).toBe('complete');
      expect(line.first?.slice(0, 26), line.source).toBe(source.first.slice(0, 26));
      if (source.format !== 'pcap') expect(line.last, line.source).toBe(source.last);
      else
        expect(line.byKind, line.source).toEqual({
          packet: source.records,
          flow: source.connections,
          dns: source.queries,
        });
    }
    expect(total.total.byKind).toEqual(expected.byKind);
    expect(total.total.stored).toBe(expected.records);
    expect(balanced(total.total)).toBe(true);
    expect(total.elapsedMs).toBeGreaterThan(0);
    expect(total.peakRssBytes).toBeGreaterThan(1e6);
  });

  it('finds the year of logs that state none, and records it', async () => {
    const outcome = await commands.run(['sources', at('all.daybook'), '--json']);
    expect(outcome.status).toBe(0);
    const sources = json<{ source: string; decisions: { year?: number; tz?: string } }[]>(outcome);
    for (const name of ['syslog/auth.log', 'syslog/auth.log.1', 'syslog/auth.log.2.gz']) {
      const found = sources.find((source) => source.source === name);
      expect(found?.decisions.year, name).toBe(2026);
      expect(found?.decisions.tz, name).toBe('UTC');
    }
  });

  it('stores nothing when the same evidence comes again', async () => {
    const outcome = await commands.run([
      'import',
      at('all.daybook'),
      at('evidence'),
      '--recursive',
      '--json',
    ]);
    expect(outcome.status).toBe(0);
    const { sources, total } = ledgerLines(outcome);
    expect(total.total.stored).toBe(0);
    expect(sources.every((line) => line.stored === 0 && line.status === 'duplicate')).toBe(true);
    const count = await commands.run(['query', at('all.daybook'), 'kind:* | count', '--json']);
    const events = eventsOf(expected.byKind);
    expect(json<{ count: number }>(count).count).toBe(events);
  });

  it('does not depend on names', async () => {
    mkdirSync(at('anonymous'));
    const names = Object.keys(expected.sources);
    names.forEach((name, i) => copyFileSync(at('evidence', name), at('anonymous', `exhibit-${i}`)));
    const outcome = await commands.run([
      'import',
      at('anonymous.daybook'),
      at('anonymous'),
      '--json',
      '--year',
      '2026',
    ]);
    expect(outcome.status).toBe(0);
    const { sources } = ledgerLines(outcome);
    names.forEach((name, i) => {
      const line = sources.find(({ source }) => source === `exhibit-${i}`);
      expect(line?.stored, name).toBe(expected.sources[name]!.records);
    });
  });

  it('reads standard input', async () => {
    const input = readFileSync(at('evidence/syslog/fw01.log'));
    const outcome = await daybook(['import', at('stdin.daybook'), '-', '--json'], { input });
    expect(outcome.status).toBe(0);
    expect(ledgerLines(outcome).total.total.stored).toBe(
      expected.sources['syslog/fw01.log']!.records,
    );
  });

  it('calls standard input by the name that is given', async () => {
    const input = readFileSync(at('evidence/syslog/fw01.log'));
    const folder = at('named-stdin.daybook');
    const outcome = await daybook(['import', folder, '-', '--name', 'fw01.log', '--json'], {
      input,
    });
    expect(outcome.status).toBe(0);
    expect(ledgerLines(outcome).sources.map(({ source }) => source)).toEqual(['fw01.log']);
    const none = await commands.run(['import', folder, at('evidence/syslog'), '--name', 'x']);
    expect(none.status).toBe(2);
    expect(none.err).toContain('--name is only for standard input');
  });

  it('leaves packets out with --no-packets and flows with --no-flows', async () => {
    const capture = at('evidence/capture/bastion01.pcap');
    const source = expected.sources['capture/bastion01.pcap']!;
    const flows = await commands.run([
      'import',
      at('flows.daybook'),
      capture,
      '--no-packets',
      '--json',
    ]);
    expect(ledgerLines(flows).total.total.byKind).toEqual({
      ...{ flow: source.connections, dns: source.queries },
    });
    const packets = await commands.run([
      'import',
      at('packets.daybook'),
      capture,
      '--no-flows',
      '--json',
    ]);
    expect(ledgerLines(packets).total.total.byKind).toEqual({ packet: source.records });
  });

  it('tells people the same in words', async () => {
    const outcome = await commands.run(['import', at('words.daybook'), at('evidence/syslog')]);
    expect(outcome.status).toBe(0);
    expect(outcome.out).toContain('auth.log.2.gz');
    expect(outcome.out).toMatch(/read [\d,]+ = stored [\d,]+/);
  });
});

describe('damaged and hostile evidence', () => {
  it('keeps all whole packets of a truncated capture and says where it ends', async () => {
    const file = at('cut.pcap');
    copyFileSync(at('evidence/capture/bastion01.pcap'), file);
    truncateSync(file, 100_003);
    const outcome = await commands.run(['import', at('cut.daybook'), file, '--json']);
    expect([0, 3]).toContain(outcome.status);
    const [line] = ledgerLines(outcome).sources;
    // Reads the records by their lengths, as the format specifies.
    const bytes = readFileSync(file);
    let whole = 0;
    let offset = 24;
    while (
      offset + 16 <= bytes.length &&
      offset + 16 + bytes.readUInt32LE(offset + 8) <= bytes.length
    ) {
      offset += 16 + bytes.readUInt32LE(offset + 8);
      whole++;
    }
    expect(line?.stored).toBe(whole);
    expect(`${line?.notes?.join(' ')} ${line?.message}`).toContain(String(offset));
  });

  it('quarantines rows that cannot be read, says so, and keeps them', async () => {
    const rows = readFileSync(at('evidence/flows/conn.log'), 'utf8').split('\n').slice(0, 40);
    rows.splice(20, 0, 'not-a-time\tC1\tnot-an-address', '\u0000\u0001\u0002');
    writeFileSync(at('broken.log'), `${rows.join('\n')}\n`);
    const outcome = await commands.run([
      'import',
      at('broken.daybook'),
      at('broken.log'),
      '--json',
    ]);
    expect(outcome.status).toBe(3);
    const { total } = ledgerLines(outcome);
    expect(total.total.quarantined).toBe(2);
    expect(balanced(total.total)).toBe(true);
    const kept = readdirSync(at('broken.daybook/quarantine')).flatMap((name) =>
      readFileSync(at('broken.daybook/quarantine', name), 'utf8').trimEnd().split('\n'),
    );
    expect(kept.length).toBe(2);
    const offset = Buffer.byteLength(`${rows.slice(0, 20).join('\n')}\n`);
    expect((JSON.parse(kept[0]!) as { offset: number }).offset).toBe(offset);
  });

  it.each([
    ['an empty file', ''],
    [
      'bytes that are nothing',
      Buffer.from(Array.from({ length: 4096 }, (_, i) => (i * 73 + 11) % 256)),
    ],
  ])('%s: a clear answer, never a crash', async (name, content) => {
    const file = at(`${name.replaceAll(' ', '-')}.pcap`);
    writeFileSync(file, content);
    const outcome = await commands.run(['import', `${file}.daybook`, file]);
    expect([0, 1, 3]).toContain(outcome.status);
    expect(outcome.out + outcome.err).not.toMatch(/unexpected error|node:internal/);
    if (outcome.status === 1) assertClearMessage(outcome.err);
  });

  it('fails where nothing is there to import', async () => {
    const outcome = await commands.run(['import', at('none.daybook'), at('no-such-file')]);
    expect(outcome.status).toBe(1);
    assertClearMessage(outcome.err);
    expect(outcome.err).toContain('no-such-file');
  });

  it('refuses a folder that is no case', async () => {
    mkdirSync(at('folder'));
    writeFileSync(at('folder/letter.txt'), 'Dear reader');
    const outcome = await commands.run(['import', at('folder'), at('evidence/syslog/auth.log')]);
    expect(outcome.status).toBe(1);
    assertClearMessage(outcome.err);
    expect(readdirSync(at('folder'))).toEqual(['letter.txt']);
  });
});
