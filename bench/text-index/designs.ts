/**
 * The designs that were compared: `shapes` is the product's, `fts5` SQLite's, the other two are as
 * small as they can be and be measured.
 */
import { join } from 'node:path';
import { rmSync } from 'node:fs';
import Database from 'better-sqlite3';
import { RowSet } from '../../engine/util/row-set.ts';
import { SideFile, writeSideFile } from '../../engine/index/side-file.ts';
import { BitWriter } from '../../engine/util/bit-codec.ts';
import { ByteWriter } from '../../engine/index/text/format/bytes.ts';
import { TextCache, TextIndex, TextIndexBuilder } from '../../engine/index/text/index.ts';
import { packed } from '../../engine/index/text/format/packed.ts';
import { writeRows } from '../../engine/index/text/format/row-list.ts';
import { HASH_SEED, hashByte, scramble } from '../../engine/util/hash-table/hash.ts';
import { BYTE_CLASS } from '../../engine/util/tokens.ts';
import { FIRST_STRING, TokenTable } from '../../engine/index/text/write/token-table.ts';

/** Lines with all of these words; of one word, `prefix` and `leading` mean WORD* and *WORD. */
export interface Question {
  readonly words: readonly string[];
  readonly prefix: boolean;
  readonly leading: boolean;
}

interface Built {
  readonly bytes: number;
  count(question: Question): number;
  close(): void;
}

export interface Design {
  readonly name: string;
  build(lines: readonly Buffer[], folder: string): Built;
}

const BATCH = 122_880;

/** Templates and open tokens, as the product has it. */
const shapes: Design = {
  name: 'shapes',
  build(lines, folder) {
    const builder = new TextIndexBuilder();
    for (let from = 0; from < lines.length; from += BATCH) {
      const some = lines.slice(from, from + BATCH);
      const data = Buffer.alloc(some.reduce((sum, line) => sum + line.length + 4, 0));
      const starts = new Uint32Array(some.length);
      let size = 0;
      some.forEach((line, i) => {
        starts[i] = size;
        size = data.writeUInt32LE(line.length, size);
        size += line.copy(data, size);
      });
      const message = { data, starts, present: new Uint8Array(some.length).fill(1) };
      builder.add({
        kind: 'log',
        length: some.length,
        texts: new Map([['message', message]]),
        numbers: new Map(),
        ip6: new Map(),
      });
    }
    const path = join(folder, 'shapes.idx');
    const bytes = writeSideFile(path, lines.length, builder.finish(undefined).sections);
    return {
      bytes,
      count: ({ words, prefix, leading }) => {
        // Nothing is kept from the question before: the file is opened, and all that is needed read.
        const file = SideFile.open(path)!;
        const index = TextIndex.open(file, new TextCache())!;
        let rows = RowSet.all(lines.length);
        for (const word of words) {
          const text = leading ? `*${word}` : prefix ? `${word}*` : word;
          const tokens = [{ text, wildcard: prefix || leading }];
          rows = rows.and(index.search({ tokens, between: [] })!.rows);
        }
        file.close();
        return rows.count;
      },
      close: () => undefined,
    };
  },
};

/** Calls back for each token of a line in lower case, hashed. */
function forTokens(line: Buffer, visit: (start: number, end: number, hash: number) => void): void {
  for (let i = 0; i < line.length;) {
    if (BYTE_CLASS[line[i]!] === 0) {
      i += 1;
      continue;
    }
    const start = i;
    let hash = HASH_SEED;
    for (; i < line.length && BYTE_CLASS[line[i]!] !== 0; i++) {
      hash = hashByte(hash, lower(line[i]!));
    }
    visit(start, i, hash);
  }
}

const lower = (byte: number): number => (byte >= 0x41 && byte <= 0x5a ? byte | 0x20 : byte);

function inLowerCase(line: Buffer): Buffer {
  return Buffer.from(line.map(lower));
}

