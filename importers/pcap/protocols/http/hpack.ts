/**
 * Header compression of HTTP/2: HPACK (RFC 7541). Each direction of a connection has a table that both ends
 * maintain: missing or reordered data leaves it unknown.
 *
 * Invariant: the table is bounded, and a list has no more headers than its block has bytes. Their total size is not
 * bounded by that, since a few bytes can refer to entries repeatedly; such headers share the table's entries.
 */

/** Most that a table may have, whatever its receiver allows. */
const MAX_TABLE_BYTES = 65_536;
const FIRST_TABLE_BYTES = 4096;
/** Overhead of an entry (RFC 7541, 4.1). */
const ENTRY_BYTES = 32;

export type Header = readonly [name: string, value: string];

/** RFC 7541, appendix A. */
const STATIC: readonly Header[] = (
  ':authority|:method=GET|:method=POST|:path=/|:path=/index.html|:scheme=http|:scheme=https|:status=200|:status=204|' +
  ':status=206|:status=304|:status=400|:status=404|:status=500|accept-charset|accept-encoding=gzip, deflate|' +
  'accept-language|accept-ranges|accept|access-control-allow-origin|age|allow|authorization|cache-control|' +
  'content-disposition|content-encoding|content-language|content-length|content-location|content-range|content-type|' +
  'cookie|date|etag|expect|expires|from|host|if-match|if-modified-since|if-none-match|if-range|if-unmodified-since|' +
  'last-modified|link|location|max-forwards|proxy-authenticate|proxy-authorization|range|referer|refresh|retry-after|' +
  'server|set-cookie|strict-transport-security|transfer-encoding|user-agent|vary|via|www-authenticate'
)
  .split('|')
  .map((entry): Header => {
    const [name = '', value = ''] = entry.split('=');
    return [name, value];
  });

/** Bits of the code of each byte, and of the end (RFC 7541, appendix B). */
const CODE_LENGTHS = [
  13, 23, 28, 28, 28, 28, 28, 28, 28, 24, 30, 28, 28, 30, 28, 28, 28, 28, 28, 28, 28, 28, 30, 28,
  28, 28, 28, 28, 28, 28, 28, 28, 6, 10, 10, 12, 13, 6, 8, 11, 10, 10, 8, 11, 8, 6, 6, 6, 5, 5, 5,
  6, 6, 6, 6, 6, 6, 6, 7, 8, 15, 6, 12, 10, 13, 6, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7,
  7, 7, 7, 7, 7, 7, 8, 7, 8, 13, 19, 13, 14, 6, 15, 5, 6, 5, 6, 5, 6, 6, 6, 5, 7, 7, 6, 6, 6, 5, 6,
  7, 6, 5, 5, 6, 7, 7, 7, 7, 7, 15, 11, 14, 13, 28, 20, 22, 20, 20, 22, 22, 22, 23, 22, 23, 23, 23,
  23, 23, 24, 23, 24, 24, 22, 23, 24, 23, 23, 23, 23, 21, 22, 23, 22, 23, 23, 24, 22, 21, 20, 22,
  22, 23, 23, 21, 23, 22, 22, 24, 21, 22, 23, 23, 21, 21, 22, 21, 23, 22, 23, 23, 20, 22, 22, 22,
  23, 22, 22, 23, 26, 26, 20, 19, 22, 23, 22, 25, 26, 26, 26, 27, 27, 26, 24, 25, 19, 21, 26, 27,
  27, 26, 27, 24, 21, 21, 26, 26, 28, 27, 27, 27, 20, 24, 20, 21, 22, 21, 21, 23, 22, 22, 25, 25,
  24, 24, 26, 23, 26, 27, 26, 26, 27, 27, 27, 27, 27, 28, 27, 27, 27, 27, 27, 26, 30,
];
const LONGEST_CODE = 30;
const END = 256;

/** The code is canonical: codes of one length are consecutive, in the order of their symbols. */
const SYMBOLS = CODE_LENGTHS.map((length, symbol) => ({ length, symbol }))
  .toSorted((a, b) => a.length - b.length || a.symbol - b.symbol)
  .map(({ symbol }) => symbol);
const COUNTS = new Uint16Array(LONGEST_CODE + 1);
for (const length of CODE_LENGTHS) COUNTS[length]! += 1;

