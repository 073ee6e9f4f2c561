/** Bad input: cut anywhere, flipped bits, any block size, stray quotes, very wide rows, nothing at all. */
import { describe, expect, it } from 'vitest';
import { SourceError } from '../../engine/contract/errors.ts';
import { EventBatch, MAX_ATTRIBUTE_COLUMNS } from '../../engine/columns/event-batch.ts';
import {
  collect,
  collectFrom,
  DEFAULT_OPTIONS,
  inputOf,
  type Collected,
} from '../shared/testing/collect.ts';
import { flowCsvImporter } from '../registry.ts';

const encoder = new TextEncoder();

const NFDUMP =
  'ts,te,td,sa,da,sp,dp,pr,flg,ipkt,ibyt,note\n' +
  '2026-11-21 00:00:01,2026-11-21 00:00:02,1.25,192.0.2.1,2001:db8::2,0,34560,ICMP6,........,3,156,"a,b"\n' +
  '2026-11-21 00:00:01,2026-11-21 00:00:02,1.25,192.0.2.1,192.0.2.2,99,443,TCP,.AP.SF,3,156,"two\nlines"\n' +
  'Summary\nflows,bytes\n2,312\n';
const ZEEK =
  '#separator \\x09\n#unset_field\t-\n#empty_field\t(empty)\n#path\tconn\n#fields\tts\tuid\tid.orig_h\tproto\torig_bytes\n' +
  '1.5\tC1\t192.0.2.1\ttcp\t5\n\n1.6\tC2\tfe80::1\tudp\t-\n#close\t2026\n';
const LINES =
  'Date first seen          Duration Proto Src IP Addr:Port Dst IP Addr:Port Packets Bytes Flows\n' +
  '2026-11-21 00:00:01.500  0.250 TCP 192.0.2.1:1234 -> 198.51.100.7:443 12 1.5 M 1\nSummary: x\n';
const EVE =
  '{"timestamp":"2026-11-21T02:00:09.000000+0200","event_type":"flow","src_ip":"192.0.2.1","flow":{"start":"2026-11-21T02:00:00+0200","pkts_toserver":3}}\n' +
  '{"timestamp":"2026-11-21T02:00:09Z","event_type":"dns","dns":{"rrname":"\\u00e9 x"}}\n';
const ARRAY =
  '[\n {"first":"2026-11-21T00:00:02","last":"x","in_packets":1,\n"in_bytes":1,"s":"}\\"{"},{"first":1,"last":2,"in_packets":3,"in_bytes":4}\n]\n';
const PIPES =
  'Start|Source|Destination|Bytes|\n1/2/2026 1:02|192.0.2.1|192.0.2.2|7|\n13/2/2026 1:02|é|192.0.2.2|x|\n';

const SAMPLES: readonly [string, string][] = [
  ['nfdump', NFDUMP],
  ['zeek', ZEEK],
  ['nfdump lines', LINES],
  ['eve', EVE],
  ['array', ARRAY],
  ['pipes', PIPES],
];

function read(bytes: Uint8Array, blockSize?: number, format = ''): Promise<Collected> {
  const sniffed = flowCsvImporter.sniff(bytes.subarray(0, 65_536), { name: 'x', complete: true });
  const options = { format: format === '' ? (sniffed?.format ?? '') : format };
  return collect(flowCsvImporter, inputOf(bytes, 'x', blockSize), options, 7);
}

/** Invariants for any content. */
function check(result: Collected): void {
  expect(result.rows.length).toBe(result.records);
  for (const { reason } of result.quarantined) expect(reason).not.toBe('');
  for (const row of result.rows) {
    const duration = row['duration'];
    if (duration !== undefined) expect(duration).toBeGreaterThanOrEqual(0);
    expect(row['ts'] ?? 0).toSatisfy(Number.isSafeInteger);
  }
}

it('keeps columns apart whose names become the same', async () => {
  const names = ['a\0b', 'a\ufffdb', 'A\0B', 'c', 'd'];
  const heading = `#separator \\x09\n#path\tconn\n#fields\tts\tuid\t${names.join('\t')}\n`;
  const rows = Array.from({ length: 60 }, (_, i) => `${i}.5\tC${i}\tone\ttwo\tthree\tx\ty\n`);
  const result = await read(encoder.encode(heading + rows.join('')));
  check(result);
  expect(result.rows.length).toBe(rows.length);
  for (const row of result.rows)
    expect(row['attrs']).toMatchObject({
      ...{ 'a\ufffdb': 'one', 'a\ufffdb.1': 'two', 'A\ufffdB.2': 'three', c: 'x', d: 'y' },
    });
});

