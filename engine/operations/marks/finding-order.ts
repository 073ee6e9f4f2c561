/** The order of findings in a report: those with a place, then the others, the most severe first. */
import type { Rating } from '../../catalog/index.ts';
import { DaybookError } from '../../contract/errors.ts';
import { severityRank, type FindingName } from '../../contract/findings.ts';
import { eventKey } from '../../search/index.ts';
import type { Instant } from '../event/event.ts';

/** Times of visible events by event id; an event that was deleted or left out is absent. */
export type Times = ReadonlyMap<string, Instant>;

/** A tag, or a note on an event, with its rating. */
export type Rated = { readonly rating: Rating } & (
  { readonly kind: 'tag'; readonly tag: string } | { readonly kind: 'note'; readonly event: string }
);

/** Findings in the order of the report; equally severe ones in `defaultOrder`. */
export function inOrder<T extends Rated>(findings: readonly T[], times: Times): T[] {
  return findings.toSorted(
    (a, b) =>
      (a.rating.place ?? Infinity) - (b.rating.place ?? Infinity) ||
      severityRank(b.rating.severity) - severityRank(a.rating.severity) ||
      defaultOrder(a, b, times),
  );
}

/** Notes by the time of their event, last those without a time or with a hidden event; then tags by name. */
function defaultOrder(a: Rated, b: Rated, times: Times): number {
  if (a.kind === 'tag' || b.kind === 'tag') {
    if (a.kind !== b.kind) return a.kind === 'tag' ? 1 : -1;
    return a.kind === 'tag' && b.kind === 'tag' ? compare(a.tag, b.tag) : 0;
  }
  const [one, other] = [times.get(a.event), times.get(b.event)];
  const [key, than] = [eventKey(a.event), eventKey(b.event)];
  return (
    compare(one?.ts ?? Infinity, other?.ts ?? Infinity) ||
    compare(one?.tsNs ?? 0, other?.tsNs ?? 0) ||
    key.sourceId - than.sourceId ||
    key.seq - than.seq
  );
}

function compare<T extends string | number>(a: T, b: T): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** @throws DaybookError not-found */
export function named<T extends Rated>(findings: readonly T[], name: FindingName): T {
  const is = (isSame: (a: string, b: string) => boolean) =>
    findings.find((one) =>
      'tag' in name
        ? one.kind === 'tag' && isSame(one.tag, name.tag)
        : one.kind === 'note' && one.event === name.event,
    );
  const found = is((a, b) => a === b) ?? is(isSameTag);
  if (found !== undefined) return found;
  throw new DaybookError(
    'not-found',
    'tag' in name
      ? `no event has the tag ${JSON.stringify(name.tag)}`
      : `there is no note on event ${name.event}`,
    'daybook findings CASE lists tags and notes',
  );
}

/** Compares tag names as SQLite does. */
function isSameTag(a: string, b: string): boolean {
  const folded = (text: string): string => text.replace(/[A-Z]/g, (one) => one.toLowerCase());
  return folded(a) === folded(b);
}

/**
 * The changes when a finding is moved to a place, or its place is removed. All findings before the last one with a
 * place get one as well, so that later findings do not come between them.
 * @param order all findings, in order
 * @param place null removes it
 */
export function movedTo<T extends Rated>(
  order: readonly T[],
  moved: T,
  place: number | null,
): { readonly one: T; readonly place: number | undefined }[] {
  if (place === null) return [{ one: moved, place: undefined }];
  const next = order.filter((one) => one !== moved);
  next.splice(place - 1, 0, moved);
  const last = next.findLastIndex((one) => one === moved || one.rating.place !== undefined);
  return next
    .slice(0, last + 1)
    .flatMap((one, i) => (one.rating.place === i + 1 ? [] : [{ one, place: i + 1 }]));
}

/** @param next null removes the value, undefined leaves it */
export function changed<T>(now: T | undefined, next: T | null | undefined): T | undefined {
  return next === undefined ? now : (next ?? undefined);
}