/** The lines of every token. */
const postings: Design = {
  name: 'postings',
  build(lines) {
    const table = new TokenTable();
    let items = new Uint32Array(1 << 20);
    let used = 0;
    const starts = new Uint32Array(lines.length + 1);
    lines.forEach((line, row) => {
      const folded = inLowerCase(line);
      starts[row] = used;
      forTokens(folded, (start, end, hash) => {
        if (used === items.length) {
          const bigger = new Uint32Array(used * 2);
          bigger.set(items);
          items = bigger;
        }
        items[used++] = table.string(folded, start, end, hash) - FIRST_STRING;
      });
    });
    starts[lines.length] = used;
    const counts = new Uint32Array(table.strings + 1);
    for (let i = 0; i < used; i++) counts[items[i]! + 1]! += 1;
    for (let i = 0; i < table.strings; i++) counts[i + 1]! += counts[i]!;
    const ends = counts.slice();
    const rows = new Uint32Array(used);
    for (let row = 0; row < lines.length; row++) {
      for (let i = starts[row]!; i < starts[row + 1]!; i++) {
        const id = items[i]!;
        if (ends[id]! > counts[id]! && rows[ends[id]! - 1] === row) continue;
        rows[ends[id]!] = row;
        ends[id]! += 1;
      }
    }
    const words = Array.from({ length: table.strings }, (_, id) =>
      Buffer.from(table.text(id + FIRST_STRING)).toString('latin1'),
    );
    const order = words.map((_, id) => id).sort((a, b) => (words[a]! < words[b]! ? -1 : 1));
    const bits = new BitWriter();
    const keys = new ByteWriter();
    let before = '';
    for (const id of order) {
      const word = words[id]!;
      let common = 0;
      while (common < before.length && before[common] === word[common]) common += 1;
      keys.number(common);
      keys.string(Buffer.from(word.slice(common), 'latin1'));
      before = word;
      bits.expGolomb(ends[id]! - counts[id]!, 0);
      writeRows(bits, rows, counts[id]!, ends[id]!, lines.length);
    }
    const byWord = new Map(words.map((word, id) => [word, id]));
    const listOf = (id: number): RowSet =>
      RowSet.ofSorted(rows.slice(counts[id], ends[id]), lines.length);
    const sorted = order.map((id) => words[id]!);
    return {
      bytes: bits.bits / 8 + packed(keys.bytes()).length,
      count: ({ words: wanted, prefix, leading }) => {
        if (!prefix && !leading) {
          let set = RowSet.all(lines.length);
          for (const word of wanted) {
            const id = byWord.get(word);
            set = id === undefined ? RowSet.none(lines.length) : set.and(listOf(id));
          }
          return set.count;
        }
        const word = wanted[0]!;
        let from = 0;
        let to = sorted.length;
        if (prefix) {
          from = firstNotBefore(sorted, word);
          to = firstNotBefore(sorted, `${word}\u{7f}`);
        }
        const marks = new Uint32Array((lines.length + 31) >>> 5);
        for (let at = from; at < to; at++) {
          if (leading && !sorted[at]!.endsWith(word)) continue;
          listOf(order[at]!).orInto(marks);
        }
        return RowSet.ofWords(marks, lines.length).count;
      },
      close: () => undefined,
    };
  },
};

function firstNotBefore(sorted: readonly string[], word: string): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (sorted[middle]! < word) low = middle + 1;
    else high = middle;
  }
  return low;
}

const BLOCK = 1024;
const BITS_A_TOKEN = 16;
const HASHES = 6;