it('reads tables and records that were put together, and such whose lines end with CR', async () => {
  const csv =
    'time,user,src_ip\n2026-11-21T10:00:00Z,a,192.0.2.1\n2026-11-21T10:00:01Z,b,192.0.2.2\n';
  const json = '{"timestamp":"2026-11-21T10:00:00Z","user":"a"}\n';
  for (const text of [csv, json.repeat(2)]) {
    const once = await read(encoder.encode(text));
    const users = once.rows.map((row) => row['user']);
    expect(users.length).toBe(2);
    const twice = await read(encoder.encode(`\ufeff${text}\ufeff${text}`));
    expect(twice.rows.map((row) => row['user'])).toEqual([...users, ...users]);
    expect(twice.quarantined).toEqual([]);
    const old = await read(encoder.encode(text.replaceAll('\n', '\r')));
    expect(old.rows).toEqual(once.rows);
  }
});

it('takes a heading for one, without a row after it, or with names that are missing or repeated', async () => {
  const alone = await read(encoder.encode('time,user,src_ip,note\r\n'));
  expect(alone).toMatchObject({ rows: [], quarantined: [], read: 0 });
  const cells = '2026-11-21T10:00:00Z,a,b,c,d,e\n';
  const odd = await read(encoder.encode(`time,user,user,User,,note\n${cells}${cells}`));
  const attrs = { 'user.1': 'b', 'User.2': 'c', column5: 'd', note: 'e' };
  expect(odd.rows).toMatchObject([1, 2].map(() => ({ user: 'a', attrs })));
  for (const line of ['well, that is all', 'a,b,c', 'one time, one place, one thing'])
    expect(flowCsvImporter.sniff(encoder.encode(line), { name: 'x', complete: true })).toBe(
      undefined,
    );
});

/** Numbers from 0 to 1, always the same (mulberry32). */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

describe('content cut anywhere', () => {
  it.each(SAMPLES)('%s', async (_, text) => {
    const bytes = encoder.encode(text);
    const whole = await read(bytes);
    for (let size = 0; size < bytes.length; size++) {
      const result = await read(bytes.subarray(0, size));
      check(result);
      expect(result.records).toBeLessThanOrEqual(whole.records + 1);
    }
  });
});

describe('flipped bits', () => {
  it.each(SAMPLES)('%s', async (_, text) => {
    const random = randomFrom(42);
    const bytes = encoder.encode(text);
    for (let round = 0; round < 300; round++) {
      const bad = bytes.slice();
      for (let flips = 0; flips < 4; flips++) {
        const at = Math.floor(random() * bad.length);
        bad[at] = bad[at]! ^ (1 << Math.floor(random() * 8));
      }
      check(
        await read(bad, undefined, flowCsvImporter.formats[round % flowCsvImporter.formats.length]),
      );
    }
  });
});

describe('block sizes', () => {
  it.each(SAMPLES)('make no difference to %s', async (_, text) => {
    const bytes = encoder.encode(text);
    const whole = await read(bytes, 1 << 20);
    expect(whole.records).toBeGreaterThan(0);
    for (const size of [1, 7]) expect(await read(bytes, size)).toEqual(whole);
  });

  it('make no difference where regions end inside rows', async () => {
    const row =
      '2026-11-21 00:00:01,x,1.25,192.0.2.1,192.0.2.2,99,443,TCP,.AP.SF,3,156,"two\nlines"\n';
    const header = NFDUMP.slice(0, NFDUMP.indexOf('\n') + 1);
    const bytes = encoder.encode(header + row.repeat(30_000));
    const whole = await read(bytes);
    expect(whole.records).toBe(30_000);
    expect(whole.quarantined).toEqual([]);
    const other = await read(bytes, 65_537);
    expect(other.rows.at(-1)).toEqual(whole.rows.at(-1));
    expect(other.rows.length).toBe(30_000);
  });
});

