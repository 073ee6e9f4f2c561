/**
 * Writes the fields of a record into a row, by the names of its members in its dialect (meanings.ts).
 *
 * Invariant: of several members for one field, the best one with a value is used; a field that the row already has
 * stays.
 */
import type { EventBatch } from '../../columns/event-batch.ts';
import { CUT_TEXTS, type CutText } from '../../contract/event.ts';
import type { Meaning, Meanings, NamedValues } from '../registry/meanings.ts';
import { GENERAL_RANK, onlyElement, partOf, storedAs } from '../registry/meanings.ts';
import { cutAccount, digestsIn, isActionName, textOf } from '../reading/texts.ts';
import { protocolOfLetter } from './protocol-letter.ts';
import { severityOfLevel } from './windows-level.ts';
import { ADDRESS, addressEnd, protocolOf } from '../cutting/values.ts';

const TEXTS: ReadonlySet<string> = new Set(CUT_TEXTS);
const utf8 = new TextEncoder();
/** An address with its port, or IPv6 in brackets. */
const ENDPOINT = /^(?:\[([0-9A-Fa-f:.]+)\]|(\d{1,3}(?:\.\d{1,3}){3})(?=:))(?::(\d{1,5}))?$/;
const MOST_ADDRESS = 64;

interface Found {
  readonly rank: number;
  readonly text: string;
}

export class RecordFields {
  private readonly found = new Map<string, Found>();
  private readonly bytes = new Uint8Array(MOST_ADDRESS);

  /** Sets the fields of the row. @returns number of fields that the record gives */
  write(batch: EventBatch, row: number, meanings: Meanings, { keys, values }: NamedValues): number {
    this.found.clear();
    for (let i = 0; i < keys.length; i++) {
      const meaning = meanings.of(keys[i]!);
      const value = values[i]!;
      if (meaning === undefined || value === '') continue;
      const text = String(value);
      for (let one: Meaning | undefined = meaning; one !== undefined; one = one.also)
        if (typeof value !== 'boolean' || isOutcome(one)) this.offer(meanings, one, text);
    }
    for (const [field, { text }] of this.found) this.set(batch, row, meanings, field, text);
    for (const [field, text] of meanings.constants)
      if (isText(field) && batch.cutText(field).present[row] === 0)
        batch.cutText(field).set(row, text, 0, text.length);
    return this.found.size;
  }

  /** The text of a field in the last record. */
  textOf(field: string): string | undefined {
    return this.found.get(field)?.text;
  }

  private offer(meanings: Meanings, { field, rank, part }: Meaning, whole: string): void {
    const best = this.found.get(field);
    if (best !== undefined && best.rank <= rank) return;
    const text = part === undefined ? onlyElement(whole) : (partOf(whole, part) ?? '');
    if (text === '' || (field === 'action' && rank >= GENERAL_RANK && !isActionName(text))) return;
    if (this.isOf(meanings, field, text)) this.found.set(field, { rank, text });
  }

  /** Whether a field can have a text. */
  private isOf(meanings: Meanings, field: string, text: string): boolean {
    if (field === 'src_ip' || field === 'dst_ip') return this.isEndpoint(text);
    if (field === 'src_port' || field === 'dst_port') return isPort(text);
    if (field === 'windows_level') return severityOfLevel(text) !== undefined;
    const values = meanings.valuesOf(field);
    return (values === undefined ? textOf(field, text) : storedAs(values, text)) !== undefined;
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
        this.setEndpoint(batch, row, field, text);
        return;
      case 'src_port':
      case 'dst_port':
        setPort(batch, row, field, text);
        return;
      case 'proto':
      case 'proto_letter': {
        const size = this.toBytes(text);
        const letter = field === 'proto_letter' ? protocolOfLetter(text) : undefined;
        const proto = letter ?? protocolOf(this.bytes, 0, size);
        if (proto >= 0 && batch.proto.present[row] === 0) batch.proto.set(row, proto);
        return;
      }
      case 'windows_level': {
        const severity = severityOfLevel(text);
        const isFree = !batch.coded.has('severity') && batch.severity.present[row] === 0;
        if (severity !== undefined && isFree) batch.severity.set(row, severity);
        return;
      }
      case 'hashes':
        for (const [kind, digest] of digestsIn(text)) setText(batch, row, kind, digest);
        return;
      default:
        break;
    }
    const values = meanings.valuesOf(field);
    const stored = values === undefined ? undefined : storedAs(values, text);
    const isAccount = stored === undefined && (field === 'user' || field === 'user_target');
    const account = isAccount ? cutAccount(text, meanings.accounts) : undefined;
    setText(batch, row, field, account?.name ?? stored ?? textOf(field, text) ?? text);
    if (account === undefined || account.domain === '') return;
    if (field === 'user' && !this.found.has('user_domain'))
      setText(batch, row, 'user_domain', account.domain);
  }

  private isEndpoint(text: string): boolean {
    const [, six, four] = ENDPOINT.exec(text) ?? [];
    const size = this.toBytes(six ?? four ?? text);
    return addressEnd(this.bytes, 0, size) === size;
  }

  private setEndpoint(
    batch: EventBatch,
    row: number,
    field: 'src_ip' | 'dst_ip',
    text: string,
  ): void {
    const [, six, four, port] = ENDPOINT.exec(text) ?? [];
    addressEnd(this.bytes, 0, this.toBytes(six ?? four ?? text));
    if (field === 'src_ip') batch.setSource6(row, ADDRESS, 0);
    else batch.setTarget6(row, ADDRESS, 0);
    const side = field === 'src_ip' ? 'src_port' : 'dst_port';
    if (port !== undefined && !this.found.has(side)) setPort(batch, row, side, port);
  }

  /** Writes a text to `bytes`; returns its size, 0 if it is too long for an address. */
  private toBytes(text: string): number {
    return text.length > MOST_ADDRESS ? 0 : utf8.encodeInto(text, this.bytes).written;
  }
}

function setPort(
  batch: EventBatch,
  row: number,
  field: 'src_port' | 'dst_port',
  text: string,
): void {
  if (isPort(text)) batch[field].set(row, Number(text));
}

/** Whether a product documents that a member says whether something worked: no other field is true or false. */
function isOutcome({ field, rank }: Meaning): boolean {
  return field === 'outcome' && rank < GENERAL_RANK;
}

/** 0 means none. */
function isPort(text: string): boolean {
  return /^\d{1,5}$/.test(text) && Number(text) > 0 && Number(text) <= 0xffff;
}

function isText(field: string): field is CutText {
  return TEXTS.has(field);
}

function setText(batch: EventBatch, row: number, field: string, text: string): void {
  if (!isText(field)) return;
  const column = batch.cutText(field);
  if (column.present[row] === 0) column.setString(row, text);
}