/** A Bloom filter of the tokens of each 1,024 lines; the lines of blocks that may have a token are read. */
const blocks: Design = {
  name: 'blocks',
  build(lines) {
    const filters: Uint32Array[] = [];
    for (let from = 0; from < lines.length; from += BLOCK) {
      const hashes = new Set<number>();
      for (const line of lines.slice(from, from + BLOCK)) {
        forTokens(line, (_start, _end, hash) => void hashes.add(scramble(hash)));
      }
      const filter = new Uint32Array(Math.max(1, Math.ceil((hashes.size * BITS_A_TOKEN) / 32)));
      for (const hash of hashes) eachBit(hash, filter, (word, bit) => (filter[word]! |= bit) !== 0);
      filters.push(filter);
    }
    const text = lines.map((line) => line.toString('latin1'));
    return {
      bytes: filters.reduce((sum, filter) => sum + filter.byteLength, 0),
      count: ({ words, prefix, leading }) => {
        const patterns = words.map(
          (word) =>
            new RegExp(`(?:^|\\W)${leading ? '\\w*' : ''}${word}${prefix ? '' : '(?:\\W|$)'}`, 'i'),
        );
        const hashes = words.map((word) => {
          let hash = HASH_SEED;
          for (const byte of Buffer.from(word)) hash = hashByte(hash, byte);
          return scramble(hash);
        });
        let found = 0;
        filters.forEach((filter, block) => {
          // Prefixes and suffixes of words are in no filter.
          if (!prefix && !leading) {
            const may = hashes.every((hash) =>
              eachBit(hash, filter, (word, bit) => (filter[word]! & bit) !== 0),
            );
            if (!may) return;
          }
          const to = Math.min(text.length, (block + 1) * BLOCK);
          for (let row = block * BLOCK; row < to; row++) {
            if (patterns.every((pattern) => pattern.test(text[row]!))) found += 1;
          }
        });
        return found;
      },
      close: () => undefined,
    };
  },
};

/** Whether `visit` holds for every bit of a hash in a filter. */
function eachBit(
  hash: number,
  filter: Uint32Array,
  visit: (word: number, bit: number) => boolean,
): boolean {
  let at = hash;
  for (let i = 0; i < HASHES; i++) {
    at = scramble(at + i) >>> 0;
    const place = at % (filter.length * 32);
    if (!visit(place >>> 5, 1 << (place & 31))) return false;
  }
  return true;
}

/** SQLite FTS5 that keeps which rows have a token and nothing else. */
const fts5: Design = {
  name: 'fts5',
  build(lines, folder) {
    const path = join(folder, 'fts5.sqlite');
    rmSync(path, { force: true });
    const db = new Database(path);
    db.pragma('journal_mode = off');
    db.pragma('synchronous = off');
    db.exec(
      `CREATE VIRTUAL TABLE t USING fts5(m, content='', detail=none, tokenize="ascii tokenchars '_'");
       CREATE VIRTUAL TABLE v USING fts5vocab(t, row);`,
    );
    const insert = db.prepare<[number, string]>('INSERT INTO t(rowid, m) VALUES (?, ?)');
    db.transaction(() => lines.forEach((line, i) => insert.run(i + 1, line.toString('latin1'))))();
    db.exec(`INSERT INTO t(t) VALUES ('optimize')`);
    db.exec('VACUUM');
    const pages = db.pragma('page_count', { simple: true }) as number;
    const size = db.pragma('page_size', { simple: true }) as number;
    const ask = db.prepare<[string], { n: number }>('SELECT count(*) AS n FROM t WHERE t MATCH ?');
    const ending = db.prepare<[string], { term: string }>('SELECT term FROM v WHERE term GLOB ?');
    return {
      bytes: pages * size,
      count: ({ words, prefix, leading }) => {
        const terms = leading
          ? ending.all(`*${words[0]!}`).map(({ term }) => `"${term}"`)
          : words.map((word) => `"${word}"${prefix ? '*' : ''}`);
        if (terms.length === 0) return 0;
        if (!leading) return ask.get(terms.join(' AND '))!.n;
        // An expression of too many terms is refused.
        const rows = new Set<unknown>();
        const some = db.prepare<[string], { rowid: number }>('SELECT rowid FROM t WHERE t MATCH ?');
        for (let at = 0; at < terms.length; at += 200) {
          for (const { rowid } of some.all(terms.slice(at, at + 200).join(' OR '))) rows.add(rowid);
        }
        return rows.size;
      },
      close: () => void db.close(),
    };
  },
};

export const DESIGNS: readonly Design[] = [shapes, postings, blocks, fts5];
