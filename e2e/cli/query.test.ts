/**
 * Questions about generated evidence whose answers are known, through the command line.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventsOf, generateEvidence, type Expected } from '../../fixtures/generate.ts';
import { assertClearMessage, Commands, daybook, json, ndjson, scratch } from './harness.ts';

const { folder, remove } = scratch();
const CASE = path.join(folder, 'office.daybook');
const commands = new Commands();
let expected: Expected;

beforeAll(async () => {
  expected = generateEvidence(folder, 0.2, 3);
  const args = ['import', CASE, path.join(folder, 'evidence'), '--recursive'];
  // Segments of one day each, so that the days that were read can be told.
  const { status, err } = await daybook(args, { env: { DAYBOOK_DENSE_ROWS: '1' } });
  expect(status, err).toBe(0);
});
afterAll(async () => {
  await commands.close();
  remove();
});

interface Timings {
  totalMs: number;
  path: string;
  days: number;
  segments: number;
  rowsExamined: number;
}
interface Count {
  count: number;
  timings: Timings;
}
interface Top {
  rows: { count: number; share: number; [field: string]: unknown }[];
  rest: { count: number; groups: number };
  timings: Timings;
}
interface Timeline {
  interval: string;
  buckets: { start: string; count: number }[];
  timings: Timings;
}

async function query<T>(text: string, ...options: string[]): Promise<T> {
  const outcome = await commands.run(['query', CASE, text, '--json', ...options]);
  expect(outcome.status, `${text}: ${outcome.err}`).toBe(0);
  return json<T>(outcome);
}
const count = async (text: string, ...options: string[]): Promise<number> =>
  (await query<Count>(`${text} | count`, ...options)).count;

describe('counts', () => {
  it('of every kind are exact', async () => {
    const { packet, flow, log, dns } = expected.byKind;
    expect(await count('kind:packet')).toBe(packet);
    expect(await count('kind:flow')).toBe(flow);
    expect(await count('kind:log')).toBe(log);
    expect(await count('kind:dns')).toBe(dns);
    expect(await count('kind:*')).toBe(eventsOf(expected.byKind));
  });

  it('leave packets beneath flows out unless asked for', async () => {
    const { flow, log, dns } = expected.byKind;
    // Packets that belong to no flow are in: nothing is counted twice by them.
    const alone = Object.values(expected.sources).reduce(
      (n, source) => n + Number(source.arp ?? 0),
      0,
    );
    expect(await count('*')).toBe(flow + log + dns + alone);
  });

  it.each([
    ['"failed password"', () => expected.answers.failedPasswords],
    ['"failed password" program:sshd host:bastion01', () => expected.answers.failedPasswords],
    ['source:border.csv dst_ip:192.0.2.200', () => expected.answers.toDropSite.records],
    ['source:border.csv dst_ip:192.0.2.200/32', () => expected.answers.toDropSite.records],
    ['"accepted password for backup from 203.0.113.66"', () => 1],
    ['"no such text anywhere"', () => 0],
  ])('%s', async (text, answer) => {
    expect(await count(text)).toBe(answer());
  });

  it('sum bytes', async () => {
    const outcome = await commands.run([
      'query',
      CASE,
      'source:border.csv dst_ip:192.0.2.200 | stats count(), sum(bytes)',
      '--format',
      'csv',
    ]);
    expect(outcome.status, outcome.err).toBe(0);
    const [, row] = outcome.out.trimEnd().split('\n');
    const { records, bytes } = expected.answers.toDropSite;
    expect(row).toBe(`${records},${bytes}`);
  });

  it('split a time range without loss or overlap', async () => {
    const all = await count('kind:log');
    const before = await count('kind:log', '--to', '2026-10-13T02:00:00Z');
    const after = await count('kind:log', '--from', '2026-10-13T02:00:00Z');
    expect(before).toBeGreaterThan(0);
    expect(after).toBeGreaterThan(0);
    expect(before + after).toBe(all);
  });
});

describe('results that must agree', () => {
  it('top: groups and the rest add up to the count', async () => {
    const top = await query<Top>('kind:flow | top 5 src_ip');
    expect(top.rows).toHaveLength(5);
    const shown = top.rows.reduce((n, row) => n + row.count, 0);
    expect(shown + top.rest.count).toBe(expected.byKind.flow);
    expect(top.rest.groups).toBeGreaterThan(5);
    expect(top.rows[0]!.share).toBeCloseTo(top.rows[0]!.count / expected.byKind.flow, 3);
    const counts = top.rows.map((row) => row.count);
    expect(counts).toEqual([...counts].sort((a, b) => b - a));
  });

  it('top: says what is left only where something is', async () => {
    const table = async (query: string): Promise<string> =>
      (await commands.run(['query', CASE, query, '--format', 'table'])).out;
    expect(await table('kind:flow | top 5 src_ip')).toMatch(
      /\n[\d,]+ more groups, [\d,]+ events\n$/,
    );
    expect(await table('kind:* | top 100 kind')).not.toContain('more group');
  });

  it('timeline: buckets are even, none is left out, and they add up to the count', async () => {
    const { buckets, interval } = await query<Timeline>('"failed password" | timeline 5m');
    expect(interval).toBe('5m');
    expect(buckets.reduce((n, bucket) => n + bucket.count, 0)).toBe(
      expected.answers.failedPasswords,
    );
    const starts = buckets.map((bucket) => Date.parse(bucket.start));
    expect(new Set(starts.slice(1).map((start, i) => start - starts[i]!))).toEqual(
      new Set([300_000]),
    );
  });

  it('rows: as many as the count says, in order of time, with fields by name', async () => {
    const text = 'source:auth.log program:sshd';
    const outcome = await commands.run([
      'query',
      CASE,
      text,
      '--format',
      'ndjson',
      '--limit',
      '100000',
    ]);
    expect(outcome.status, outcome.err).toBe(0);
    const rows = ndjson<{ ts: string; kind: string; host: string; message: string }>(outcome);
    expect(rows.length).toBe(await count(text));
    expect(rows.every((row) => row.kind === 'log' && row.host !== '' && row.message !== '')).toBe(
      true,
    );
    const times = rows.map((row) => row.ts);
    expect([...times].sort()).toEqual(times.at(0)! <= times.at(-1)! ? times : [...times].reverse());
    // As many digits as the source had: none.
    expect(times.every((ts) => /^2026-10-15T\d\d:\d\d:\d\dZ$/.test(ts))).toBe(true);
  });

  it('short forms say the same as the stages', async () => {
    const short = await commands.run(['count', CASE, '"failed password"', '--json']);
    expect(json<Count>(short).count).toBe(expected.answers.failedPasswords);
    const top = await commands.run(['top', CASE, 'src_ip', 'kind:flow', '--json']);
    expect(top.status, top.err).toBe(0);
    expect(json<Top>(top).rows[0]).toEqual((await query<Top>('kind:flow | top 10 src_ip')).rows[0]);
    // Only logs have a host: the others are named as in the window.
    const hosts = await commands.run(['top', CASE, 'host', '*']);
    expect(hosts.out).toMatch(/^\(none\) +\d/m);
    const timeline = await commands.run(['timeline', CASE, '"failed password"', '--json']);
    expect(timeline.status, timeline.err).toBe(0);
    const { buckets } = json<Timeline>(timeline);
    expect(buckets.reduce((n, bucket) => n + bucket.count, 0)).toBe(
      expected.answers.failedPasswords,
    );
  });

  it('--limit stops early', async () => {
    const outcome = await commands.run([
      'query',
      CASE,
      'kind:log',
      '--format',
      'ndjson',
      '--limit',
      '7',
    ]);
    expect(ndjson(outcome)).toHaveLength(7);
  });

  it('--limit cuts no groups, which is said', async () => {
    const all = await commands.run([
      'query',
      CASE,
      'kind:log | top 5 program',
      '--format',
      'ndjson',
    ]);
    const limited = ['--format', 'ndjson', '--limit', '1'];
    const groups = await commands.run(['query', CASE, 'kind:log | top 5 program', ...limited]);
    expect(ndjson(groups)).toEqual(ndjson(all));
    expect(groups.err).toContain('--limit applies to rows, not to groups');
    expect(all.err).not.toContain('--limit');
    const rows = await commands.run(['query', CASE, 'kind:log', ...limited]);
    expect(rows.err).not.toContain('--limit');
  });
});

describe('patterns', () => {
  interface Patterns extends Top {
    rows: { count: number; share: number; event_id: string; template: string | null }[];
    total: { count: number; groups: number };
  }

  it('put the one message that is like no other before the frequent ones, by whatever path', async () => {
    const found = await query<Patterns>('kind:log host:bastion01 | patterns');
    const counts = found.rows.filter(({ template }) => template !== null).map((row) => row.count);
    expect(counts).toEqual(counts.toSorted((a, b) => a - b));
    expect(counts.reduce((a, b) => a + b, found.rest.count)).toBe(found.total.count);
    expect(found.total.count).toBe(await count('kind:log host:bastion01'));
    const failed = await query<Patterns>('"failed password" | patterns 1 desc');
    expect(failed.rows[0]?.template).toMatch(
      /Failed password for .* from <\*>\.<\*>\.<\*>\.<\*> port <\*> <\*>$/,
    );
    const [rare] = found.rows;
    expect(await count(`event_id:${rare?.event_id ?? ''} host:bastion01`)).toBe(1);
    for (const text of [
      'kind:log | patterns 20',
      '* | patterns 5 desc',
      'failed | patterns | head 3',
    ]) {
      const fast = await query<Patterns>(text);
      const scanned = await query<Patterns>(text, '--path', 'scan');
      expect({ ...fast, timings: undefined }).toEqual({ ...scanned, timings: undefined });
    }
  });
});

describe('what lies beneath, and what is looked for', () => {
  const beneath = () =>
    expected.byKind.packet -
    Object.values(expected.sources).reduce((n, source) => n + Number(source.arp ?? 0), 0);

  it('is in the JSON document, and on standard error for every other form', async () => {
    const document = await query<Count & { packetsBeneath?: unknown }>('* | count');
    expect(document.packetsBeneath).toEqual({ packets: beneath(), exact: true });
    expect(await query<Count>('kind:* | count')).not.toHaveProperty('packetsBeneath');
    const rows = ['query', CASE, '*', '--limit', '1', '--format'];
    expect(json(await commands.run([...rows, 'json']))).toHaveProperty(
      'packetsBeneath.exact',
      true,
    );
    for (const format of ['table', 'ndjson', 'csv']) {
      expect((await commands.run([...rows, format])).err, format).toContain(
        'packets beneath flows',
      );
    }
  });

  it('a JSON document of nothing says what the query may have meant', async () => {
    const hint = 'tcp was searched for as a word; for events of that protocol write proto:tcp';
    const document = await query<Count & { hints?: unknown }>('tcp nosuchword | count');
    expect(document).toMatchObject({
      hints: [hint],
      notSearched: { quarantined: { matching: 0 } },
    });
    expect(await query<Count>('kind:log | count')).not.toHaveProperty('hints');
    expect(await query<Count>('where nosuchword | count')).toMatchObject({
      hints: ['where was searched for as a word; as a stage it comes after a |: * | where …'],
    });
  });

  it('a query may begin with a minus', async () => {
    const all = await count('kind:log');
    const failed = await count('kind:log failed');
    expect(failed).toBeGreaterThan(0);
    expect(await count('-failed kind:log')).toBe(all - failed);
    const short = await commands.run(['count', CASE, '-failed', '--from', '2026-10-12', '--json']);
    expect(json<Count>(short).count).toBe(await count('NOT failed', '--from', '2026-10-12'));
  });

  it('rows of a table are counted as events are', async () => {
    const { rows } = await query<{ rows: unknown[] }>('kind:log | values host');
    const counted = await query<Count>('kind:log | values host | count');
    expect(counted.count).toBe(rows.length);
    expect(counted).toMatchObject({ shape: 'count', rows: [{ count: rows.length }] });
  });

  it('--explain --json is one document', async () => {
    const { plan } = await query<{ plan: string[] }>('failed', '--explain');
    expect(plan).toContainEqual(expect.stringMatching(/^path: (?:index|scan)$/));
  });

  it('a field beyond the columns is looked up among the other attributes, which is said', async () => {
    const many = Array.from({ length: 300 }, (_, i) => [`n${i}`, `v${i}`]);
    const wide = path.join(folder, 'wide.json');
    writeFileSync(wide, `${JSON.stringify({ ts: 1_790_000_000, ...Object.fromEntries(many) })}\n`);
    const folderOfWide = path.join(folder, 'wide.daybook');
    expect((await commands.run(['import', folderOfWide, wide])).status).toBe(0);
    const known = await commands.run(['count', folderOfWide, 'n1:v1', '--json']);
    expect(known.err).not.toContain('in no column');
    const unknown = await commands.run(['count', folderOfWide, 'nowhere:x', '--json']);
    expect(json<Count>(unknown).count).toBe(0);
    expect(unknown.err).toContain('"nowhere": in no column');
    const kept = await commands.run(['count', folderOfWide, 'n299:v299', '--json']);
    expect(json<Count>(kept).count).toBe(1);
  });
});

describe('timings', () => {
  it('say the path and what was looked at, and days that cannot match are not', async () => {
    const { timings } = await query<Count>('kind:log | count');
    expect(timings.totalMs).toBeGreaterThan(0);
    expect(['catalog', 'rollup', 'index', 'scan']).toContain(timings.path);
    const day = await query<Count>(
      '"failed password" | count',
      '--from',
      '2026-10-14',
      '--to',
      '2026-10-15',
    );
    // None, where an index says that the day has no such event.
    expect(day.timings.days).toBeLessThanOrEqual(1);
    const latency = await daybook(['latency', CASE]);
    expect(latency.status).toBe(0);
    expect(latency.out).toContain('query');
    for (const command of ['sources', 'days']) await daybook([command, CASE]);
    const measured = json<{ operation: string; paths: Record<string, number> }[]>(
      await daybook(['latency', CASE, '--json']),
    );
    for (const operation of ['case.sources', 'case.days'])
      expect(measured.find((one) => one.operation === operation)?.paths).toHaveProperty('catalog');
  });
});

describe('what is in a case', () => {
  it('days, fields and sources', async () => {
    const days = await commands.run(['days', CASE]);
    expect(days.status).toBe(0);
    for (const day of ['2026-10-12', '2026-10-13', '2026-10-14', '2026-10-15']) {
      expect(days.out).toContain(day);
    }
    const fields = await commands.run(['fields', CASE]);
    expect(fields.status).toBe(0);
    expect(fields.out).toContain('src_ip');
    const sources = await commands.run(['sources', CASE]);
    for (const name of Object.keys(expected.sources)) expect(sources.out).toContain(name);
  });
});

describe('wrong usage and what is not there', () => {
  it.each([
    ['no command', [], 2],
    ['an unknown command', ['frobnicate'], 2],
    ['a query where top takes a field', ['top', 'CASE', 'kind:log'], 2],
    ['an unknown option', ['query', 'CASE', '*', '--frobnicate'], 2],
    ['no query', ['query'], 2],
    ['too many arguments', ['query', 'CASE', 'a', 'b', 'c'], 2],
    ['an unclosed quote', ['query', 'CASE', 'a "b'], 2],
    ['an unknown field', ['query', 'CASE', 'sorce_ip:10.0.0.1'], 2],
    ['an unknown stage', ['query', 'CASE', '* | frobnicate'], 2],
    ['a limit that is none', ['query', 'CASE', '*', '--limit', 'many'], 2],
    ['an unknown format', ['query', 'CASE', '*', '--format', 'docx'], 2],
    ['an unknown zone', ['import', 'NEW', 'EVIDENCE', '--tz', 'Mars/Olympus'], 2],
    ['a case that is not there', ['query', 'MISSING', '*'], 1],
    ['a folder that is no case', ['query', 'PLAIN', '*'], 1],
    ['a file that is no case', ['query', 'FILE', '*'], 1],
  ])('%s: the right status and a message for people', async (_name, args, status) => {
    mkdirSync(path.join(folder, 'plain'), { recursive: true });
    writeFileSync(path.join(folder, 'file.daybook'), 'not a case');
    const names: Record<string, string> = {
      CASE,
      NEW: path.join(folder, 'new.daybook'),
      EVIDENCE: path.join(folder, 'evidence'),
      MISSING: path.join(folder, 'missing.daybook'),
      PLAIN: path.join(folder, 'plain'),
      FILE: path.join(folder, 'file.daybook'),
    };
    const outcome = await commands.run(args.map((arg) => names[arg] ?? arg));
    expect(outcome.status, outcome.err).toBe(status);
    expect(outcome.out).toBe('');
    if (args.length > 0) assertClearMessage(outcome.err);
  });

  it('names the place of a mistake and the nearest field', async () => {
    const command = await daybook(['search', CASE, 'x']);
    expect(command.err).toContain('did you mean query?');
    const top = await commands.run(['top', CASE, 'kind:log']);
    expect(top.err).toContain('"kind:log" is not a field');
    const quote = await commands.run(['query', CASE, 'failed "password']);
    expect(quote.err).toContain('unclosed " at column 8');
    const field = await commands.run(['query', CASE, 'sorce_ip:10.0.0.1']);
    expect(field.err).toMatch(/src_ip|source_ip|source\.ip/);
  });

  it('hostile text is data, never SQL', async () => {
    for (const text of [`'; DROP TABLE events; --`, `message:/')--/`, `host:"x' OR '1'='1"`]) {
      const outcome = await commands.run(['query', CASE, text, '--format', 'ndjson']);
      expect([0, 2], `${text}: ${outcome.err}`).toContain(outcome.status);
      expect(outcome.out).toBe('');
    }
    expect(await count('kind:log')).toBe(expected.byKind.log);
  });
});

describe('a list', () => {
  const file = (name: string, text: string): string => {
    const at = path.join(folder, name);
    writeFileSync(at, text);
    return at;
  };

  it('narrows any query, and what was not seen is written', async () => {
    const { rows } = await query<Top>('kind:flow | top 1 src_ip');
    const source = rows[0]?.['src_ip'];
    const list = file('addresses.txt', `# seen elsewhere\n${String(source)}\n240.0.0.77\n`);
    const unseen = path.join(folder, 'unseen.txt');
    expect(await count('kind:flow', '--list', list, '--list-unmatched', unseen)).toBe(
      await count(`kind:flow ip:${String(source)}`),
    );
    expect(readFileSync(unseen, 'utf8')).toBe('240.0.0.77\n');
  });

  it('is used by tag, by its columns', async () => {
    const { rows } = await query<Top>('kind:flow | top 1 src_ip, dst_ip');
    const flow = rows[0];
    const pair = `src_ip:${String(flow?.['src_ip'])} dst_ip:${String(flow?.['dst_ip'])}`;
    const list = file(
      'pairs.tsv',
      `id.orig_h\tid.resp_h\tnote\n${String(flow?.['src_ip'])}\t${String(flow?.['dst_ip'])}\tx\n`,
    );
    const args = ['tag', CASE, 'kind:flow', 'pair', '--list', list, '--list-directed', '--json'];
    const { status, err } = await commands.run(args);
    expect(status).toBe(2);
    const { error } = JSON.parse(err) as { error: { message: string } };
    expect(error.message).toBe('line 1 of the list: "note": no field of events');
    const tagged = await commands.run([...args, '--list-field', 'id.orig_h,id.resp_h']);
    expect(tagged.status, tagged.err).toBe(0);
    expect(json(tagged)).toMatchObject({
      ...{ tag: 'pair', matched: await count(`kind:flow ${pair}`) },
      notes: ['list: 1 line of src_ip, dst_ip'],
    });
  });

  it('that is wrong is reported with its line', async () => {
    const list = file('wrong.csv', 'src_ip\n10.0.0.1\n10.0.0\n');
    const outcome = await commands.run(['count', CASE, '--list', list]);
    expect(outcome.status).toBe(2);
    expect(outcome.err).toContain('line 3 of the list: "10.0.0" is not an IP address');
    const alone = await commands.run(['count', CASE, '--list-field', 'host']);
    expect(alone.status).toBe(2);
    expect(alone.err).toContain('--list-field needs --list');
    const right = file('right.csv', 'src_ip\n10.0.0.1\n10.0.0.2\n');
    const over = await commands.run(['count', CASE, '--list', right, '--list-unmatched', right]);
    expect(over.status).toBe(2);
    expect(over.err).toContain('is an input of this command');
    expect(readFileSync(right, 'utf8')).toContain('10.0.0.2\n');
    expect(readFileSync(list, 'utf8')).toContain('10.0.0\n');
  });
});
