import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { knownField } from '../fields.ts';
import { type CutOptions, cutList } from './cut-list.ts';
import { readColumn } from './list-columns.ts';
import { readPlain } from './plain-list.ts';

const fieldOf = (name: string) => knownField(name.toLowerCase());

function optionsOf(fields: readonly string[] | undefined): CutOptions {
  return { fields, isField: (name) => fieldOf(name) !== undefined };
}

/** As it is read by cells. */
function byCells(text: string, fields: readonly string[] | undefined) {
  const { names = [], cells, lines } = cutList(text, optionsOf(fields));
  const columns = names.flatMap((name, at) => readColumn(fieldOf(name)!, cells[at]!, lines));
  return { names, lines, columns: columns.map(plainValues) };
}

function plainValues({ sides, address, forms, form, values }: ReturnType<typeof readColumn>[0]) {
  return { sides, address, forms, form: [...form], values: [...values] };
}

function plainly(text: string, fields: readonly string[] | undefined) {
  const read = readPlain(text, optionsOf(fields), fieldOf);
  return read && { ...read, columns: read.columns.map(plainValues) };
}

const ADDRESS = fc.oneof(
  { arbitrary: fc.ipV4(), weight: 12 },
  fc.constantFrom(
    '010.1.02.3',
    '10.0.0.0/8',
    '2001:db8::1',
    '10.0.0[.]1',
    '1.2.3',
    '1.2.3.4.5',
    '300.1.1.1',
    '1..2.3',
    '0001.2.3.4',
  ),
);
const PORT = fc.oneof(
  { arbitrary: fc.nat(65_535).map(String), weight: 12 },
  fc.constantFrom('65536', '00080', '0x50', '1e3', '', '-', '*', '-1', '8.5', '9'.repeat(16)),
);
const PROTO = fc.oneof(
  { arbitrary: fc.constantFrom('TCP', 'udp', '6', '17', 'icmp'), weight: 12 },
  fc.constantFrom('300', 'nothing', '#6', '"tcp"'),
);
const CELLS: Readonly<Record<string, fc.Arbitrary<string>>> = {
  ...{ src_ip: ADDRESS, ip: ADDRESS, dst_ip: ADDRESS },
  ...{ src_port: PORT, port: PORT, bytes: PORT, proto: PROTO },
};
const PLAIN: Readonly<Record<string, fc.Arbitrary<string>>> = {
  ...{ src_ip: fc.ipV4(), ip: fc.ipV4(), dst_ip: fc.ipV4() },
  ...{ src_port: fc.nat(65_535).map(String), port: fc.nat(65_535).map(String) },
  ...{ bytes: fc.nat().map(String), proto: fc.constantFrom('TCP', 'udp', '6') },
};

function lists(cells: typeof CELLS, end: fc.Arbitrary<string>) {
  return fc
    .uniqueArray(fc.constantFrom(...Object.keys(cells)), { minLength: 1, maxLength: 5 })
    .chain((names) =>
      fc.record({
        names: fc.constant(names),
        header: fc.boolean(),
        delimiter: fc.constantFrom(',', '\t', ';'),
        rows: fc.array(fc.tuple(fc.tuple(...names.map((name) => cells[name]!)), end), {
          minLength: 1,
          maxLength: 8,
        }),
      }),
    )
    .map(({ names, header, delimiter, rows }) => ({
      fields: header ? undefined : names,
      text: `${header ? `${names.join(delimiter)}\n` : ''}${rows
        .map(([row, after]) => row.join(delimiter) + after)
        .join('')}`,
    }));
}

describe('a list of addresses and numbers', () => {
  it('is what its cells are', () => {
    const ends = fc.constantFrom('\n', '\n', '\r\n', '\n\n', '\r\n\r\n');
    fc.assert(
      fc.property(lists(PLAIN, ends), ({ text, fields }) => {
        // What the first two lines do not tell is left to the reading by cells.
        fc.pre(!/^[^\n]*\n\r?\n/.test(text) || fields !== undefined);
        expect(plainly(text, fields)).toEqual(byCells(text, fields));
      }),
      { numRuns: 300 },
    );
  });

  it('is left alone, or read as its cells are, whatever is in it', () => {
    const ends = fc.constantFrom(
      ...Array<string>(12).fill('\n'),
      ' \n',
      '\r',
      '\n#\n',
      '\n \n',
      ',\n',
    );
    let plain = 0;
    fc.assert(
      fc.property(lists(CELLS, ends), ({ text, fields }) => {
        const read = plainly(text, fields);
        if (read === undefined) return;
        plain += 1;
        expect(read).toEqual(byCells(text, fields));
      }),
      { numRuns: 1500, seed: 4 },
    );
    expect(plain).toBeGreaterThan(50);
  });

  it('is read from the bytes that the text was, whatever they are', () => {
    const rows = '10.0.0.1,6\n10.0.0.2,tcp\n10.0.0.3,17\n';
    fc.assert(
      fc.property(fc.nat(rows.length - 1), fc.uint8Array({ maxLength: 3 }), (at, more) => {
        const bytes = Buffer.concat([
          Buffer.from(rows.slice(0, at)),
          more,
          Buffer.from(rows.slice(at + 1)),
        ]);
        const text = new TextDecoder().decode(bytes);
        const fields = ['src_ip', 'proto'];
        const read = readPlain(text, optionsOf(fields), fieldOf, bytes);
        expect(read && { ...read, columns: read.columns.map(plainValues) }).toEqual(
          plainly(text, fields),
        );
      }),
      { numRuns: 300 },
    );
  });

  it.each([
    ['a header of which some columns count', 'src_ip,proto\n10.0.0.1,6\n', ['proto']],
    ['a list of one value a line without a name', '10.0.0.1\n10.0.0.2\n', undefined],
    ['remarks', '# a list\n10.0.0.1,6\n', ['src_ip', 'proto']],
    ['texts', 'host,src_ip\nweb,10.0.0.1\n', undefined],
    ['nothing but a header', 'src_ip,proto\n\n', undefined],
  ])('is not %s', (_, text, fields) => {
    expect(plainly(text, fields)).toBeUndefined();
  });
});
