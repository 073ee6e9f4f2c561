/**
 * Makes events of a journal's entries. An entry refers to its fields, which are written before it, and once however
 * many entries have them.
 *
 * Invariants: every entry is an event or in quarantine; an unreadable field is reported in its event; buffered
 * fields are bounded.
 */
import { counted } from '../../engine/contract/words/counted.ts';
import type { EventBatch } from '../../engine/columns/event-batch.ts';
import type { EventSink } from '../../engine/evidence/importer.ts';
import { JournalEntryWriter, MAX_ENTRY } from '../shared/journal-entry.ts';
import { ExportText } from './export-text.ts';
import { dataHash } from './hashes.ts';
import {
  dataHead,
  type EntryHead,
  entryHead,
  fieldPlaces,
  fixedBytes,
  type JournalHeader,
  type ObjectHeader,
  TYPE,
} from './layout.ts';
import type { ObjectHandlers } from './objects.ts';
import { decompressed } from './payload.ts';

/** Limit of buffered fields. */
const MAX_HELD_BYTES = 64 << 20;
/** Overhead of one. */
const FIELD_COST = 200;

interface HeldField {
  payload: Buffer;
  /** Its compression. */
  flags: number;
  readonly hash: bigint;
  /** Number of remaining entries that refer to it, as stated by the journal. */
  uses: number;
  problem: string | undefined;
  isTooLarge: boolean;
}

const NOT_THERE = 'cannot be found';
const OTHER_HASH = 'has another hash than the journal states';

export class JournalEntries implements ObjectHandlers {
  private readonly sink: EventSink;
  private readonly batch: EventBatch;
  private readonly writer: JournalEntryWriter;
  private readonly text = new ExportText();
  private readonly fields = new Map<number, HeldField>();
  private heldBytes = 0;
  private journal: JournalHeader | undefined;
  private seq = 0;
  private hasBad = false;
  private hasLeft = false;

  constructor(sink: EventSink) {
    this.sink = sink;
    this.batch = sink.batch('log');
    this.writer = new JournalEntryWriter(this.batch);
  }

  header(journal: JournalHeader): void {
    this.journal = journal;
    const { sink } = this;
    sink.metadata('machine_id', journal.machineId);
    sink.metadata('file_id', journal.fileId.toString('hex'));
    sink.metadata('state', journal.state);
    if (journal.state === 'online')
      sink.note('the journal was not closed properly: its last entries may be missing');
    if (journal.unknownFeatures !== 0)
      sink.note(
        `the journal uses unknown features (0x${journal.unknownFeatures.toString(16)}): entries may be missing`,
      );
  }

  object(
    object: ObjectHeader,
    bytes: Buffer,
    offset: number,
    isIntact: boolean,
  ): Promise<void> | undefined {
    if (object.type === TYPE.data) this.hold(object, bytes, offset, isIntact);
    else if (object.type === TYPE.entry) return this.entry(bytes, offset);
    return undefined;
  }

  large({ type, size }: ObjectHeader, offset: number): void {
    if (type === TYPE.data)
      this.sink.note(`a field of ${counted(size, 'byte')} at offset ${offset} was not read`);
  }

  wrongSize(): void {
    this.hasBad = true;
  }

  bad(bytes: Buffer, offset: number): void {
    this.hasBad = true;
    this.sink.quarantine(offset, 'no object of a journal begins here', bytes);
  }

  /** Called after all objects. */
  finish(): void {
    const { journal, sink, seq } = this;
    if (journal === undefined) return;
    if (seq !== journal.entries)
      sink.note(
        `the journal's header states ${counted(journal.entries, 'entry', 'entries')}, ${seq} ${seq === 1 ? 'was' : 'were'} found`,
      );
    if (this.hasBad) sink.note('the journal is damaged: entries may be missing');
  }

