import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, expect, it } from 'vitest';
import { DaybookError } from '../../contract/errors.ts';
import { SideFile, type Section, writeSideFile } from '../side-file.ts';
import { TextIndexBuilder } from './write/builder.ts';
import { TextCache } from './text-cache.ts';
import { TextIndex } from './text-index.ts';
import type { TextQuery } from './search/text-query.ts';
import { type TextRow, indexRows } from './testing/index-rows.ts';

const folder = mkdtempSync(join(tmpdir(), 'text-index-'));
afterAll(() => rmSync(folder, { recursive: true }));
let files = 0;

function sectionsOf(rows: readonly TextRow[], order?: Uint32Array, batch = 1000): Section[] {
  const builder = new TextIndexBuilder();
  for (let at = 0; at < rows.length; at += batch) {
    builder.add(indexRows(rows.slice(at, at + batch)));
  }
  return builder.finish(order).sections;
}

function withIndex<T>(
  rows: number,
  sections: readonly Section[],
  use: (index: TextIndex) => T,
  cache: TextCache = new TextCache(),
): T {
  const path = join(folder, `${(files += 1)}.idx`);
  writeSideFile(path, rows, sections);
  const file = SideFile.open(path)!;
  try {
    return use(TextIndex.open(file, cache)!);
  } finally {
    file.close();
    rmSync(path);
  }
}

// -- the same question, asked row by row, as engine/query/filters/text.ts asks RE2 -----------------

const CHAR = '[\\w\\u0080-\\u{10ffff}]';
const OTHER = '[^\\w\\u0080-\\u{10ffff}]';
const SEARCHED = ['message', 'host', 'program', 'event_type'];

function parse(text: string, quoted: boolean): TextQuery | undefined {
  const tokens: { text: string; wildcard: boolean }[] = [];
  const between: string[] = [];
  let end = 0;
  const pattern = quoted ? /[\w\u0080-\u{10ffff}]+/gu : /[\w*?\u0080-\u{10ffff}]+/gu;
  for (const found of text.matchAll(pattern)) {
    if (tokens.length > 0) between.push(text.slice(end, found.index));
    tokens.push({ text: found[0], wildcard: !quoted && /[*?]/.test(found[0]) });
    end = found.index + found[0].length;
  }
  return tokens.length === 0 ? undefined : { tokens, between };
}

function expression({ tokens, between }: TextQuery): RegExp {
  const escaped = (text: string): string =>
    [...text].map((char) => `\\u{${char.codePointAt(0)!.toString(16)}}`).join('');
  let out = `(?:^|${OTHER})`;
  tokens.forEach(({ text, wildcard }, i) => {
    if (!wildcard) out += escaped(text);
    else if (/^\*+$/.test(text)) out += `${CHAR}+`;
    else
      out += [...text]
        .map((char) => (char === '*' ? `${CHAR}*` : char === '?' ? CHAR : escaped(char)))
        .join('');
    if (i < between.length) out += escaped(between[i]!);
  });
  return new RegExp(`${out}(?:${OTHER}|$)`, 'iu');
}

function valuesOf(row: TextRow, column: string | undefined): string[] {
  if (column !== undefined) return row[column] === undefined ? [] : [row[column]];
  return Object.entries(row).flatMap(([name, value]) => {
    if (name === 'attrs') return Object.values(JSON.parse(value) as Record<string, string>);
    return SEARCHED.includes(name) || name.startsWith('a:') ? [value] : [];
  });
}

function scan(rows: readonly TextRow[], query: TextQuery, column?: string): number[] {
  const pattern = expression(query);
  return rows.flatMap((row, i) =>
    valuesOf(row, column).some((value) => pattern.test(value)) ? [i] : [],
  );
}

function expectSame(
  index: TextIndex,
  rows: readonly TextRow[],
  text: string,
  column?: string,
): void {
  for (const quoted of [false, true]) {
    const query = parse(text, quoted);
    if (query === undefined) continue;
    const answer = index.search(query, column)!;
    const found = [...answer.rows.slice(0, answer.rows.count)];
    const wanted = scan(rows, query, column);
    const said = { text, quoted, column };
    if (answer.exact) expect({ ...said, found }).toEqual({ ...said, found: wanted });
    else {
      const missing = wanted.filter((row) => !found.includes(row));
      expect({ ...said, missing }).toEqual({ ...said, missing: [] });
    }
  }
}

