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
  if (given.hint !== undefined) scan.addDated(given.hint, 11, 30);
  const modified = given.modified === undefined ? undefined : Date.parse(`${given.modified}Z`);
  const plan = scan.plan({ year: given.year, before: given.before }, modified);
  const cursor = new YearCursor(plan);
  return {
    years: dates.map(([month, day]) => cursor.next(month, day)),
    last: plan.year,
    moved: plan.notes.some((note) => note.includes('29 February')),
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

describe('years by what a log states', () => {
  const file = Date.parse('2026-11-23T00:00Z');

  it('takes the year of full dates of the same days before that of the file', () => {
    const scan = new YearScan();
    for (const [month, day, year] of [
      [12, 30, 2014],
      [1, 2, 2015],
    ] as const) {
      scan.add(month, day);
      scan.addStated(year);
    }
    const plan = scan.plan({ year: undefined, before: undefined }, file);
    expect(plan).toMatchObject({ year: 2015, years: [2014, 2015] });
    expect(plan.basis).toBe('stated by full dates in the log');
    expect(plan.notes).toEqual([
      "the file's date of 2026-11-23 would make it 2026, full dates in the log 2015",
    ]);
    const asked = scan.plan({ year: 2020, before: undefined }, file);
    expect(asked).toMatchObject({ year: 2020, basis: 'given' });
    expect(asked.notes.join()).toContain('is from 2015');
  });

  it('says that full dates are of several years', () => {
    const scan = new YearScan();
    for (const [month, day, year] of [
      [7, 30, 2018],
      [5, 22, 2021],
      [2, 6, 2009],
    ] as const) {
      scan.add(month, day);
      scan.addStated(year);
    }
    const plan = scan.plan({ year: undefined, before: undefined }, file);
    expect(plan.year).toBe(2026);
    expect(plan.notes).toEqual([
      'full dates in the log are from 2009 to 2021, without a majority for one year: 2026 is taken as the year of its last record',
    ]);
  });

  it('takes the latest year whose weekdays are the log’s', () => {
    const scan = new YearScan();
    // A Thursday and a Friday: 2024, 2019, 2013.
    scan.add(11, 14, 4);
    scan.add(11, 15, 5);
    const plan = scan.plan({ year: undefined, before: undefined }, file);
    expect(plan.year).toBe(2024);
    expect(plan.basis).toMatch(/^guessed from the weekdays/);
    expect(plan.notes.join()).toContain('would make it 2026');
    const asked = scan.plan({ year: 2023, before: undefined }, file);
    expect(asked.notes.join()).toContain('are not those of 2023 but of 2024, 2019');
    // If they fit, there is no contradiction.
    const right = scan.plan(
      { year: undefined, before: undefined },
      Date.parse('2024-12-01T00:00Z'),
    );
    expect(right).toMatchObject({ year: 2024, notes: [] });
  });

  it('knows the weekdays of leap years before and after 29 February', () => {
    for (const [month, day] of [
      [1, 15],
      [2, 29],
      [3, 1],
      [12, 31],
    ] as const) {
      const scan = new YearScan();
      scan.add(month, day, new Date(Date.UTC(2016, month - 1, day)).getUTCDay());
      const plan = scan.plan(
        { year: undefined, before: undefined },
        Date.parse('2017-01-01T12:00Z'),
      );
      expect(plan, `${month}-${day}`).toMatchObject({ year: 2016, notes: [] });
    }
  });

  it('says that a year is a guess, and from what', () => {
    const scan = new YearScan();
    scan.add(11, 14);
    const plan = scan.plan({ year: undefined, before: undefined }, file);
    expect(plan.basis).toBe("guessed from the file's date of 2026-11-23");
    const none = scan.plan({ year: undefined, before: undefined }, undefined);
    expect(none).toMatchObject({ year: UNKNOWN_YEAR, basis: 'guessed: nothing indicates it' });
  });
});
