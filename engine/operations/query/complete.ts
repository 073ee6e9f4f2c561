/**
 * `query.complete`: what may be at a position of a query: fields, values with their counts, stages, operators,
 * keywords. It answers while a person types: what cannot be counted in time is omitted.
 */
import { daysOfAll } from '../../util/segment-days.ts';
import { attributesOf } from '../../query/names/attribute-names.ts';
import { DaybookError } from '../../contract/errors.ts';
import { CONN_STATES, KINDS } from '../../contract/event.ts';
import { compareNaturally } from '../../contract/words/natural-order.ts';
import {
  ADDRESS_CLASSES,
  ALIASES,
  type CompileContext,
  FUNCTIONS,
  NAMED,
  type Place,
  STAGE_LIST,
  type SegmentInfo,
  type Stage,
  VALUE_FUNCTION_LIST,
  VIRTUAL_NAMES,
  WEEKDAYS,
  eventsAst,
  knownField,
  outlineOf,
  placeAt,
  quoteValue,
} from '../../query/index.ts';
import { type CaseSession, type FieldValues, type View, fieldValues } from '../../search/index.ts';
import { fieldsIfKnown, fieldsOf } from '../case/fields/field-list.ts';
import type { FieldSummary } from '../case/fields/fields.ts';
import { fieldName } from '../event/event-query.ts';

interface Option {
  label: string;
  type: 'field' | 'value' | 'stage' | 'operator' | 'keyword';
  apply?: string;
  detail?: string;
  count?: number;
}
type ValuePlace = Extract<Place, { at: 'value' }>;
interface Completion {
  start: number;
  end: number;
  options: Option[];
}

const BUDGET_MS = 300;
/** Number of values that are searched for those beginning with the typed text. */
const VALUES = 1000;
/** Longer ones are not offered. */
const MAX_VALUE = 200;

/** Functions of `stats`, in the form in which they are completed. */
const MEASURES = FUNCTIONS.map((name) => (name === 'count' ? 'count()' : `${name}(`));
/** Stages that take expressions. */
const COMPUTING: ReadonlySet<string> = new Set([
  ...['eval', 'where', 'stats', 'top', 'rare', 'timeline', 'values'],
]);

/** Sources of completions. */
interface CompletionSource extends Pick<CompileContext, 'tags' | 'sources'> {
  readonly segments: readonly Pick<SegmentInfo, 'day' | 'days' | 'rows' | 'columns'>[];
  values(
    view: View & { field: string; limit: number },
    more: readonly Stage[],
    signal: AbortSignal,
  ): Promise<Pick<FieldValues, 'values'>>;
  /** Fields with their counts; undefined if they cannot be counted in time. */
  fields(signal: AbortSignal): Promise<readonly FieldSummary[] | undefined>;
}

/** For a case on this machine. */
export function completionsOf(session: CaseSession): CompletionSource {
  const { tags, sources, segments } = session.snapshot();
  return {
    ...{ tags, sources },
    segments: segments.map((segment) => ({ ...segment, columns: new Set(segment.columns) })),
    values: (view, more, signal) => fieldValues(session, view, signal, 'query.complete', more),
    fields: async (signal) => {
      const known = fieldsIfKnown(session);
      return known === undefined ? inTime(signal, (one) => fieldsOf(session, one)) : known;
    },
  };
}

/** @throws DaybookError cancelled */
export async function complete(
  from: CompletionSource,
  view: View & { at: number; limit: number },
  signal: AbortSignal,
): Promise<Completion> {
  const place = placeAt(view.query, Math.min(view.at, view.query.length));
  const { start, end, typed } = place;
  const options =
    place.at === 'stage'
      ? STAGE_LIST.filter(({ name }) => name.startsWith(typed.toLowerCase())).map(
          ({ name, does, form }): Option => ({
            label: name,
            type: 'stage',
            detail: `${does}: ${form}`,
          }),
        )
      : place.at === 'value'
        ? await valuesOf(from, view, place, signal)
        : await namesAt(from, place, signal);
  return { start, end, options: options.slice(0, view.limit) };
}