// -- generated rows ---------------------------------------------------------------------------------

const WORDS = [
  ...[
    'a',
    'A',
    'fail',
    'Failed',
    'FAILED',
    'failure',
    'ssh',
    'ſsh',
    'SSH',
    'Kelvin',
    '\u212aelvin',
  ],
  ...[
    'ß',
    'ẞ',
    'İ',
    'i',
    'ı',
    'I',
    'σ',
    'ς',
    'Σ',
    'naïve',
    'NAÏVE',
    '日本語',
    '🦊',
    'a\u0301',
    'Ⱥ',
    'ⱥ',
  ],
  ...[
    '0',
    '00',
    '007',
    '1',
    '10',
    '12',
    '123',
    '99999',
    '100000',
    '123456',
    '123456789',
    '1234567890',
  ],
  ...[
    'user1',
    'User12',
    'x86_64',
    '_',
    '__',
    'e1',
    'root',
    'the',
    'of',
    'port',
    'from',
    '\uffff',
    'Ω',
    'Ω',
  ],
  ...['z'.repeat(64), 'z'.repeat(65), 'Z'.repeat(66), `${'z'.repeat(70)}q`, `${'1'.repeat(80)}`],
  ...['ß'.repeat(40), '\u212a'.repeat(30), 'k'.repeat(30), '\u212a'.repeat(21), 'k'.repeat(21)],
];
const word = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...WORDS) },
  { weight: 1, arbitrary: fc.nat(300).map(String) },
  { weight: 1, arbitrary: fc.string({ unit: 'grapheme', maxLength: 6 }) },
);
const gap = fc.constantFrom(' ', ' ', ' ', '.', '/', ': ', '-', '\n', '\0', '', '=', '\u0007', '@');
const text = fc
  .array(fc.tuple(word, gap), { maxLength: 8 })
  .map((parts) => parts.flat().join('').toWellFormed());
/** Similar texts: a fixed beginning and a varying rest. */
const alike = fc
  .tuple(fc.constantFrom('Failed password for ', 'from 10.', 'a-b/c '), word, fc.nat(4))
  .map(([start, some, number]) => `${start}${some} port ${number} x`.toWellFormed());
const row = fc
  .record(
    {
      message: fc.oneof(text, alike, alike),
      host: fc.oneof(fc.constantFrom('web01', 'WEB01', 'db', ''), word),
      program: fc.constantFrom('sshd', 'kernel', '10'),
      event_type: text,
      service: text,
      'a:user': word,
      'a:path': text,
      attrs: fc
        .dictionary(fc.string({ maxLength: 3 }), text, { maxKeys: 3 })
        .map((values) => JSON.stringify({ ...values })),
    },
    { requiredKeys: [] },
  )
  .map((values): TextRow => values);
const wild = fc
  .tuple(word, fc.nat(8), fc.nat(8), fc.constantFrom('*', '?', '**', '*?'))
  .map(([some, from, length, sign]) => {
    const chars = [...some];
    chars.splice(from % (chars.length + 1), length % 4, sign);
    return chars.join('');
  });
const question = fc.oneof(
  word,
  wild,
  fc.tuple(wild, wild).map(([a, b]) => `${a}${b}`),
  fc.tuple(word, gap, word).map((parts) => parts.join('')),
  fc.tuple(word, gap, wild, gap, word).map((parts) => parts.join('')),
  fc.constantFrom('*', '?', '*?', '**', '?*?', '*?*', 'failed password', 'for*port', 'z*q', '10.1'),
);
const column = fc.constantFrom(undefined, undefined, ...SEARCHED);

it('says the same as asking row by row', () => {
  fc.assert(
    fc.property(
      fc.array(row, { minLength: 1, maxLength: 60 }),
      fc.array(fc.tuple(question, column), { minLength: 20, maxLength: 40 }),
      fc.infiniteStream(fc.nat()),
      fc.boolean(),
      (came, questions, keys, mixed) => {
        const order = Uint32Array.from(came, (_, i) => i);
        if (mixed) {
          const by = came.map(() => keys.next().value as number);
          order.sort((a, b) => by[a]! - by[b]! || a - b);
        }
        const rows = Array.from(order, (at) => came[at]!);
        withIndex(rows.length, sectionsOf(came, mixed ? order : undefined, 17), (index) => {
          for (const [asked, of] of questions) expectSame(index, rows, asked, of);
        });
      },
    ),
    { numRuns: 100 },
  );
});

