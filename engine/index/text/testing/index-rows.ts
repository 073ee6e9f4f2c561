/** Rows for an index builder, from values by column name. */
import type { IndexRows, TextRows } from '../../rows.ts';

export type TextRow = Readonly<Record<string, string>>;

export function indexRows(rows: readonly TextRow[]): IndexRows {
  const names = new Set(rows.flatMap((row) => Object.keys(row)));
  const texts = new Map<string, TextRows>();
  for (const name of names) {
    const parts: Buffer[] = [];
    const starts = new Uint32Array(rows.length);
    const present = new Uint8Array(rows.length);
    let size = 0;
    rows.forEach((row, i) => {
      const value = row[name];
      if (value === undefined) return;
      const bytes = Buffer.from(value);
      const length = Buffer.alloc(4);
      length.writeUInt32LE(bytes.length);
      starts[i] = size;
      present[i] = 1;
      parts.push(length, bytes);
      size += 4 + bytes.length;
    });
    texts.set(name, { data: Uint8Array.from(Buffer.concat(parts)), starts, present });
  }
  return { kind: 'log', length: rows.length, texts, numbers: new Map(), ip6: new Map() };
}
