/**
 * Decisions about the times of a source that the source does not state itself, and their reasons.
 *
 * Each decision comes with a basis (`year` and `yearBasis`): `given` by a person, `stated …` by the source, or
 * `guessed …`. The first word is for programs, the rest for people.
 */
/** The order of day, month and year in numeric dates such as 3/4/2026. */
export const DATE_ORDERS = ['dmy', 'mdy', 'ymd'] as const;
export type DateOrder = (typeof DATE_ORDERS)[number];

/** Decisions made for a source, which can be changed later. Stored in the catalog. */
export interface Decisions {
  tz?: string;
  /** The reason for this zone; the other decisions have one each, too. */
  tzBasis?: string;
  year?: number;
  yearBasis?: string;
  dateOrder?: DateOrder;
  dateOrderBasis?: string;
  /** The error of the clock that timestamped the source (contract/time/clock.ts). */
  clock?: string;
  clockBasis?: string;
  [name: string]: string | number | boolean | undefined;
}

export const ORDER_NAMES: Readonly<Record<DateOrder, string>> = {
  dmy: 'day/month/year',
  mdy: 'month/day/year',
  ymd: 'year/month/day',
};

export const GIVEN = 'given';
export const ZONE_ASSUMED = 'guessed: the records state none';

export function isDateOrder(value: unknown): value is DateOrder {
  return DATE_ORDERS.some((order) => order === value);
}

/** Decisions about times, each with the name of its basis. */
const BASES = {
  tz: 'tzBasis',
  year: 'yearBasis',
  dateOrder: 'dateOrderBasis',
  clock: 'clockBasis',
} as const;
export type TimeDecision = keyof typeof BASES;

/** The reason for a decision; undefined if a case of an earlier version states none. */
export function basisOf(decisions: Decisions, name: TimeDecision): string | undefined {
  const basis = decisions[BASES[name]];
  return typeof basis === 'string' ? basis : undefined;
}

export function isGuess(basis: string | undefined): boolean {
  return basis?.startsWith('guessed') === true;
}

export interface DescribedDecision {
  readonly name: string;
  readonly value: string;
  readonly basis: string | undefined;
}

/** Every decision, those about times with their bases. */
export function describeDecisions(decisions: Decisions): DescribedDecision[] {
  const bases = new Set<string>(Object.values(BASES));
  return Object.entries(decisions).flatMap(([name, value]) => {
    if (value === undefined || bases.has(name)) return [];
    const basis = name in BASES ? basisOf(decisions, name as TimeDecision) : undefined;
    return [{ name, value: String(value), basis }];
  });
}

/** `year 2026 (guessed from …)`. */
export function decisionText({ name, value, basis }: DescribedDecision): string {
  return `${name} ${value}${basis === undefined ? '' : ` (${basis})`}`;
}
