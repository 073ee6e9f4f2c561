/**
 * What was decided about the times of a source rather than stated by it, and why.
 *
 * Each decision has a basis beside it (`year` and `yearBasis`): `given` by a person, `stated …` by
 * the source, or `guessed …`. The words are for people; how they begin is for programs.
 */
/** The order of day, month and year in dates that are numbers, such as 3/4/2026. */
export const DATE_ORDERS = ['dmy', 'mdy', 'ymd'] as const;
export type DateOrder = (typeof DATE_ORDERS)[number];

/** A decision that was taken for a source and can be changed later. Kept in the catalog. */
export interface Decisions {
  tz?: string;
  /** Why it is this zone; see below, as for the others. */
  tzBasis?: string;
  year?: number;
  yearBasis?: string;
  dateOrder?: DateOrder;
  dateOrderBasis?: string;
  /** Error of the clock that timestamped the source (contract/clock.ts). */
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

/** Decisions about times, by the name of the decision, with the name of its basis. */
const BASES = {
  tz: 'tzBasis',
  year: 'yearBasis',
  dateOrder: 'dateOrderBasis',
  clock: 'clockBasis',
} as const;
export type TimeDecision = keyof typeof BASES;

/** Why a decision was made; undefined where a case of an earlier version does not say. */
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

/** Every decision once, those about times with their bases. */
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