it('reads lists of every kind', () => {
  const bits = (i: number): number => (Math.imul(i + 1, 0x9e3779b1) >>> 8) % 1000;
  const rows = Array.from({ length: 12_000 }, (_, i): TextRow => {
    const words = [950, 500, 200, 90, 20].map((most) => (bits(i * most) < most ? 'a' : 'b') + most);
    return { message: `${words.join(' ')} c${i >>> 9} d${i % 2000 < 1700 ? 1 : 0}` };
  });
  const asked = ['a950', 'b950', 'a500', 'b500', 'a200', 'a90', 'b90', 'a20', 'c7', 'd0', 'd1'];
  withIndex(rows.length, sectionsOf(rows), (index) => {
    for (const text of asked) {
      expectSame(index, rows, text);
      const { rows: found } = index.search(parse(text, true)!)!;
      expect(found.count).toBeGreaterThan(0);
      expect(found.count).toBeLessThan(rows.length);
    }
  });
});

it('finds digits within numbers', () => {
  const rows = Array.from({ length: 1300 }, (_, i): TextRow => ({ message: `n ${i}` }));
  rows.push({ message: '05' }, { message: 'x05' }, { message: '1005' }, { message: '999999999' });
  withIndex(rows.length, sectionsOf(rows), (index) => {
    for (const digits of ['0', '00', '5', '05', '23', '100', '1299', '000', '999999999', '9']) {
      for (const asked of [
        `*${digits}`,
        `*${digits}*`,
        `${digits}*`,
        `*${digits}?`,
        `?${digits}`,
      ]) {
        expectSame(index, rows, asked);
      }
    }
  });
});

it('finds words of which only the beginning is kept', () => {
  const long = 'abcdefgh'.repeat(10);
  const rows = [
    { message: `x ${long}q1` },
    { message: `${long.slice(0, 64)}` },
    { message: 'abc' },
  ];
  withIndex(3, sectionsOf(rows), (index) => {
    for (const asked of [`${long}q1`, `${long}*`, `${long.slice(0, 70)}?*`, '*q1', `${long}`]) {
      expectSame(index, rows, asked);
    }
  });
});

/** Twenty of each kind of text, so that phrases are searched in shapes. */
const alikeRows = Array.from({ length: 60 }, (_, i): TextRow => {
  if (i % 3 === 0) return { message: `Failed password for user${i % 6} port ${i}`, host: 'a.b' };
  if (i % 3 === 1) return { message: `password: failed for root port ${i} a-b`, host: 'b.a' };
  return { message: `port ${i % 4} failed; password 7 for root`, host: 'web' };
});

it.each([
  ['"failed password"', 20, true],
  ['"password for"', 20, true],
  ['"password 7"', 20, true],
  ['"failed for root"', 20, true],
  ['"for root port"', 20, true],
  ['pass*:?failed', 0, true],
  ['"password failed"', 0, true],
  ['"a.b"', 20, true],
  ['"a-b"', 20, true],
  ['"a b"', 0, true],
  // One place is open.
  ['"port 1"', 6, true],
  ['"root port 7"', 1, true],
  ['failed', 60, true],
  // Two are, and few rows have such messages.
  ['"port 6"', undefined, false],
])('phrase %s', (asked, count, exact) => {
  withIndex(60, sectionsOf(alikeRows), (index) => {
    const query = parse(asked.replaceAll('"', ''), asked.startsWith('"'))!;
    const answer = index.search(query)!;
    expect(answer.exact).toBe(exact);
    if (count !== undefined) expect(answer.rows.count).toBe(count);
    expectSame(index, alikeRows, asked.replaceAll('"', ''));
  });
});

/** Messages with more than one open place, whether their words are in parts of the line that are cut or not. */
const places = Array.from({ length: 900 }, (_, i): TextRow => {
  const name = ['alice', 'bob', 'zoë', 'Kim'][i % 4]!;
  if (i % 3 === 0)
    return {
      message: `login of user${i % 30} from host${i % 7} at 10.0.${i % 5}.${i % 9}`,
      host: 'h',
    };
  if (i % 3 === 1)
    return { message: `${name}${i % 11} gave ${name}${i % 13} port ${i % 12}x of ${i % 40}` };
  return { message: `key ${(i * 7919).toString(36)}1 of id${i % 10}`, 'a:user': `user${i % 30}` };
});