describe('odd tables', () => {
  const header = 'ts,sa,da,pr,note\n';
  const row = '1795219200,192.0.2.1,192.0.2.2,TCP,x\n';

  it('has no rows', async () => {
    expect((await read(encoder.encode(header))).read).toBe(0);
    expect((await read(new Uint8Array(0))).read).toBe(0);
    expect((await read(encoder.encode(header.trimEnd()))).read).toBe(0);
  });

  it.each([
    'LEEF:1.0|Example|Wall|1.0|100|src=192.0.2.1\tdst=192.0.2.2\n',
    'CEF:0|Example|Wall|1.0|100|denied|5|src=192.0.2.1 dst=192.0.2.2\n',
    // Without its name, after a relay took that for a program's.
    '0|Example|Wall|1.0|100|denied|5|src=192.0.2.1 dst=192.0.2.2\n',
    '0|Example|Wall|1.0|100|a \\| b|5|src=192.0.2.1 dst=192.0.2.2\n',
    '1.0|Example|Wall|1.0|100|src=192.0.2.1\tdst=192.0.2.2\n',
  ])('are not lines of CEF or LEEF: %s', (line) => {
    const lines = encoder.encode(line.repeat(5));
    expect(flowCsvImporter.sniff(lines, { name: 'x', complete: true })).toBeUndefined();
  });

  it('may begin with a number, and have pairs among its cells', () => {
    const lines = encoder.encode('0|web1|app|INFO|login|user=bob|192.0.2.1\n'.repeat(5));
    const found = flowCsvImporter.sniff(lines, { name: 'x', complete: true });
    expect(found?.format).toBe('table');
  });

  it('leaves out headings within', async () => {
    const result = await read(encoder.encode(header + row + header + row));
    expect(result).toMatchObject({ records: 2, read: 2 });
  });

  it('keep rows that lie where their heading lay in memory', async () => {
    // More than the line reader buffers at once: rows as long as the heading end up in its place.
    const count = 130_000;
    const rows = '1,1::,2::,TCP,ab\n'.repeat(count);
    const result = await read(encoder.encode(header + rows));
    expect(result).toMatchObject({ records: count, read: count });
  });

  it('quarantines rows of another width, with where they lie', async () => {
    const result = await read(encoder.encode(`${header}a,b\n${row.trimEnd()},\n1,2,3,4,5,6\n`));
    expect(result.records).toBe(1);
    expect(result.quarantined.map(({ offset, reason, line }) => [offset, reason, line])).toEqual([
      [17, 'row has fewer cells than there are columns', 2],
      [59, 'row has more cells than there are columns', 4],
    ]);
  });

  it('quarantines a row whose quote stays open, and reads those after it', async () => {
    const stray = '1795219200,192.0.2.1,192.0.2.2,TCP,"x\n';
    const result = await read(encoder.encode(header + row + stray + row.repeat(2000)));
    expect(result.records).toBe(2001);
    expect(result.quarantined.map(({ reason }) => reason)).toEqual(['a quote is not closed']);
    const last = await read(encoder.encode(header + stray + row));
    expect(last).toMatchObject({ records: 1, read: 2 });
  });

  it('gives what was held back when the content breaks off', async () => {
    const bytes = encoder.encode(`${header}${row}1795219200,192.0.2.1,192.0.2.2,TCP,"x`);
    const counts = { records: 0, quarantined: 0 };
    const input = {
      ...inputOf(bytes),
      async *blocks() {
        yield bytes.slice();
        throw new SourceError('ends inside a block', 77);
      },
    };
    const batch = new EventBatch('flow', () => undefined);
    const reading = flowCsvImporter.read(
      input,
      {
        batch: () => batch,
        record: (n) => (counts.records += n),
        quarantine: () => (counts.quarantined += 1),
        skip: () => undefined,
        note: () => undefined,
        metadata: () => undefined,
        decide: () => undefined,
        drain: () => undefined,
      },
      { ...DEFAULT_OPTIONS, format: 'nfdump-csv' },
    );
    await expect(reading).rejects.toThrow('ends inside a block');
    expect(counts).toEqual({ records: 1, quarantined: 1 });
  });

  it('takes quotes within cells as they are', async () => {
    const result = await read(encoder.encode(`${header}1,192.0.2.1,192.0.2.2,TCP,a"b"c\n`));
    expect(result.rows[0]!.attrs).toEqual({ note: 'a"b"c' });
  });

  it('takes quotes that are not doubled as they are, where all cells are in quotes', async () => {
    const result = await read(
      encoder.encode(
        [
          header.trimEnd(),
          '"1","192.0.2.1","192.0.2.2","TCP","PTR a, "QU" question PTR b, "QU" end"',
          '"2","192.0.2.1","192.0.2.2","TCP","x "y", z"',
          '"3","192.0.2.1","192.0.2.2","TCP","a ""b"", c"',
          '4,192.0.2.1,192.0.2.2,TCP,"d "e" f"',
          '"5","192.0.2.1","192.0.2.2","TCP","g "h","i"',
          '',
        ].join('\n'),
      ),
    );
    expect(result.rows.map(({ attrs }) => attrs)).toEqual([
      { note: 'PTR a, "QU" question PTR b, "QU" end' },
      { note: 'x "y", z' },
      { note: 'a "b", c' },
      { note: 'd e" f"' },
    ]);
    expect(result.quarantined).toHaveLength(1);
  });

  it('reads 10,000 columns', async () => {
    const names = Array.from({ length: 10_000 }, (_, i) => `column name ${i}`);
    const cells = names.map((_, i) => String(i));
    names[0] = 'src_ip';
    names[1] = 'dst_ip';
    cells[0] = '192.0.2.1';
    cells[1] = '192.0.2.2';
    const line = `${cells.join(',')}\n`;
    const result = await read(encoder.encode(`${names.join(',')}\n${line}${line}`));
    expect(result.records).toBe(2);
    expect(Object.keys(result.rows[1]!.attrs).length).toBe(9998);
    expect(result.rows[1]!.attrs['column name 9999']).toBe('9999');
  });

  it('keeps attributes for which no column is left in their own rows', async () => {
    const names = Array.from({ length: MAX_ATTRIBUTE_COLUMNS + 9 }, (_, i) => `n${i}`);
    const rows = Array.from({ length: 20 }, (_, row) => names.map((name) => `${row}-${name}`));
    const lines = rows.map((cells) => `192.0.2.1,192.0.2.2,${cells.join(',')}\n`);
    const head = `src_ip,dst_ip,${names.join(',')}\n`;
    const result = await read(encoder.encode(head + lines.join('')));
    expect(result.rows.map(({ attrs }) => names.map((name) => attrs[name]))).toEqual(rows);
  });

  it('gives up a row of more than 1 MiB and goes on', async () => {
    const result = await read(encoder.encode(`${header}${'x'.repeat(3_000_000)}\n${row}`));
    expect(result.records).toBe(1);
    expect(result.quarantined.map(({ reason }) => reason)).toEqual(['row is longer than 1 MiB']);
  });

  it('reads UTF-16, byte order marks and Windows-1252', async () => {
    const text = header + row.replace('x', 'é');
    const wide = Buffer.from(`\ufeff${text}`, 'utf16le');
    for (const bytes of [wide, encoder.encode(`\ufeff${text}`), Buffer.from(text, 'latin1')]) {
      const result = await read(new Uint8Array(bytes));
      expect(result.rows[0]!.attrs).toEqual({ note: 'é' });
    }
  });

  it('says that other content is none of its own', () => {
    for (const text of [
      '',
      '\n\n',
      'hello',
      '\0\0\0\0,1,2,3\n',
      'Nov 21 00:00:01 host prog: x\n'.repeat(3),
    ]) {
      expect(
        flowCsvImporter.sniff(encoder.encode(text), { name: 'a.csv', complete: true }),
      ).toBeUndefined();
    }
  });

  // More than linear effort, in the number of bytes, would not end.
  it('judges long runs of anything', () => {
    const hint = { name: 'x', complete: true };
    for (const unit of [
      '1',
      ':',
      '"',
      ',',
      '{',
      '[',
      '[{',
      ' ',
      '#',
      '\\',
      ',"',
      '1:',
      '::.',
      '{"a":',
    ]) {
      for (const end of ['', 'x', '\n', '\nx\n']) {
        const text = unit.repeat(Math.floor(65_000 / unit.length)) + end;
        const score = flowCsvImporter.sniff(encoder.encode(text), hint)?.score ?? 0;
        expect(score).toBeLessThanOrEqual(0.6);
        const eni = flowCsvImporter.sniff(encoder.encode(`2 eni-1 OK ${text}`), hint);
        expect(eni?.format).toBe('aws-vpc-flow');
      }
    }
  });

  it('quarantines what it is made to read', async () => {
    const result = await collect(flowCsvImporter, inputOf(Uint8Array.of(0, 1, 10, 2, 10)), {
      format: 'flow-csv',
    });
    expect(result.quarantined.map(({ reason }) => reason)).toEqual(['not a table', 'not a table']);
  });
});

