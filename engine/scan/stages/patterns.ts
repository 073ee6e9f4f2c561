/**
 * `patterns [N] [desc]`: events by the template of their message, as engine/query/stages/patterns.ts has
 * it. Templates are cut from the bytes of messages; what a scan keeps are the different ones.
 */
import type { EventBatch, TextColumn } from '../../contract/event-batch.ts';
import type { RawValue } from '../../query/format.ts';
import type { TableColumn } from '../../query/relation.ts';
import type { PatternsStage } from '../../query/stages/patterns.ts';
import { MOST_LETTERS, VARIABLE } from '../../query/stages/template.ts';
import type { Budget } from '../budget.ts';
import { Dictionary } from '../dictionary.ts';
import { firstOf } from '../first-of.ts';
import { Doubles } from '../measures.ts';
import { type Wanted, batchScope } from '../../query/batch/batch-scope.ts';
import { numberAt, textEnd, textStart } from '../../query/batch/row-scope.ts';
import { compareValues } from '../table.ts';
import type { ScanStage } from './stage.ts';

export function patternsStage(
  stage: PatternsStage,
  columns: readonly TableColumn[],
  budget: Budget,
  wanted: Wanted,
): ScanStage {
  const templates = new Templates(budget);
  return {
    scoped: (batch) => templates.scoped(batch, wanted),
    finish: () => {
      const chosen = templates.first(stage.limit, stage.descending);
      const total = templates.total();
      const rows = chosen.map((group) => templates.row(group, total));
      const totals = [BigInt(total), null, BigInt(templates.groups().length)];
      return {
        table: { columns, rows, order: [] },
        raw: rows.map((row) => [...row, ...totals, row[0]]),
      };
    },
  };
}

const text = new TextDecoder('utf-8', { ignoreBOM: true });
/** The group of events without a message; template n is group n + 1. */
const NO_MESSAGE = 0;

class Templates {
  private readonly texts: Dictionary;
  private readonly cutter = new TemplateCutter();
  private readonly counts: Doubles;
  private readonly earliest: Doubles;
  private readonly latest: Doubles;
  /** Of the first event: its time, nanoseconds beyond it, source and record. */
  private readonly place: readonly [Doubles, Doubles, Doubles, Doubles];

  constructor(budget: Budget) {
    this.texts = new Dictionary(budget);
    this.counts = new Doubles(budget, 0);
    this.earliest = new Doubles(budget, Infinity);
    this.latest = new Doubles(budget, -Infinity);
    this.place = [
      new Doubles(budget, Infinity),
      new Doubles(budget, Infinity),
      new Doubles(budget, Infinity),
      new Doubles(budget, Infinity),
    ];
  }

  scoped(batch: EventBatch, wanted: Wanted): (rows: Int32Array, n: number) => void {
    const scope = batchScope(batch, wanted);
    const message = scope.column({ column: 'message' });
    const [ts, ns, source, seq] = (['ts', 'ts_ns', 'source_id', 'seq'] as const).map((column) =>
      scope.column({ column }),
    );
    return (rows, n) => {
      for (let i = 0; i < n; i++) {
        const row = rows[i]!;
        const group = message?.type === 'text' ? this.groupOf(message, row) : NO_MESSAGE;
        this.counts.reach(group)[group]! += 1;
        const time = numberAt(ts, row);
        if (time !== undefined) {
          const first = this.earliest.reach(group);
          const last = this.latest.reach(group);
          if (time < first[group]!) first[group] = time;
          if (time > last[group]!) last[group] = time;
        }
        // Those without a time are the last.
        this.placeAt(
          group,
          time ?? Number.MAX_VALUE,
          numberAt(ns, row) ?? 0,
          numberAt(source, row) ?? 0,
          numberAt(seq, row) ?? 0,
        );
      }
    };
  }

  private groupOf(message: TextColumn, row: number): number {
    if (message.present[row] !== 1) return NO_MESSAGE;
    const { cutter } = this;
    const length = cutter.cut(message.data, textStart(message, row), textEnd(message, row));
    return this.texts.idOf(cutter.bytes, 0, length) + 1;
  }

