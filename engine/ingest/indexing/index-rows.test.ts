import fc from 'fast-check';
import { expect, it } from 'vitest';
import { EventBatch } from '../../columns/event-batch.ts';
import { rowList, rowSpan } from '../../store/parts/batch-rows.ts';
import type { NumberRows } from '../../index/rows.ts';
import type { RowsMessage } from './index-protocol.ts';
import { indexRowsOf } from './index-rows.ts';

const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { freq: 2 });
const ROW = fc.record({
  port: maybe(fc.integer({ min: 0, max: 65_535 })),
  bytes: maybe(fc.integer({ min: 0, max: 2 ** 50 })),
  ip6: maybe(fc.uint8Array({ minLength: 16, maxLength: 16 })),
  host: maybe(fc.string({ maxLength: 12 })),
  word: maybe(fc.string({ maxLength: 60 })),
});

function numberOf({ values, present }: NumberRows, row: number): number | null {
  return present === undefined || present[row] === 1 ? values[row]! : null;
}

function arraysOf({ texts, numbers, ip6 }: RowsMessage): ArrayBufferView[] {
  return [
    ...texts.flatMap(([, { data, starts, present }]) => [data, starts, present]),
    ...numbers.flatMap(([, { values, present }]) => (present ? [values, present] : [values])),
    ...ip6.flatMap(([, { values, present }]) => [values, present]),
  ];
}

/** The content of a message for each row. */
function told(message: RowsMessage): unknown {
  const { length, texts, numbers, ip6 } = message;
  return Array.from({ length }, (_, row) => [
    ...numbers.map(([name, column]) => [name, numberOf(column, row)]),
    ...ip6.map(([name, { values, present }]) => [
      ...[name, present[row] ? [...values.subarray(row * 16, row * 16 + 16)] : null],
    ]),
    ...texts.map(([name, { data, starts, present, same }]) => {
      if (same !== true && !present[row]) return [name, null];
      const at = starts[same === true ? 0 : row]!;
      const size = new DataView(data.buffer, data.byteOffset).getUint32(at, true);
      return [name, Buffer.from(data.subarray(at + 4, at + 4 + size)).toString()];
    }),
  ]);
}

it('says the same of a span of rows as of the list of their numbers, in memory of its own', () => {
  fc.assert(
    fc.property(
      fc.array(ROW, { minLength: 1, maxLength: 30 }),
      fc.nat(),
      fc.nat(),
      (rows, one, other) => {
        const batch = new EventBatch('log', () => undefined, 64);
        for (const { port, bytes, ip6, host, word } of rows) {
          const at = batch.length;
          batch.seq.set(at, at + 1);
          if (port !== null) batch.dst_port.set(at, port);
          if (bytes !== null) batch.bytes.set(at, bytes);
          if (ip6 !== null) batch.src_ip6.set(at, ip6, 0);
          if (host !== null) batch.host.setString(at, host);
          if (word !== null) batch.setAttribute('word', word);
          batch.endRow();
        }
        const bounds = [one % (rows.length + 1), other % (rows.length + 1)];
        const from = Math.min(...bounds);
        const to = Math.max(...bounds);
        const list = Uint32Array.from({ length: to - from }, (_, i) => from + i);
        const span = indexRowsOf(batch, rowSpan(from, to));
        const listed = indexRowsOf(batch, rowList(list));
        expect(told(span)).toEqual(told(listed));
        // Every value that was set is present, whichever rows have none.
        const ports = span.numbers.find(([name]) => name === 'dst_port')?.[1];
        for (let row = from; row < to; row++) {
          const told = ports === undefined ? null : numberOf(ports, row - from);
          expect(told).toBe(rows[row]!.port);
        }
        // A sent array has a buffer of its own.
        for (const array of arraysOf(span)) expect(array.byteLength).toBe(array.buffer.byteLength);
      },
    ),
    { numRuns: 200, seed: 11 },
  );
});
