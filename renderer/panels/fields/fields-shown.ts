/** The fields listed in the sidebar, and their order. */
import { compareNaturally } from '../../../engine/contract/words/natural-order.ts';

interface ListedField {
  readonly field: string;
  readonly attribute: boolean;
  readonly events: number;
}

/** Fields that are open at first, if the case has them. */
const OPEN_FIRST = ['kind', 'src_ip', 'program', 'dst_port', 'host', 'severity', 'dst_ip'];
const MOST_OPEN = 4;

/** The fields that are open until the user opens or closes one. */
export function openAtFirst(fields: readonly ListedField[]): string[] {
  return OPEN_FIRST.filter((name) =>
    fields.some(({ field, events }) => field === name && events > 0),
  ).slice(0, MOST_OPEN);
}

/** Values of these are nearly all different, or mean nothing by themselves. */
const NOT_LISTED: ReadonlySet<string> = new Set([
  'ts',
  'message',
  'event_id',
  'offset',
  'length',
  'captured',
  'flow_id',
  'seq',
  'attrs',
]);

const FIRST = [
  ...['src_ip', 'kind', 'program', 'dst_port', 'dst_ip', 'host', 'user', 'outcome', 'action'],
  ...['proto', 'severity'],
];

/** Every event has these. */
const ALWAYS: ReadonlySet<string> = new Set(['kind', 'source', 'tag', 'day']);

/**
 * The usual fields first, then the others by number of events. Closed fields are listed only if the events found
 * can have them (`known`), and all of them while that is not known.
 */
export function fieldsShown<F extends ListedField>(
  fields: readonly F[],
  open: readonly string[],
  search: string,
  known?: readonly string[],
): (F & { open: boolean })[] {
  const wanted = search.trim().toLowerCase();
  const isKnown = (field: string): boolean =>
    known === undefined || known.length === 0 || ALWAYS.has(field) || known.includes(field);
  const rank = (field: string): number => {
    const at = FIRST.indexOf(field);
    return at < 0 ? FIRST.length : at;
  };
  return (
    fields
      .filter(({ field, events }) => !NOT_LISTED.has(field) && events > 0)
      // Columns of tables without headings are meaningless in the list; the search finds them.
      .filter(({ field }) => wanted !== '' || !/^(?:attrs\.)?column\d+$/.test(field))
      .filter(({ field }) => wanted === '' || field.toLowerCase().includes(wanted))
      .map((one) => ({ ...one, open: open.includes(one.field) }))
      .filter(({ field, open: isOpen }) => isOpen || isKnown(field))
      .sort(
        (a, b) =>
          rank(a.field) - rank(b.field) ||
          Number(a.attribute) - Number(b.attribute) ||
          b.events - a.events ||
          compareNaturally(a.field, b.field),
      )
  );
}
