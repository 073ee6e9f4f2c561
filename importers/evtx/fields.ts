/**
 * Fields of records by the names of their members, as the dialect of Windows events (engine/fields/dialects) has them:
 * which account, address or process a name means depends on the record's `EventID`.
 *
 * Invariant: a member stays under its own name; of several that mean one field, the best that has a value is taken.
 */
import type { EventBatch } from '../../engine/contract/event-batch.ts';
import { CUT_TEXTS, type CutText } from '../../engine/contract/event.ts';
import { DialectFinder, type Meaning, type Meanings } from '../../engine/fields/meanings.ts';
import { isTextOf } from '../../engine/fields/texts.ts';
import { parseIpv4, parseIpv6 } from '../shared/bytes.ts';
import type { Value } from './record.ts';

const TEXTS: ReadonlySet<string> = new Set(CUT_TEXTS);
const utf8 = new TextEncoder();
const HASH = /\b(MD5|SHA1|SHA256)=([0-9a-f]+)/gi;

interface Found {
  readonly rank: number;
  readonly text: string;
}

export class RecordFields {
  private readonly dialect: Meanings = new DialectFinder().find(['EventID', 'Channel']);
  private readonly found = new Map<string, Found>();
  private readonly address = new Uint8Array(16);
  private readonly bytes = new Uint8Array(64);

  /** Sets the fields of the row being filled. */
  write(
    batch: EventBatch,
    row: number,
    system: ReadonlyMap<string, string>,
    data: ReadonlyMap<string, Value>,
  ): void {
    const keys = [...system.keys(), ...data.keys()];
    const values = [...system.values(), ...data.values()].map((value) =>
      typeof value === 'string' ? value : JSON.stringify(value),
    );
    const meanings = this.dialect.forRecord({ keys, values });
    this.found.clear();
    for (let i = 0; i < keys.length; i++) {
      const meaning = meanings.of(keys[i]!);
      if (meaning === undefined || values[i] === '') continue;
      this.offer(meanings, meaning, values[i]!);
      if (meaning.also !== undefined) this.offer(meanings, meaning.also, values[i]!);
    }
    for (const [field, { text }] of this.found) this.set(batch, row, meanings, field, text);
    for (const [field, text] of meanings.constants)
      if (isText(field) && batch.cutText(field).present[row] === 0)
        batch.cutText(field).set(row, text, 0, text.length);
  }

  private offer(meanings: Meanings, { field, rank }: Meaning, text: string): void {
    const best = this.found.get(field);
    if (best !== undefined && best.rank <= rank) return;
    const values = meanings.valuesOf(field);
    if (values === undefined ? !isTextOf(field, text) : !values.has(text.toLowerCase())) return;
    if ((field === 'src_ip' || field === 'dst_ip') && this.read(text) === 0) return;
    this.found.set(field, { rank, text });
  }

  private set(
    batch: EventBatch,
    row: number,
    meanings: Meanings,
    field: string,
    text: string,
  ): void {
    switch (field) {
      case 'src_ip':
      case 'dst_ip':
        this.setAddress(batch, row, field, text);
        return;
      case 'src_port':
      case 'dst_port':
        // 0 stands for none.
        if (/^\d{1,5}$/.test(text) && Number(text) > 0 && Number(text) <= 0xffff)
          batch[field].set(row, Number(text));
        return;
      case 'hashes':
        for (const [, kind = '', digest = ''] of text.matchAll(HASH))
          setText(batch, row, kind.toLowerCase(), digest);
        return;
      default:
        break;
    }
    const stored = meanings.valuesOf(field)?.get(text.toLowerCase());
    const cut = field === 'user' || field === 'user_target' ? text.indexOf('\\') : -1;
    if (stored === undefined && cut >= 0 && cut < text.length - 1 && !meanings.keepsAccounts) {
      setText(batch, row, field, text.slice(cut + 1));
      if (cut > 0 && field === 'user' && !this.found.has('user_domain'))
        setText(batch, row, 'user_domain', text.slice(0, cut));
    } else setText(batch, row, field, stored ?? text);
  }

  private setAddress(
    batch: EventBatch,
    row: number,
    field: 'src_ip' | 'dst_ip',
    text: string,
  ): void {
    const version = this.read(text);
    if (version === 4) {
      const [a = 0, b = 0, c = 0, d = 0] = this.address;
      batch[`${field}4`].set(row, ((a << 24) | (b << 16) | (c << 8) | d) >>> 0);
    } else if (version === 6) {
      if (field === 'src_ip') batch.setSource6(row, this.address, 0);
      else batch.setTarget6(row, this.address, 0);
    }
  }

  /** Reads an address into `address`. @returns 4 or 6, 0 for what is none */
  private read(text: string): 0 | 4 | 6 {
    const { bytes, address } = this;
    if (text.length > 45) return 0;
    const { written } = utf8.encodeInto(text, bytes);
    const four = parseIpv4(bytes, 0, written);
    if (four >= 0) {
      for (let i = 0; i < 4; i++) address[i] = (four >>> (24 - 8 * i)) & 255;
      return 4;
    }
    return parseIpv6(bytes, 0, written, address, 0) ? 6 : 0;
  }
}

function isText(field: string): field is CutText {
  return TEXTS.has(field);
}

function setText(batch: EventBatch, row: number, field: string, text: string): void {
  if (!isText(field)) return;
  const column = batch.cutText(field);
  if (column.present[row] === 0) column.setString(row, text);
}