  private placeAt(group: number, ts: number, ns: number, source: number, seq: number): void {
    const [times, nanos, sources, records] = this.place;
    const before = times.reach(group)[group]!;
    if (ts > before) return;
    const [n, s, r] = [nanos.reach(group), sources.reach(group), records.reach(group)];
    if (ts === before) {
      const order = ns - n[group]! || source - s[group]! || seq - r[group]!;
      if (order >= 0) return;
    }
    times.values[group] = ts;
    n[group] = ns;
    s[group] = source;
    r[group] = seq;
  }

  groups(): number[] {
    const { values } = this.counts;
    return Array.from({ length: this.texts.size + 1 }, (_, group) => group).filter(
      (group) => (values[group] ?? 0) > 0,
    );
  }

  total(): number {
    return this.groups().reduce((sum, group) => sum + this.counts.values[group]!, 0);
  }

  /** The first `limit` groups with a template, in order, then the one without. */
  first(limit: number, descending: boolean): number[] {
    const all = this.groups();
    const { values } = this.counts;
    const compare = (a: number, b: number): number =>
      compareValues(values[a], values[b], descending) ||
      compareValues(this.last(a), this.last(b), true) ||
      Buffer.compare(this.texts.bytesOf(a - 1), this.texts.bytesOf(b - 1));
    const chosen = firstOf(
      all.filter((group) => group !== NO_MESSAGE),
      limit,
      compare,
    );
    return all[0] === NO_MESSAGE ? [...chosen, NO_MESSAGE] : chosen;
  }

  private last(group: number): number | null {
    const last = this.latest.values[group] ?? -Infinity;
    return last === -Infinity ? null : last;
  }

  /** Values of the stage's columns. */
  row(group: number, total: number): RawValue[] {
    const count = this.counts.values[group]!;
    const first = this.earliest.values[group] ?? Infinity;
    const [, , source, seq] = this.place.map(({ values }) => values[group]!);
    return [
      count,
      count / total,
      first === Infinity ? null : first,
      this.last(group),
      source,
      seq,
      group === NO_MESSAGE ? null : text.decode(this.texts.bytesOf(group - 1)),
    ];
  }
}

const LETTER = 1;
const VARIES = 2;
/** What a byte is to a token (engine/query/stages/template.ts); 0: none of it. */
const CLASSES = Uint8Array.from({ length: 256 }, (_, byte) => {
  if (byte >= 0x80 || (byte >= 0x30 && byte <= 0x39)) return VARIES;
  const isLetter = (byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x7a;
  return isLetter || byte === 0x5f ? LETTER : 0;
});
const VARIABLE_BYTES = new TextEncoder().encode(VARIABLE);

/** Templates of texts, one at a time. */
class TemplateCutter {
  /** Where the last one is. */
  bytes = new Uint8Array(4096);

  /** Writes the template of `data[start, end)`; gives its length. */
  cut(data: Uint8Array, start: number, end: number): number {
    // At worst every other byte is a token.
    const most = (end - start + 1) * VARIABLE_BYTES.length;
    if (most > this.bytes.length) this.bytes = new Uint8Array(most * 2);
    const { bytes: out } = this;
    let n = 0;
    let at = start;
    while (at < end) {
      let found = CLASSES[data[at]!]!;
      if (found === 0) {
        out[n++] = data[at++]!;
        continue;
      }
      const begin = at;
      const from = n;
      let kinds = 0;
      do {
        kinds |= found;
        out[n++] = data[at++]!;
        found = at < end ? CLASSES[data[at]!]! : 0;
      } while (found !== 0);
      if (kinds === LETTER && at - begin <= MOST_LETTERS) continue;
      n = from;
      for (let i = 0; i < VARIABLE_BYTES.length; i++) out[n++] = VARIABLE_BYTES[i]!;
    }
    return n;
  }
}