  private hold({ flags }: ObjectHeader, bytes: Buffer, offset: number, isIntact: boolean): void {
    const payload = Buffer.from(bytes.subarray(fixedBytes(TYPE.data, this.journal!.isCompact)));
    const { hash, uses } = dataHead(bytes);
    this.forget(offset);
    const problem = isIntact ? undefined : OTHER_HASH;
    this.fields.set(offset, { payload, flags, hash, uses, problem, isTooLarge: false });
    this.heldBytes += payload.length + FIELD_COST;
    if (this.heldBytes > MAX_HELD_BYTES) this.makeRoom();
  }

  private forget(offset: number): void {
    const field = this.fields.get(offset);
    if (field === undefined) return;
    this.heldBytes -= field.payload.length + FIELD_COST;
    this.fields.delete(offset);
  }

  /** Leaves fields that no entry names any more; where those are too few, the oldest. */
  private makeRoom(): void {
    const most = MAX_HELD_BYTES / 2;
    for (const [offset, { uses }] of this.fields) if (uses <= 0) this.forget(offset);
    for (const offset of this.fields.keys()) {
      if (this.heldBytes <= most) break;
      this.hasLeft = true;
      this.forget(offset);
    }
  }

  private async entry(bytes: Buffer, offset: number): Promise<void> {
    this.seq += 1;
    const { seq, text, sink, batch, writer } = this;
    const { length } = bytes;
    const head = entryHead(bytes);
    const { isCompact } = this.journal!;
    const fields: HeldField[] = [];
    const problems = new Set<string>();
    let size = 0;
    for (const place of fieldPlaces(bytes, isCompact)) {
      const field = this.fields.get(place);
      if (field === undefined) {
        problems.add(this.hasLeft ? 'is too far in front of it to be held' : NOT_THERE);
        continue;
      }
      fields.push(field);
      size += field.payload.length;
    }
    for (const field of fields) {
      field.uses -= 1;
      const before = field.payload.length;
      if (field.flags !== 0 && size <= MAX_ENTRY) await this.decompress(field);
      size += field.isTooLarge ? MAX_ENTRY : field.payload.length - before;
      if (field.problem !== undefined) problems.add(field.problem);
    }
    if (size > MAX_ENTRY) {
      const reason = `journal entry larger than ${MAX_ENTRY} bytes`;
      sink.quarantine(offset, reason, Buffer.from(bytes), seq);
      return;
    }
    text.begin(cursorOf(head, this.journal!.sequenceId), head);
    for (const { payload, flags } of fields) if (flags === 0) text.field(payload);
    const row = batch.length;
    batch.seq.set(row, seq);
    batch.offset.set(row, offset);
    batch.record_length.set(row, length);
    writer.begin();
    for (const { nameStart, nameEnd, start, end } of text.fields())
      writer.field(text.bytes, nameStart, nameEnd, start, end);
    // An incomplete entry must not be taken for the same one in another journal.
    writer.end(text.bytes, 0, text.length, problems.size === 0);
    if (problems.size > 0)
      batch.setAttribute(
        'problem',
        [...problems].map((problem) => `a field ${problem}`).join('; '),
      );
    batch.endRow();
    sink.record(1);
  }

  private async decompress(field: HeldField): Promise<void> {
    if (field.problem !== undefined || field.isTooLarge) return;
    try {
      const payload = await decompressed(field.payload, field.flags, MAX_ENTRY);
      if (payload === undefined) {
        field.isTooLarge = true;
        return;
      }
      this.heldBytes += payload.length - field.payload.length;
      field.payload = payload;
      field.flags = 0;
      if (dataHash(payload, this.journal!) !== field.hash) field.problem = OTHER_HASH;
    } catch {
      field.problem = 'cannot be decompressed';
    }
  }
}

/** journalctl's identifier of an entry, in all journals that have it. */
function cursorOf(
  { sequence, bootId, monotonic, realtime, xorHash }: EntryHead,
  sequenceId: string,
): string {
  const hex = (value: bigint): string => value.toString(16);
  return `s=${sequenceId};i=${hex(sequence)};b=${bootId};m=${hex(monotonic)};t=${hex(realtime)};x=${hex(xorHash)}`;
}
