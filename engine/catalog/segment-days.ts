/** The days of a segment in the catalog's form: `[["2026-11-20",120],["2026-11-21",33]]`. */
import type { DayCount } from '../util/segment-days.ts';
import { DaybookError } from '../contract/errors.ts';

export function daysText(days: readonly DayCount[] | undefined): string | null {
  if (days === undefined) return null;
  return JSON.stringify(days.map(({ day, rows }) => [day, rows]));
}

/**
 * @param text of the catalog
 * @throws DaybookError case-damaged if it is not a list of days in order
 */
export function daysIn(text: unknown): DayCount[] | undefined {
  if (text === null || text === undefined) return undefined;
  if (typeof text !== 'string') throw damaged('');
  let list: unknown;
  try {
    list = JSON.parse(text);
  } catch {
    throw damaged(text);
  }
  if (!Array.isArray(list) || list.length < 2) throw damaged(text);
  const days: DayCount[] = [];
  for (const one of list as unknown[]) {
    if (!Array.isArray(one) || one.length !== 2) throw damaged(text);
    const [day, rows] = one as unknown[];
    const before = days.at(-1)?.day ?? '';
    const isDay = typeof day === 'string' && DAY.test(day) && day > before;
    if (!isDay || typeof rows !== 'number' || !Number.isSafeInteger(rows) || rows < 1)
      throw damaged(text);
    days.push({ day, rows });
  }
  return days;
}

const DAY = /^\d{4}-\d{2}-\d{2}$/;

function damaged(text: string): DaybookError {
  return new DaybookError(
    'case-damaged',
    `the catalog names days of a segment that are none: ${JSON.stringify(text.slice(0, 80))}`,
    'restore case.sqlite from a copy of the case',
  );
}
