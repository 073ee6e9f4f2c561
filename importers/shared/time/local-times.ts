/**
 * Times that a record states without a zone, as times of events.
 *
 * Held always: `decide` is called once, for the first time whose zone the record does not state.
 */
import type { EventBatch } from '../../../engine/columns/event-batch.ts';
import { TS_BASIS } from '../../../engine/contract/event.ts';
import type { Zone } from '../../../engine/contract/time/zone.ts';
import type { EventSink } from '../../../engine/evidence/importer.ts';

export interface LocalTime {
  /** Seconds since 1970 of the clock on the wall. */
  readonly seconds: number;
  readonly micros: number;
  /** Of the fraction. */
  readonly digits: number;
}

/** Undefined if there is no such day, or no such time of a day. */
export function localTime(
  [year, month, day]: readonly string[],
  [hour, minute, second = '0']: readonly string[],
  fraction = '',
): LocalTime | undefined {
  const date = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)));
  if (date.getUTCMonth() !== Number(month) - 1 || date.getUTCDate() !== Number(day))
    return undefined;
  if (Number(year) < 1970 || Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59)
    return undefined;
  const ofDay = Number(hour) * 3600 + Number(minute) * 60 + Number(second);
  const digits = fraction.slice(0, 6);
  return {
    seconds: date.getTime() / 1000 + ofDay,
    micros: Number(digits.padEnd(6, '0')),
    digits: digits.length,
  };
}

/** `2026-11-28T14:03:19Z` of a time that is UTC. */
export function utcText({ seconds }: LocalTime): string {
  return new Date(seconds * 1000).toISOString().replace('.000Z', 'Z');
}

export class LocalTimes {
  private readonly sink: EventSink;
  private readonly batch: EventBatch;
  private readonly zone: Zone;
  private readonly basis: string;
  private isDecided = false;

  /** @param basis the reason for the zone (engine/contract/time/decisions.ts) */
  constructor(sink: EventSink, batch: EventBatch, zone: Zone, basis: string) {
    this.sink = sink;
    this.batch = batch;
    this.zone = zone;
    this.basis = basis;
  }

  /** Sets the time of a row. @param isUtc whether the format defines its times as UTC */
  set(row: number, { seconds, micros, digits }: LocalTime, isUtc: boolean): void {
    const { batch, zone } = this;
    const offset = isUtc ? 0 : (zone.fixed ?? zone.offsetAtLocalSeconds(seconds));
    batch.ts.set(row, (seconds - offset) * 1e6 + micros);
    batch.ts_digits.set(row, digits);
    batch.tz_offset.set(row, offset);
    batch.ts_basis.set(row, isUtc ? 0 : TS_BASIS.zoneDecided);
    if (isUtc || this.isDecided) return;
    this.isDecided = true;
    this.sink.decide({ tz: zone.name, tzBasis: this.basis });
  }
}