/** Runs for a limited time; undefined when that was not enough. */
async function inTime<T>(
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T | undefined> {
  const limit = AbortSignal.timeout(BUDGET_MS);
  try {
    return await work(AbortSignal.any([signal, limit]));
  } catch (error) {
    if (limit.aborted && !signal.aborted) return undefined;
    throw error;
  }
}

async function valuesOf(
  from: CompletionSource,
  view: View,
  place: ValuePlace,
  signal: AbortSignal,
): Promise<Option[]> {
  const { field, typed } = place;
  const known = knownField(field);
  const wanted = typed.toLowerCase();
  const options = new Map<string, Option>();
  const add = (label: string, more: Partial<Option>) => {
    if (wanted !== '' && !label.toLowerCase().startsWith(wanted)) return;
    const apply = quoteValue(label);
    options.set(label.toLowerCase(), {
      ...{ label, type: 'value' },
      ...(apply === label ? {} : { apply }),
      ...options.get(label.toLowerCase()),
      ...more,
    });
  };
  const rest = otherPart(view.query, place);
  const isText = known === undefined || known.type === 'text';
  const prefix: Stage[] =
    isText && typed !== '' && !/[*?]/.test(typed)
      ? [
          {
            stage: 'where',
            filter: {
              ...{ node: 'field', name: field, start: 0, end: 0 },
              test: { test: 'word', text: `${typed}*` },
            },
            ...{ start: 0, end: 0 },
          },
        ]
      : [];
  const values = (query: string) =>
    inTime(signal, (limited) =>
      from.values({ ...view, query, field, limit: VALUES }, prefix, limited),
    );
  try {
    const counted = await values(rest);
    // If the rest of the query takes too long, values that it may not find are better than none.
    const offered = counted ?? (rest === '' ? undefined : await values(''));
    for (const { value, count } of offered?.values ?? [])
      if (value !== null && String(value).length <= MAX_VALUE)
        add(String(value), counted === undefined ? {} : { count });
  } catch (error) {
    if (signal.aborted || !(error instanceof DaybookError)) throw error;
    // A field that does not exist, or is not a value (`flow:`), has no values to offer.
  }
  for (const name of enumerated(from, field)) add(name, {});
  return [...options.values()].sort(
    (a, b) => (b.count ?? -1) - (a.count ?? -1) || (a.label < b.label ? -1 : 1),
  );
}

/** Names that a field may have whatever the events have. */
function enumerated(from: CompletionSource, field: string): Iterable<string> {
  if (field.toLowerCase() === 'weekday') return WEEKDAYS;
  const known = knownField(field);
  if (known === undefined) return [];
  if (known.type === 'address') return ADDRESS_CLASSES.keys();
  switch (known.name) {
    case 'kind':
      return KINDS;
    case 'proto':
    case 'severity':
    case 'facility':
      return NAMED[known.name].keys();
    case 'conn_state':
      return CONN_STATES;
    case 'tag':
      return from.tags.map(({ name }) => name);
    case 'source':
      return from.sources().map(({ name }) => name);
    case 'day':
      return new Set(daysOfAll(from.segments));
    case 'last':
      return ['15m', '1h', '24h', '7d'];
    default:
      return [];
  }
}

/** The events part of the query without the test that is being written. */
function otherPart(query: string, { start, end, others }: ValuePlace): string {
  const isAnything = `${query.slice(0, start)}*${query.slice(end)}`;
  for (const text of [isAnything, query.slice(0, others)]) {
    const { ast } = outlineOf(text);
    if (ast !== undefined) return eventsAst(ast).text;
  }
  return '';
}

async function namesAt(
  from: CompletionSource,
  { typed, stage, isFilter: filter }: Extract<Place, { at: 'name' }>,
  signal: AbortSignal,
): Promise<Option[]> {
  const wanted = typed.toLowerCase();
  const options: Option[] = [];
  const seen = new Set<string>();
  const add = (option: Option) => {
    const name = option.label.toLowerCase();
    if (seen.has(`${option.type} ${name}`)) return;
    if (!name.startsWith(wanted) && !(wanted.length > 1 && name.includes(wanted))) return;
    seen.add(`${option.type} ${name}`);
    options.push(option);
  };
  const after = filter ? ':' : '';
  const addField = (name: string, more: Partial<Option>) => {
    const written = fieldName(name) + after;
    add({ label: name, type: 'field', ...(written === name ? {} : { apply: written }), ...more });
  };
  if (stage === 'stats' || stage === 'top' || stage === 'rare')
    for (const label of MEASURES) add({ label, type: 'keyword' });
  if (COMPUTING.has(stage) && wanted !== '')
    for (const { name, form, gives } of VALUE_FUNCTION_LIST)
      add({ label: `${name}(`, type: 'keyword', detail: `${form}: ${gives}` });
  const keywords: Readonly<Record<string, readonly string[]>> = {
    ...{
      top: ['by'],
      eval: ['by'],
      rare: ['by'],
      rename: ['as'],
      timeline: ['by', 'spread'],
      stats: ['by', 'as'],
      session: ['by', 'gap'],
      lookup: ['on', 'as'],
      sequence: ['by', 'within'],
      sort: ['desc', 'asc'],
    },
  };
  if (filter && stage === 'sequence') add({ label: 'then', type: 'keyword' });
  for (const label of (filter ? undefined : keywords[stage]) ?? []) add({ label, type: 'keyword' });
  const fields = await from.fields(signal);
  if (fields !== undefined) {
    for (const { field, events, kinds } of fields)
      addField(field, { count: events, detail: kinds.join(', ') });
  } else {
    for (const name of columnNames(from)) addField(name, {});
  }
  for (const name of VIRTUAL_NAMES) addField(name, { detail: 'of every event' });
  if (wanted !== '') {
    for (const [alias, field] of Object.entries(ALIASES))
      if (alias.startsWith(wanted)) addField(alias, { detail: `= ${field}` });
  }
  if (filter) {
    for (const label of ['AND', 'OR', 'NOT']) add({ label, type: 'operator', apply: `${label} ` });
  }
  const rank = ({ label }: Option) => (label.toLowerCase().startsWith(wanted) ? 0 : 1);
  return options
    .map((option, i) => ({ option, i }))
    .sort((a, b) => rank(a.option) - rank(b.option) || a.i - b.i)
    .map(({ option }) => option);
}

/** Fields by the catalog alone, without counts. */
function columnNames(from: CompletionSource): string[] {
  const names = new Set<string>();
  for (const { columns } of from.segments) {
    for (const column of columns)
      if (knownField(column) !== undefined) names.add(column.replace(/_ip[46]$/, '_ip'));
    for (const [first] of attributesOf(columns).values())
      if (first !== undefined && knownField(first.name) === undefined) names.add(first.name);
  }
  return [...names].sort(compareNaturally);
}
