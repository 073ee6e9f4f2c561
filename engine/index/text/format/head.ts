/** The head of a text index, read. */
import { ByteReader } from './bytes.ts';
import { BitReader } from '../../../util/bit-codec.ts';
import { damagedText } from './damaged.ts';
import type { ColumnShapes } from './layout.ts';
import { FOLD_VERSION } from '../../../util/fold.ts';
import { PAGED, type Paged, TEXT_VERSION } from './layout.ts';
import type { PagePlace } from './page.ts';
import { readRows } from './row-list.ts';

/** Location of a page of literals. */
export interface LiteralPlace {
  readonly first: number;
  /** First shape of the next page. */
  readonly end: number;
  readonly at: number;
  readonly bytes: number;
  readonly raw: number;
}

export interface Head {
  readonly version: number;
  readonly rows: number;
  readonly columns: readonly ColumnShapes[];
  readonly shapes: number;
  readonly tokenless: Uint32Array<ArrayBuffer>;
  readonly pages: Readonly<Record<Paged, readonly PagePlace[]>>;
  readonly literals: readonly LiteralPlace[];
}

const EMPTY = new Uint8Array(0);

/** Undefined if it has another version. @throws DaybookError case-damaged */
export function readHead(content: Uint8Array): Head | undefined {
  const reader = new ByteReader(content);
  const version = reader.number();
  if (version < 1 || version > TEXT_VERSION) return undefined;
  if (Buffer.from(reader.string()).toString() !== FOLD_VERSION) return undefined;
  const rows = reader.number();
  const columns: ColumnShapes[] = [];
  let shapes = 0;
  for (let left = reader.number(); left > 0; left--) {
    const name = Buffer.from(reader.string()).toString();
    const to = shapes + reader.number();
    columns.push({ name, from: shapes, to, free: reader.number() === 1 });
    shapes = to;
  }
  const without = reader.number();
  if (without > rows) throw damagedText();
  const tokenless = new Uint32Array(without);
  readRows(new BitReader(reader.string()), without, rows, tokenless);
  const pages: Record<Paged, PagePlace[]> = { numbers: [], words: [], shapes: [] };
  for (const kind of PAGED) {
    let at = 0;
    const count = reader.number();
    for (let index = 0; index < count; index++) {
      const key = kind === 'words' ? reader.string() : EMPTY;
      const number = kind === 'words' ? 0 : reader.number();
      const bytes = reader.number();
      const entries = reader.number();
      const listsFrom = reader.number();
      pages[kind].push({ index, at, bytes, entries, listsFrom, key, number });
      at += bytes;
    }
  }
  const literals: LiteralPlace[] = [];
  let at = 0;
  const count = reader.number();
  const firsts: number[] = [];
  const sizes: [number, number][] = [];
  for (let i = 0; i < count; i++) {
    firsts.push(reader.number());
    sizes.push([reader.number(), reader.number()]);
  }
  sizes.forEach(([bytes, raw], i) => {
    literals.push({ first: firsts[i]!, end: firsts[i + 1] ?? shapes, at, bytes, raw });
    at += bytes;
  });
  return { version, rows, columns, shapes, tokenless, pages, literals };
}