/** @throws RangeError if it is invalid */
function huffmanText(bytes: Uint8Array): Uint8Array {
  // No code is shorter than five bits.
  const out = new Uint8Array(Math.ceil((bytes.length * 8) / 5));
  let size = 0;
  let length = 0;
  /** The code read so far minus the first one of its length, and the index of that in SYMBOLS. */
  let ahead = 0;
  let place = 0;
  let isPadding = true;
  for (const byte of bytes)
    for (let bit = 7; bit >= 0; bit--) {
      const isSet = (byte >>> bit) & 1;
      if (isSet === 0) isPadding = false;
      length += 1;
      ahead = 2 * ahead + isSet;
      const count = COUNTS[length]!;
      if (ahead >= count) {
        ahead -= count;
        place += count;
        continue;
      }
      const symbol = SYMBOLS[place + ahead]!;
      if (symbol === END) throw new RangeError('a text goes on after its end');
      out[size++] = symbol;
      [length, ahead, place, isPadding] = [0, 0, 0, true];
    }
  if (length > 7 || !isPadding) throw new RangeError('a text ends within a code');
  return out.subarray(0, size);
}

export class HpackTable {
  private readonly entries: Header[] = [];
  private size = 0;
  private most = FIRST_TABLE_BYTES;

  /** Bytes of memory that it takes, about. */
  get heldBytes(): number {
    return 2 * this.size;
  }

  /**
   * The headers of a block, in order; updates the table.
   * @throws RangeError for an invalid block: later ones cannot be decoded
   */
  decode(bytes: Uint8Array): Header[] {
    const reader = new BlockReader(bytes);
    const list: Header[] = [];
    while (reader.isMore) {
      const first = reader.peek();
      if ((first & 0xe0) === 0x20) {
        this.resize(reader.number(5));
        continue;
      }
      const isIndexed = (first & 0x80) !== 0;
      const isKept = (first & 0xc0) === 0x40;
      const index = reader.number(isIndexed ? 7 : isKept ? 6 : 4);
      let header: Header;
      if (isIndexed) header = this.entry(index);
      else {
        const name = index === 0 ? reader.text() : this.entry(index)[0];
        header = [name, reader.text()];
        if (isKept) this.add(header);
      }
      list.push(header);
    }
    return list;
  }

  private entry(index: number): Header {
    const entry =
      index <= STATIC.length ? STATIC[index - 1] : this.entries[index - STATIC.length - 1];
    if (entry === undefined) throw new RangeError(`the table has no entry ${index}`);
    return entry;
  }

  private add(header: Header): void {
    const size = sizeOf(header);
    this.shrink(this.most - size);
    if (size > this.most) return;
    this.entries.unshift(header);
    this.size += size;
  }

  private resize(most: number): void {
    if (most > MAX_TABLE_BYTES) throw new RangeError(`a table has ${most} bytes`);
    this.most = most;
    this.shrink(most);
  }

  private shrink(size: number): void {
    while (this.size > size && this.entries.length > 0) this.size -= sizeOf(this.entries.pop()!);
  }
}

function sizeOf([name, value]: Header): number {
  return ENTRY_BYTES + name.length + value.length;
}

class BlockReader {
  private readonly bytes: Uint8Array;
  private at = 0;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }

  get isMore(): boolean {
    return this.at < this.bytes.length;
  }

  peek(): number {
    return this.bytes[this.at]!;
  }

  /** A number that begins in the last `bits` of a byte (RFC 7541, 5.1). */
  number(bits: number): number {
    const mask = (1 << bits) - 1;
    const first = this.next() & mask;
    if (first < mask) return first;
    let value = mask;
    for (let shift = 0; shift <= 21; shift += 7) {
      const byte = this.next();
      value += (byte & 0x7f) << shift;
      if ((byte & 0x80) === 0) return value;
    }
    throw new RangeError('a number is too long');
  }

  /** Bytes as Latin-1: a table counts bytes. */
  text(): string {
    const isHuffman = (this.peek() & 0x80) !== 0;
    const size = this.number(7);
    const end = this.at + size;
    if (end > this.bytes.length) throw new RangeError('a text goes on after its block');
    const raw = this.bytes.subarray(this.at, end);
    this.at = end;
    const bytes = isHuffman ? huffmanText(raw) : raw;
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1');
  }

  private next(): number {
    const byte = this.bytes[this.at];
    if (byte === undefined) throw new RangeError('a block ends within a header');
    this.at += 1;
    return byte;
  }
}