it.each([
  // No other place has words that begin so.
  ['"of user3"', 'message', true],
  ['"from host3"', 'message', true],
  ['"of USER3 from HOST3"', 'message', true],
  ['of:user*', 'message', true],
  ['"login of user3 from"', undefined, true],
  ['"of user3"', undefined, true],
  ['"of id3"', undefined, false],
  // The words of two places have the same bounds, and numbers may be anywhere.
  ['"gave bob4"', 'message', false],
  ['"at 10.0.3"', 'message', false],
  ['"port 3x"', 'message', true],
  ['"port 1x of 17"', 'message', false],
  ['"of user99"', 'message', true],
])('words in their places: %s in %s', (asked, of, exact) => {
  const order = Uint32Array.from(places, (_, i) => (i * 7) % places.length);
  const sorted = Array.from(order, (at) => places[at]!);
  withIndex(places.length, sectionsOf(places, order), (index) => {
    const text = asked.replaceAll('"', '').replace(':', ' ');
    const query = parse(text, asked.startsWith('"'))!;
    expect(index.search(query, of)!.exact).toBe(exact);
    expectSame(index, sorted, text, of);
  });
});

it.each([
  // Each of the words is in a few rows, and no row has all of them.
  ['"mark 100 200 300"', 0, true],
  // Only reading the row decides: nearly all have the other word.
  ['"mark 100"', 6, false],
])('phrases of rare words in many shapes: %s', (asked, count, exact) => {
  const rows = Array.from({ length: 2400 }, (_, i): TextRow => {
    // Too many unique texts.
    const name = String.fromCharCode(0x61 + (i % 26), 0x61 + ((i / 26) % 26));
    const mark = i < 6 ? 100 : i < 100 ? 200 : i < 200 ? 300 : 400;
    return { message: `mark ${name.repeat(3)}_: ${i % 2 === 0 ? 'so' : 'no'} ${mark}`, host: name };
  });
  withIndex(rows.length, sectionsOf(rows), (index) => {
    const text = asked.replaceAll('"', '');
    const answer = index.search(parse(text, true)!)!;
    expect({ count: answer.rows.count, exact: answer.exact }).toEqual({ count, exact });
    expectSame(index, rows, text);
  });
});

it('phrases over several open places are as they are row by row', () => {
  const part = fc.constantFrom(
    ...[
      'user3',
      'user*',
      'host3',
      'HOST6',
      'of',
      'from',
      'bob4',
      'bob*',
      'k*',
      'gave',
      'port',
      '3x',
      '?x',
      '10',
      '0',
      '3',
    ],
    ...['at', 'id3', 'login', 'zoë1', '1*', 'alice0'],
  );
  const asked = fc.tuple(part, fc.constantFrom(' ', '.'), part, fc.constantFrom('', ' of', ' 3'));
  withIndex(places.length, sectionsOf(places), (index) => {
    fc.assert(
      fc.property(asked, fc.constantFrom(undefined, 'message'), (parts, of) =>
        expectSame(index, places, parts.join(''), of),
      ),
      { numRuns: 300 },
    );
  });
});

it('knows the program by the message', () => {
  const rows = Array.from({ length: 400 }, (_, i): TextRow => {
    if (i % 4 === 0) return { message: `started ${i}`, program: 'init', host: `h${i % 3}` };
    if (i % 4 === 1) return { message: `Failed password ${i}`, program: 'sshd', host: 'h1' };
    if (i % 4 === 2) return { message: `session ${i} opened`, program: 'sshd', host: 'h2' };
    return i % 8 === 3 ? { message: `odd ${i}`, program: 'sshd' } : { message: `odd ${i}` };
  });
  const order = Uint32Array.from(rows, (_, i) => (i * 7) % 400);
  const sorted = Array.from(order, (at) => rows[at]!);
  withIndex(400, sectionsOf(rows, order), (index) => {
    for (const asked of ['sshd', 'init', 'h1', 'h2', '*ss*', 'odd', 's*', 'h1 h2', 'i?it']) {
      for (const of of [undefined, 'program', 'host', 'message']) {
        expectSame(index, sorted, asked, of);
      }
    }
    expect(index.search(parse('sshd', true)!, 'program')).toMatchObject({
      exact: true,
      rows: { count: 250 },
    });
  });
});