describe('long texts of JSON', () => {
  // Each is longer than all before it: whatever holds texts grows with each.
  it.each([
    ['ASCII', 'powershell -enc ', 600],
    ['two bytes each', 'äöü ', 900],
    ['surrogate pairs', '😀é', 900],
  ])('%s: are kept byte by byte', async (_, word, most) => {
    const texts: Record<string, string>[] = [];
    for (let n = 1; n <= most; n = Math.ceil(n * 1.3)) {
      texts.push({
        first: 'short',
        ScriptBlockText: word.repeat(n),
        after: `behind ${word}`.repeat(n),
      });
    }
    // The longest first, and lengths around each power of two.
    for (let size = 1364; size < 70_000; size *= 2) {
      for (const off of [-1, 0, 1, 2])
        texts.push({ x: 'y'.repeat(size + off), z: 'é'.repeat(size) });
    }
    for (const rows of [texts, texts.toReversed()]) {
      const lines = rows.map((attrs) => JSON.stringify({ n: { ...attrs } }));
      const result = await read(encoder.encode(`${lines.join('\n')}\n`), undefined, 'json-lines');
      expect(result.rows.length).toBe(rows.length);
      for (const [i, row] of rows.entries()) {
        const named = Object.entries(row).map(([name, value]) => [`n.${name}`, value]);
        expect(result.rows[i]!.attrs).toEqual(Object.fromEntries(named));
      }
    }
  });
});

