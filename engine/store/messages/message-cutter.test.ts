import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CutRows, Width } from './cut-rows.ts';
import { MessageCutter } from './message-cutter.ts';

/** The value of the column of process identifiers: the first number in brackets, sometimes another one. */
function pidOf(text: string): number {
  const found = /\[(\d{1,9})\]/.exec(text);
  if (found === null) return -1;
  return Number(found[1]) + Number(text.endsWith('!'));
}

/** Messages after cutting and assembling, with the number of those that were cut. */
function cutAndJoin(groups: readonly (readonly string[])[]): { messages: string[]; cut: number } {
  const rows = new CutRows();
  const cutter = new MessageCutter(rows);
  const messages: string[] = [];
  for (const group of groups) {
    cutter.begin(group.length);
    const shapes = group.map((text, row) => {
      // Texts are between others.
      const bytes = Buffer.from(`7${text}7`);
      return cutter.add(row, bytes, 1, bytes.length - 1, pidOf(text)) ? cutter.number : 0;
    });
    const at = [0, 0, 0, 0];
    let textAt = 0;
    shapes.forEach((number, row) => {
      const counts = [...rows.numbers.map((list) => list.counts[row]!), rows.texts.counts[row]!];
      if (number === 0) {
        expect(counts).toEqual([0, 0, 0, 0]);
        messages.push(group[row]!);
        return;
      }
      const { constants, widths } = cutter.shapes[number - 1]!;
      expect(counts).toEqual([0, 1, 2, 3].map((w) => widths.filter((one) => one === w).length));
      let text = constants[0]!;
      widths.forEach((width, i) => {
        if (width === Width.pid) text += String(pidOf(group[row]!));
        else if (width === Width.text) {
          const length = new DataView(rows.texts.data.buffer).getUint32(textAt, true);
          text += Buffer.from(rows.texts.data.subarray(textAt + 4, textAt + 4 + length)).toString();
          textAt += 4 + length;
        } else {
          const value = rows.numbers[width].values[at[width]!++]!;
          expect(value).toBeLessThan(2 ** [8, 16, 32][width]!);
          text += String(value);
        }
        text += constants[i + 1]!;
      });
      messages.push(text);
    });
    expect(at.slice(0, 3)).toEqual(rows.numbers.map(({ used }) => used));
    expect(textAt).toBe(rows.texts.size);
  }
  return { messages, cut: cutter.cut };
}

const NUMBER = fc.oneof(
  fc.integer({ min: 0, max: 300 }).map(String),
  fc.constantFrom('0', '00', '007', '255', '256', '65535', '65536', '4294967295', '4294967296'),
  fc.constantFrom('18446744073709551615', '99999999999999999999', '-1', '1.5', '1e5'),
);
const PIECE = fc.oneof(
  NUMBER,
  fc.constantFrom(
    'user',
    'a',
    '_',
    ' ',
    '  ',
    "'",
    '"',
    '%',
    '{}',
    '\0',
    '\u0001',
    '\n',
    'é',
    '日本',
    '😀',
  ),
  fc.string({ unit: 'binary', maxLength: 3 }).map((text) => text.toWellFormed()),
);
/** Messages of a few templates with variable pieces, like those of logs. */
const TEMPLATE = fc.array(
  fc.constantFrom('x ', ' port ', 'user', ': ', '', "it's ", 'é ', 'x[7]', 'y[70', ']!'),
  {
    minLength: 1,
    maxLength: 4,
  },
);
const MESSAGES = fc
  .tuple(fc.array(TEMPLATE, { minLength: 1, maxLength: 3 }), fc.infiniteStream(PIECE))
  .chain(([templates, pieces]) =>
    fc
      .array(fc.integer({ min: 0, max: templates.length - 1 }), { maxLength: 120 })
      .map((which) =>
        which.map((i) => templates[i]!.map((text) => text + pieces.next().value!).join('')),
      ),
  );

describe('MessageCutter', () => {
  it('gives every message back, whatever it is', () => {
    fc.assert(
      fc.property(fc.array(MESSAGES, { maxLength: 3 }), (groups) => {
        expect(cutAndJoin(groups).messages).toEqual(groups.flat());
      }),
      { numRuns: 300 },
    );
  });

  it.each([
    ['numbers that grow', (i: number) => `took ${2 ** (i % 40)} ms`],
    ['numbers that become words', (i: number) => `id ${i < 500 ? i : `x${i}`} done`],
    ['zeros before', (i: number) => `code ${String(i).padStart(4, '0')}`],
    ['addresses', (i: number) => `from 10.0.${i >> 8}.${i & 255} port ${i}`],
    ['words beyond ASCII', (i: number) => `für Bénédicte${i} 日本${i}`],
    ['a constant that changes late', (i: number) => `version ${i < 900 ? 1 : 2} of ${i}`],
    ['process identifiers', (i: number) => `app[${i * 77}]: done ${i}`],
    ['process identifiers that are others later', (i: number) => `a[${i}] b${i < 600 ? '' : '!'}`],
    ['quotes', (i: number) => `it's '${i}' "x" \\ %s`],
  ])('cuts %s', (_, message) => {
    const group = Array.from({ length: 1000 }, (__, i) => message(i));
    const { messages, cut } = cutAndJoin([group.slice(0, 700), group.slice(700)]);
    expect(messages).toEqual(group);
    expect(cut).toBeGreaterThan(900);
  });

  it('leaves a process identifier to its column', () => {
    const cutter = new MessageCutter(new CutRows());
    cutter.begin(100);
    for (let i = 0; i < 100; i++) {
      const bytes = Buffer.from(`app[${i * 999}]: user${i}`);
      cutter.add(i, bytes, 0, bytes.length, i * 999);
    }
    expect(cutter.shapes).toEqual([
      { constants: ['app[', ']: user', ''], widths: [Width.pid, Width.u8] },
    ]);
  });

  it('puts what never changes into the text of the shape', () => {
    const cutter = new MessageCutter(new CutRows());
    cutter.begin(100);
    for (let i = 0; i < 100; i++) {
      const bytes = Buffer.from(`eth0: 16:3e:5a user${i} port ${i * 999} of 443`);
      cutter.add(i, bytes, 0, bytes.length, -1);
    }
    expect(cutter.shapes.at(-1)).toEqual({
      constants: ['eth0: 16:3e:5a user', ' port ', ' of 443'],
      widths: [Width.u8, Width.u32],
    });
  });

  it.each([
    [
      'free text',
      (i: number) =>
        `${'abcdefghij'.repeat(1 + (i % 7))} ${i.toString(36)} words ${(i * 7919).toString(36)}`,
      400,
    ],
    ['every message of another form', (i: number) => '-'.repeat(1 + (i % 1999)) + String(i), 400],
    [
      'a message of many variables',
      (i: number) => Array.from({ length: 100 }, (_, k) => i + k).join(' '),
      0,
    ],
    ['long messages', (i: number) => `${'x'.repeat(3000)} ${i}`, 0],
  ])('keeps what does not pay whole, within bounds: %s', (_, message, most) => {
    const cutter = new MessageCutter(new CutRows());
    for (let group = 0; group < 4; group++) {
      cutter.begin(5000);
      for (let i = 0; i < 5000; i++) {
        const bytes = Buffer.from(message(group * 5000 + i));
        cutter.add(i, bytes, 0, bytes.length, -1);
      }
    }
    expect(cutter.shapes.length).toBeLessThanOrEqual(most);
    if (most === 0) expect(cutter.cut).toBe(0);
  });
});
