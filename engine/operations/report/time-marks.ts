/** Marks next to times that the events' records do not state completely, and the meaning of the marks. */
import { TS_BASIS } from '../../contract/event.ts';
import { markup, type Html } from './html.ts';

const MARKS = [
  {
    bit: TS_BASIS.yearDecided,
    mark: 'Y',
    means: 'the record states no year; it was inferred, assumed or set by the user',
  },
  {
    bit: TS_BASIS.zoneDecided,
    mark: 'Z',
    means: 'the record states no zone; it was assumed or set by the user',
  },
  {
    bit: TS_BASIS.inherited,
    mark: 'P',
    means: 'the record has no time; it was given that of the preceding record',
  },
] as const;

/** @param basis TS_BASIS bits */
export function timeMarks(basis: number): Html | undefined {
  const there = MARKS.filter(({ bit }) => (basis & bit) !== 0);
  if (there.length === 0) return undefined;
  return markup` <sup class="basis">${there.map(({ mark }) => mark).join(' ')}</sup>`;
}

/** The marks of these times; undefined if none has one. */
export function marksLegend(bases: readonly number[]): Html | undefined {
  const all = bases.reduce((bits, basis) => bits | basis, 0);
  const there = MARKS.filter(({ bit }) => (all & bit) !== 0);
  if (there.length === 0) return undefined;
  return markup`<p class="legend">Marks at times:${there.map(
    ({ mark, means }, i) => markup`${i > 0 ? ';' : ''} <b class="basis">${mark}</b> ${means}`,
  )}. <a href="#sources">Sources</a> gives the zone and the year used for a source.</p>`;
}
