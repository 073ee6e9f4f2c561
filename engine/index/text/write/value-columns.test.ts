import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { IndexRows, TextRows } from '../../rows.ts';
import { TextIndexBuilder } from './builder.ts';
import { type TextRow, indexRows } from '../testing/index-rows.ts';
import { AS_TEXT, ValueColumn, listValues, noteValues } from './value-columns.ts';

const CODES = fc.array(
  fc.record({ code: fc.constantFrom(0, 1, 2, 3, AS_TEXT), n: fc.nat(5), each: fc.boolean() }),
  { maxLength: 8 },
);

function columnOf(
  parts: readonly { code: number; n: number; each: boolean }[],
  before: number,
): { column: ValueColumn; codes: number[] } {
  const column = new ValueColumn(before);
  const codes = new Array<number>(before).fill(0);
  for (const { code, n, each } of parts) {
    if (each) {
      const first = column.length;
      const values = column.extend(n);
      for (let i = 0; i < n; i++) values[first + i] = (code + i) & 3;
      for (let i = 0; i < n; i++) codes.push((code + i) & 3);
    } else {
      column.fill(code, n);
      for (let i = 0; i < n; i++) codes.push(code);
    }
  }
  return { column, codes };
}

describe('a column of values', () => {
  it('keeps what each row has', () => {
    fc.assert(
      fc.property(CODES, fc.nat(4), (parts, before) => {
        const { column, codes } = columnOf(parts, before);
        expect(column.length).toBe(codes.length);
        expect(codes.map((_, row) => column.codeAt(row))).toEqual(codes);
      }),
    );
  });

  it('lists the rows of each value in any order of rows', () => {
    const parts = fc.array(
      fc.record({ code: fc.constantFrom(0, 1, 2, 3), n: fc.nat(5), each: fc.boolean() }),
      { maxLength: 6 },
    );
    fc.assert(
      fc.property(parts, fc.boolean(), fc.nat(2), (all, turned, unwanted) => {
        const { column, codes } = columnOf(all, 0);
        const n = codes.length;
        const order = turned ? Uint32Array.from(codes, (_, row) => n - 1 - row) : undefined;
        const lists = Uint32Array.of(0, 1, 2);
        // Room for all rows of each list except one that is not wanted.
        const starts = lists.map((list) => (list === unwanted ? 0 : 1 + list * n));
        const ends = starts.slice();
        const out = new Uint32Array(1 + n * 3);
        listValues(column, { lists, ends, out, order });
        const found = [...lists].map((list) => [...out.subarray(starts[list], ends[list])]);
        const asked = [...lists].map((list) =>
          Array.from({ length: n }, (_, row) => row).filter((row) => {
            const came = order?.[row] ?? row;
            const code = codes[came];
            return list !== unwanted && code === list + 1;
          }),
        );
        expect(found).toEqual(asked);
        const rows = new Uint8Array(n);
        noteValues(column, Uint8Array.of(0, 1, 1), rows);
        expect([...rows]).toEqual(codes.map((code) => (code >= 2 ? 1 : 0)));
      }),
    );
  });
});

/** The same rows, with columns that have one text in all rows marked as such. */
function shortened(rows: IndexRows): IndexRows {
  const texts = new Map<string, TextRows>();
  for (const [name, text] of rows.texts) {
    const step = text.data.length / rows.length;
    const parts = Array.from({ length: rows.length }, (_, row) =>
      Buffer.from(text.data.subarray(row * step, (row + 1) * step)).toString('hex'),
    );
    const one = !text.present.includes(0) && new Set(parts).size === 1;
    texts.set(
      name,
      one
        ? {
            ...{ data: text.data.slice(0, step), starts: Uint32Array.of(0), same: true },
            present: new Uint8Array(0),
          }
        : text,
    );
  }
  return { ...rows, texts };
}

it('is the same for columns with one text in all rows, told once or row by row', () => {
  const few = fc.constantFrom('web01', 'a b', '10.0.0.1', '7', 'x'.repeat(200), '{"k":"v1"}');
  const batch = fc.record({
    rows: fc.array(
      fc.record(
        {
          message: few,
          host: few,
          program: fc.constant('sshd'),
          'a:one': few,
          attrs: fc.constant('{"k":"1"}'),
        },
        { requiredKeys: [] },
      ),
      { minLength: 1, maxLength: 6 },
    ),
    all: fc.record({ message: few, host: few, 'a:two': few, attrs: few }, { requiredKeys: [] }),
  });
  fc.assert(
    fc.property(
      fc.array(batch, { minLength: 1, maxLength: 4 }),
      fc.boolean(),
      (batches, turned) => {
        const plain = new TextIndexBuilder();
        const short = new TextIndexBuilder();
        let n = 0;
        for (const { rows, all } of batches) {
          const together = indexRows(rows.map((row): TextRow => ({ ...row, ...all })));
          plain.add(together);
          short.add(shortened(together));
          n += rows.length;
        }
        const order = turned ? Uint32Array.from({ length: n }, (_, row) => n - 1 - row) : undefined;
        expect(short.finish(order)).toEqual(plain.finish(order));
      },
    ),
    { numRuns: 60 },
  );
});