it('says what cannot be known of a column of its own', () => {
  withIndex(60, sectionsOf(alikeRows), (index) => {
    expect(index.search(parse('a', true)!, 'service')).toBeUndefined();
    expect(index.search(parse('a', true)!, 'a:user')).toBeUndefined();
    expect(index.search(parse('web', true)!, 'host')).toMatchObject({ exact: true });
    expect(index.search(parse('web', true)!, 'message')!.rows.count).toBe(0);
  });
});

it('lists the patterns of the message', () => {
  withIndex(60, sectionsOf(alikeRows), (index) => {
    expect(index.patterns().sort((a, b) => a.first - b.first)).toMatchObject([
      {
        column: 'message',
        parts: ['Failed password for ', ' port ', ''],
        count: 20,
        first: 0,
        last: 57,
      },
      {
        column: 'message',
        parts: ['password: failed for root port ', ' a-b'],
        count: 20,
        first: 1,
        last: 58,
      },
      {
        column: 'message',
        parts: ['port ', ' failed; password 7 for root'],
        count: 20,
        first: 2,
        last: 59,
      },
    ]);
  });
});

// -- evidence that means harm ------------------------------------------------------------------------

/** Rows that fill every section: numbers, words, lists of their own, shapes, free texts. */
const manyRows = Array.from({ length: 3000 }, (_, i): TextRow => {
  const message = `request ${i % 7} from host${i % 40} took ${i * 37}ms id x${(i * 7919) % 65_521}`;
  return i % 5 === 0 ? { message, 'a:user': `u${i % 3}` } : { message, host: `h${i % 2}` };
});

it('takes damage for damage', () => {
  const sections = sectionsOf(manyRows);
  const asked = ['request', '3', 'host7', 'host*', '*9', '*?', 'h1', 'u1', 'took 37ms', 'x7919'];
  const right = withIndex(3000, sections, (index) =>
    asked.map((text) => [...index.search(parse(text, false)!)!.rows.toWords()]),
  );
  let damaged = 0;
  const tryOut = (broken: Section[]): void => {
    for (const [i, text] of asked.entries()) {
      try {
        withIndex(3000, broken, (index) => {
          const found = index?.search(parse(text, false)!);
          if (found !== undefined) expect([...found.rows.toWords()]).toEqual(right[i]);
        });
      } catch (error) {
        if (!(error instanceof DaybookError)) throw error;
        expect(error.code).toBe('case-damaged');
        damaged += 1;
      }
    }
  };
  for (const [which, { bytes }] of sections.entries()) {
    for (let turn = 0; turn < 12; turn++) {
      const at = Math.floor((bytes.length * (turn * 2 + 1)) / 24);
      const broken = sections.map((section) => ({ ...section }));
      const changed = bytes.slice();
      changed[at]! ^= 1 << (turn & 7);
      broken[which] = { name: sections[which]!.name, bytes: changed };
      tryOut(broken);
      broken[which] = { name: sections[which]!.name, bytes: bytes.slice(0, at) };
      tryOut(broken);
    }
    tryOut(sections.filter((_, i) => i !== which));
  }
  expect(damaged).toBeGreaterThan(200);
});

it('keeps to the bytes it is given', () => {
  const cache = new TextCache(50_000);
  withIndex(
    3000,
    sectionsOf(manyRows),
    (index) => {
      for (let i = 0; i < 60; i++) {
        expectSame(index, manyRows, i % 2 === 0 ? `host${i % 40}` : `*${i}`);
        expect(cache.bytes).toBeLessThanOrEqual(50_000);
      }
      index.close();
      expect(cache.bytes).toBe(0);
    },
    cache,
  );
});

it('is not slowed down by tokens that are many or large', () => {
  const rows: TextRow[] = [
    { message: Array.from({ length: 200_000 }, (_, i) => `t${i}`).join(' ') },
    { message: `${'y'.repeat(1_000_000)} end` },
    { message: '\u0000'.repeat(1000) },
    {},
    ...Array.from({ length: 300 }, (_, i) => ({ [`a:n${i}`]: `v${i} common` })),
  ];
  withIndex(rows.length, sectionsOf(rows), (index) => {
    for (const asked of ['t199999', 'end', 'y*', 'common', 'v299', '*?', 'u0000', 'yyy']) {
      expectSame(index, rows, asked);
    }
  });
});
