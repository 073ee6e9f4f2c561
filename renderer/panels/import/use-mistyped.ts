/** Mistyped texts in fields of clocks and years: an import must not begin before they are values. */
import { useState } from 'react';
import { visibleText } from '../../widgets/texts/event-text.tsx';
import { mistypedClock } from '../../widgets/inputs/clock-input.tsx';
import type { Typing } from '../../widgets/inputs/typed-input.tsx';
import { mistypedYear } from '../../widgets/inputs/year-input.tsx';
import type { Preview } from './decisions.ts';

/** By the path of the field's file. */
type Mistyped = Readonly<Record<'clock' | 'year', ReadonlyMap<string, string>>>;

/** Key of decisions about the whole import, among the paths of files. */
export const WHOLE = '';

export interface MistypedFields {
  typing(field: keyof Mistyped, of: string): Typing;
  /** The text to type again before an import. */
  readonly problem: string | undefined;
}

/** @param files by their paths; a field of a file that is gone, or no longer has that field, does not count */
export function useMistyped(files: ReadonlyMap<string, Preview>, yearless: number): MistypedFields {
  const [mistyped, setMistyped] = useState<Mistyped>({ clock: new Map(), year: new Map() });
  return {
    typing: (field, of) => ({
      mistyped: mistyped[field].get(of),
      onMistyped: (text) =>
        setMistyped((before) => {
          const others = [...before[field]].filter(([other]) => other !== of);
          const next = new Map(text === undefined ? others : [...others, [of, text]]);
          return { ...before, [field]: next };
        }),
    }),
    problem: problemOf(mistyped, files, yearless),
  };
}

function problemOf(
  { clock, year }: Mistyped,
  files: ReadonlyMap<string, Preview>,
  yearless: number,
): string | undefined {
  const nameOf = ({ source }: Preview): string => visibleText(source, 80);
  for (const [path, text] of clock) {
    if (path === WHOLE) return mistypedClock('the clock of all sources', text);
    const file = files.get(path);
    if (file !== undefined && file.problem === undefined)
      return mistypedClock(`the clock of ${nameOf(file)}`, text);
  }
  for (const [path, text] of year) {
    if (path === WHOLE && yearless > 0) return mistypedYear('all sources without one', text);
    const file = files.get(path);
    if (file?.asks.year === true) return mistypedYear(nameOf(file), text);
  }
  return undefined;
}
