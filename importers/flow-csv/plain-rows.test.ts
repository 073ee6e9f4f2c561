import fc from 'fast-check';
import { expect, it } from 'vitest';
import { EventBatch } from '../../engine/columns/event-batch.ts';
import type { Column } from '../../engine/columns/columns.ts';
import { resolveZone } from '../../engine/contract/time/zone.ts';
import { BEHIND } from './plain-cells.ts';
import { PlainRows, type PlainTable } from './plain-rows.ts';
import { planRow } from './plan.ts';
import { RowWriter } from './row-writer.ts';
import { DelimitedSplitter } from './split.ts';
import { StampReader } from './stamp.ts';

const FIELDS = [
  ...['ts', 'ts_end', 'src_ip', 'dst_ip', 'src_port', 'dst_port', 'proto', 'packets', 'bytes'],
  ...['duration', 'tcp_flags', 'event_type', 'conn_state', 'history', 'service', 'host', 'program'],
  ...['packets_rev', 'bytes_rev'],
  ...['note', 'more', 'seldom', 'ever', 'changes'],
];
const ATTRIBUTES = 5;
const MAPPING = {
  fields: Object.fromEntries(FIELDS.slice(0, -ATTRIBUTES).map((name) => [name, name])),
};

/** As exports write it, similar, and completely different. */
const CELL: Readonly<Record<string, readonly string[]>> = {
  time: [
    ...['2026-11-21 00:00:01.500', '2026-11-21T23:59:60', '2026-02-30 00:00:00', '2026-11-21'],
    ...['2026-11-21 00:00:01.123456789', '2026-11-21 00:00:01.1234567891', '2026-11-21 00:00:01Z'],
    ...['2026-11-21 24:00:00', '2026-11-21 1:02:03', '2026-11-21 00:00:01.', '1763683200.25'],
    ...['2026-03-29 02:30:00', '21/11/2026 00:00', '2026-11-21 00:00:61', '2026-11-21 00:60:00'],
  ],
  address: [
    '192.0.2.1',
    '10.0.0.255',
    '10.0.0.256',
    '10.0.00.1',
    '2001:db8::1',
    '1.2.3',
    '1.2.3.4.5',
  ],
  port: ['0', '443', '65535', '65536', '0x1bb', '443.0', '00443', '-'],
  proto: ['tcp', 'UDP', 'Tcp', 'ICMP', '17', 'rtp', 'tc', 'tcpx'],
  count: [
    '0',
    '15',
    '123456789012345',
    '1234567890123456',
    '9007199254740993',
    '1.8 M',
    '12.0',
    '-1',
  ],
  duration: [
    '0.250',
    '5',
    '5.',
    '.5',
    '1.2.3',
    '0:01:02.5',
    '12345678.1234567',
    '1e3',
    '-1',
    '0.1',
  ],
  flags: ['.AP.SF', 'SAPF', '-A---', '24', '0x1b', 'X', 'A S', '.'.repeat(33), 'S_RA'],
  text: ['a', 'some words', 'é', '-', '(none)', 'x'.repeat(60)],
  any: ['', ' ', '-', ' 5', '5 ', '"quoted"', '"a,b"', '"open', 'a"b', '(none)'],
};
const OF: Readonly<Record<string, string>> = {
  ...{ ts: 'time', ts_end: 'time', src_ip: 'address', dst_ip: 'address', src_port: 'port' },
  ...{ dst_port: 'port', proto: 'proto', packets: 'count', bytes: 'count', duration: 'duration' },
  ...{ tcp_flags: 'flags', event_type: 'text', conn_state: 'text', history: 'text' },
  ...{ service: 'text', host: 'text', program: 'text', packets_rev: 'count', bytes_rev: 'count' },
  ...{ note: 'text', more: 'text', seldom: 'text' },
  ...{ ever: 'text', changes: 'text' },
};
const ROW = fc
  .tuple(
    fc.tuple(
      ...FIELDS.map((name) =>
        fc.oneof(
          { weight: 12, arbitrary: fc.constantFrom(...CELL[OF[name]!]!) },
          { weight: 1, arbitrary: fc.constantFrom(...CELL['any']!) },
        ),
      ),
    ),
    fc.constantFrom('', '', '', '', '', '', ',', ',x', ',,'),
    fc.constantFrom(0, 0, 0, 0, 0, 0, 1, 5),
  )
  .map(([cells, behind, less]) => cells.slice(0, cells.length - less).join(',') + behind);
const MOST_ROWS = 20;
/** Rows whose attributes are those of the row before, or all but one, as often as not. */
const ROWS = fc
  .array(fc.tuple(ROW, fc.constantFrom('new', 'new', 'same', 'same', 'but one')), {
    minLength: 1,
    maxLength: MOST_ROWS,
  })
  .map((rows) => {
    const out: string[] = [];
    for (const [row, like] of rows) {
      const cells = row.split(',');
      const before = out.at(-1)?.split(',') ?? cells;
      const from = FIELDS.length - ATTRIBUTES;
      const kept = before.slice(from);
      if (like === 'but one') kept[kept.length - 1] = cells.at(-1)!;
      out.push(like === 'new' ? row : [...cells.slice(0, from), ...kept].join(','));
    }
    return out;
  });