describe('odd JSON', () => {
  it('quarantines lines that are none, each for itself', async () => {
    const bad = [
      '{"a":',
      '[1]',
      '12',
      '{"a":1}}',
      `{"a":${'['.repeat(200_000)}${']'.repeat(200_000)}}`,
    ];
    const good = '{"src_ip":"192.0.2.1","dst_ip":"192.0.2.2","n":{"a":{"b":null,"c":[1,{"d":2}]}}}';
    const text = [good, ...bad, good].join('\n');
    const result = await read(encoder.encode(text), undefined, 'json-lines');
    expect(result.read).toBe(7);
    expect(result.rows[0]!.attrs).toEqual({ 'n.a.c': '[1,{"d":2}]' });
    expect(result.quarantined.map(({ reason }) => reason).slice(0, 4)).toEqual([
      'not valid JSON',
      'not a JSON object',
      'not a JSON object',
      'not valid JSON',
    ]);
  });

  it('goes on behind elements of an array that are no objects', async () => {
    const text =
      '[{"src_ip":"192.0.2.1","dst_ip":"192.0.2.2"}, 12, "x{", {"src_ip":"192.0.2.1"}, {"a":';
    const result = await read(encoder.encode(text));
    expect(result.records).toBe(2);
    expect(result.quarantined.at(-1)!.reason).toBe('ends inside a JSON object');
  });

  it('keeps two members of one name', async () => {
    const result = await read(encoder.encode('{"src_ip":"192.0.2.1","a.b":1,"a":{"b":2}}\n'));
    expect(result.rows[0]!.attrs).toEqual({ 'a.b': '1', 'a.b.1': '2' });
  });

  it('keeps deep objects as text', async () => {
    const deep = '{"a":'.repeat(30) + '1' + '}'.repeat(30);
    const result = await read(encoder.encode(`{"src_ip":"192.0.2.1","x":${deep}}\n`));
    expect(result.rows[0]!.attrs['x.a.a.a.a.a.a.a']).toContain('{"a":');
  });
});

it.each([
  ['a table', 'src_ip,src_port\n10.0.0.1,1\n'],
  ['JSON lines', '{"src_ip":"10.0.0.1","src_port":1}\n'],
])('%s: gives its content back when the sink wants no more', async (_, text) => {
  const input = inputOf(Buffer.from(text.repeat(3)));
  let open = 0;
  async function* blocks(): AsyncGenerator<Uint8Array> {
    open += 1;
    try {
      yield* input.blocks();
      // More bytes that nobody requests.
      for (let n = 0; n < 4; n++) yield Buffer.from(text.repeat(50_000));
    } finally {
      open -= 1;
    }
  }
  const stopped = new Error('stopped');
  const reading = collectFrom((sink) => {
    const stopping = {
      ...sink,
      drain: () => {
        throw stopped;
      },
    };
    return flowCsvImporter.read({ ...input, blocks }, stopping, DEFAULT_OPTIONS);
  });
  await expect(reading).rejects.toBe(stopped);
  expect(open).toBe(0);
});
