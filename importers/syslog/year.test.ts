import { describe, expect, it } from 'vitest';
import { UNKNOWN_YEAR, YearCursor, YearScan } from './year.ts';

type Dates = [month: number, day: number][];
interface Given {
  year?: number;
  before?: { year: number; month: number; day: number };
  modified?: string;
  hint?: number;
}

function yearsOf(
  dates: Dates,
  given: Given,
): { years: number[]; last: number | undefined; moved: boolean } {
  const scan = new YearScan();
  for (const [month, day] of dates) scan.add(month, day);
  if (given.hint !== undefined) scan.addDated(given.hint);
  const modified = given.modified === undefined ? undefined : Date.parse(`${given.modified}Z`);
  const plan = scan.plan({ year: given.year, before: given.before }, modified);
  const cursor = new YearCursor(plan);
  return {
    years: dates.map(([month, day]) => cursor.next(month, day)),
    last: plan.year,
    moved: plan.movedToLeapYear,
  };
}

describe('years of times that state none', () => {
  it.each<[string, Dates, Given, number[]]>([
    [
      'one year',
      [
        [3, 1],
        [6, 1],
      ],
      { modified: '2026-07-01T00:00' },
      [2026, 2026],
    ],
    ['the file is older than its last record', [[8, 1]], { modified: '2026-07-01T00:00' }, [2025]],
    ['a day of grace for zones', [[7, 2]], { modified: '2026-07-01T12:00' }, [2026]],
    ['no more than a day', [[7, 3]], { modified: '2026-07-01T12:00' }, [2025]],
    ['new year within the grace', [[1, 1]], { modified: '2025-12-31T20:00' }, [2026]],
    [
      'a rollover',
      [
        [12, 31],
        [1, 1],
      ],
      { modified: '2026-01-05T00:00' },
      [2025, 2026],
    ],
    [
      'two of them',
      [
        [12, 1],
        [1, 1],
        [11, 30],
        [1, 2],
      ],
      { modified: '2026-01-05T00:00' },
      [2024, 2025, 2025, 2026],
    ],
    [
      'small steps back are late messages',
      [
        [6, 5],
        [6, 4],
        [6, 5],
        [3, 1],
      ],
      { modified: '2026-07-01T00:00' },
      [2026, 2026, 2026, 2026],
    ],
    [
      'late after new year',
      [
        [12, 31],
        [1, 1],
        [12, 31],
        [1, 1],
      ],
      { modified: '2026-01-05T00:00' },
      [2025, 2026, 2025, 2026],
    ],
    [
      'late first of all',
      [
        [1, 1],
        [12, 31],
        [1, 1],
      ],
      { modified: '2026-01-05T00:00' },
      [2026, 2025, 2026],
    ],
    [
      'a gap from January to December',
      [
        [1, 3],
        [12, 6],
      ],
      { modified: '2026-12-07T00:00' },
      [2026, 2026],
    ],
    [
      'half a year back is a rollover',
      [
        [7, 5],
        [1, 1],
      ],
      { modified: '2026-01-05T00:00' },
      [2025, 2026],
    ],
    [
      '29 February in the last year',
      [
        [2, 28],
        [2, 29],
        [3, 1],
      ],
      { modified: '2026-07-01T00:00' },
      [2024, 2024, 2024],
    ],
    [
      '29 February in an earlier one',
      [
        [2, 29],
        [12, 1],
        [1, 5],
      ],
      { modified: '2026-01-06T00:00' },
      [2024, 2024, 2026],
    ],
    [
      '29 February between',
      [
        [11, 1],
        [2, 29],
        [11, 1],
        [2, 1],
      ],
      { modified: '2026-03-01T00:00' },
      [2023, 2024, 2024, 2026],
    ],
    ['29 February of 2000', [[2, 29]], { modified: '2003-01-01T00:00' }, [2000]],
    ['1900 had none', [[2, 29]], { year: 1901 }, [1896]],
    [
      'the year that was asked for',
      [
        [12, 31],
        [1, 1],
      ],
      { year: 2013, modified: '2026-01-05T00:00' },
      [2012, 2013],
    ],
    [
      'before a newer member',
      [
        [11, 1],
        [12, 30],
      ],
      { before: { year: 2026, month: 1, day: 2 } },
      [2025, 2025],
    ],
    [
      'before a newer member of the same year',
      [
        [12, 30],
        [1, 5],
      ],
      { before: { year: 2026, month: 1, day: 6 } },
      [2025, 2026],
    ],
    [
      'a newer member that starts a little before',
      [[1, 6]],
      { before: { year: 2026, month: 1, day: 5 } },
      [2026],
    ],
    [
      'the newer member wins over the year asked for',
      [[12, 30]],
      { before: { year: 2026, month: 1, day: 2 }, year: 2026 },
      [2025],
    ],
    ['a year that other lines state', [[5, 1]], { hint: 2018 }, [2018]],
    [
      'nothing at all',
      [
        [5, 1],
        [1, 1],
      ],
      {},
      [UNKNOWN_YEAR - 1 + 1, UNKNOWN_YEAR],
    ],
  ])('%s', (name, dates, given, expected) => {
    // 1 May to 1 January is less than half a year: no rollover.
    expect(yearsOf(dates, given).years, name).toEqual(expected);
    expect(yearsOf(dates, given).last).toBe(expected.at(-1));
  });

  it('says when a 29 February moved the year that was asked for', () => {
    expect(yearsOf([[2, 29]], { year: 2023 })).toEqual({ years: [2020], last: 2020, moved: true });
    expect(yearsOf([[2, 29]], { year: 2024 }).moved).toBe(false);
  });

  it('tells where the log starts, for the member of a set that comes before it', () => {
    const scan = new YearScan();
    for (const [month, day] of [
      [12, 30],
      [1, 2],
    ] as const) {
      scan.add(month, day);
    }
    const plan = scan.plan({ year: 2026, before: undefined }, undefined);
    expect(plan.start).toEqual({ year: 2025, month: 12, day: 30 });
  });

  it('has no plan for no dates', () => {
    expect(new YearScan().plan({ year: undefined, before: undefined }, 0).year).toBeUndefined();
  });

  it('bounds what dates in no order can cause', () => {
    const dates: Dates = [];
    for (let i = 0; i < 100_000; i++) dates.push(i % 2 === 0 ? [12, 1] : [5, 1]);
    const { years } = yearsOf(dates, { year: 2026 });
    expect(Math.min(...years)).toBeGreaterThan(1800);
    expect(years.at(-1)).toBe(2026);
  });
});