const tableAt = (seq: number): PlainTable => ({
  ...{
    base: 7,
    seq,
    quote: 0,
    longest: 1024,
    heading: Buffer.from(FIELDS.join(',')),
    comments: false,
  },
});

it('takes no bytes for the minute of the row before where there was none', () => {
  const cell = Buffer.from(`${'\0'.repeat(16)}:30,${'1'.repeat(BEHIND)}`);
  const view = new DataView(cell.buffer, cell.byteOffset, cell.length);
  expect(new StampReader().readPlain(cell, view, 0, 19)).toBe(false);
});

/** The result of a reader: the values of each row, and whether any time used the zone. */
class Reading {
  readonly batch = new EventBatch('flow', () => undefined, MOST_ROWS);
  readonly stamp = new StampReader(resolveZone('Europe/Berlin'), 'dmy');
  readonly writer: RowWriter;

  constructor(unset: readonly string[], eventType?: string) {
    const plan = planRow(FIELDS, undefined, MAPPING, unset, eventType);
    this.writer = new RowWriter(this.batch, plan, this.stamp);
  }

  rows(): Record<string, unknown>[] {
    return Array.from({ length: this.batch.length }, (_, row) => this.row(row));
  }

  row(row: number): Record<string, unknown> {
    const out: Record<string, unknown> = {};
    const add = (name: string, column: Column): void => {
      if (column.present[row] === 0) return;
      if (column.type === 'text') {
        const at = column.starts[row]!;
        const length = new DataView(column.data.buffer).getUint32(at, true);
        out[name] = Buffer.from(column.data.subarray(at + 4, at + 4 + length)).toString();
      } else if (column.type === 'ip6')
        out[name] = [...column.values.subarray(row * 16, row * 16 + 16)];
      else out[name] = column.values[row];
    };
    for (const [name, column] of this.batch.columns()) add(name, column);
    for (const [name, column] of this.batch.attributes) add(`a:${name}`, column);
    return out;
  }

  /** Texts unchanged: those of a span of rows are copied as a whole. */
  texts(): Record<string, string> {
    const out: Record<string, string> = {};
    for (const [name, column] of [...this.batch.columns(), ...this.batch.attributes])
      if (column.type === 'text' && column.size > 0)
        out[name] = Buffer.from(column.data.subarray(0, column.size)).toString('latin1');
    return out;
  }
}

it.each([
  ...[{ unset: [] }, { unset: ['-', '(none)'] }, { unset: ['0', '-'] }],
  { unset: ['-'], eventType: 'conn' },
])(
  'takes of rows what cutting them first would make of them: %o',
  ({ unset, eventType }: { unset: string[]; eventType?: string }) => {
    fc.assert(
      fc.property(ROWS, fc.boolean(), fc.boolean(), fc.boolean(), (rows, valid, crlf, many) => {
        const one = new Reading(unset, eventType);
        const other = new Reading(unset, eventType);
        const plain = new PlainRows(one.writer, one.stamp, 44, true);
        const splitter = new DelimitedSplitter(44, true);
        let done = 0;
        const endings = crlf ? '\r\n' : '\n';
        const content = Buffer.from(rows.map((text) => text + endings).join(''));
        // The bytes after the rows are not part of them.
        const bytes = Buffer.concat([content, Buffer.alloc(BEHIND, '1')]);
        one.writer.valid = valid;
        other.writer.valid = valid;
        let at = 0;
        for (const text of rows) {
          const end = at + Buffer.byteLength(text);
          const next = end + endings.length;
          const before = one.batch.length;
          // Several at a time, and the rows of one piece separately.
          if (at >= done)
            done = plain.take(bytes, at, many ? content.length : next, tableAt(before));
          const taken = at < done;
          other.writer.begin();
          const whole = splitter.split(bytes, at, end);
          let { count } = splitter;
          if (
            count === FIELDS.length + 1 &&
            splitter.starts[count - 1] === splitter.ends[count - 1]
          )
            count -= 1;
          if (taken) expect([whole, count]).toEqual([true, FIELDS.length]);
          else {
            expect(plain.stopped).toBe(true);
            expect(one.row(one.batch.length)).toEqual({});
            expect(text.includes('"') || count !== FIELDS.length).toBe(true);
            at = done = next;
            continue;
          }
          other.writer.cells(splitter.bytes, splitter.starts, splitter.ends, count);
          other.writer.finish(other.batch.length + 1, at + 7, end - at, bytes, at, end);
          if (next === done) expect(one.stamp.zoneUsed).toBe(other.stamp.zoneUsed);
          at = next;
        }
        expect(one.batch.length).toBe(other.batch.length);
        expect(one.rows()).toEqual(other.rows());
        expect(one.texts()).toEqual(other.texts());
      }),
      { numRuns: 600, seed: 5 },
    );
  },
);
