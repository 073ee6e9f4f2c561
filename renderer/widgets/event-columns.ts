/**
 * The columns of the table of events: those that suit the case at first, then those that the user chose. Kept per
 * case, with their widths. The table and the tools above it share them through this module.
 */
import { useCallback, useMemo } from 'react';
import { COLUMNS, CUT_TEXTS } from '../../engine/contract/event.ts';
import type { Result } from '../../engine/contract/operations.ts';
import { useAnswer } from '../state/answer.ts';
import { useCase, usePreference } from '../state/context.ts';

/** One line that describes an event; made by the engine, and not a name in queries. */
export const SUMMARY = 'summary';
const TIME = 'ts';

/** Columns that are generally the most informative, in reading order. */
const USUAL = [TIME, 'kind', 'src_ip', 'dst_ip', 'dst_port', 'host', 'program', 'user', SUMMARY];
/** A column is shown if at least one event in this many has its field. */
const RARE = 200;

const LABELS: Readonly<Record<string, string>> = {
  [TIME]: 'time',
  [SUMMARY]: 'message',
  dst_port: 'port',
};

const CUT: ReadonlySet<string> = new Set(CUT_TEXTS);
/**
 * Names that an attribute shares with a field; a field extracted from messages and the attribute of that name are
 * one field.
 */
const OWN: ReadonlySet<string> = new Set([
  ...Object.keys(COLUMNS).filter((name) => !CUT.has(name)),
  ...['src_ip', 'dst_ip', 'source', 'tag', 'ip', 'port', 'event_id', SUMMARY],
]);

/** The label of a field. An attribute with the name of a column is labelled with its full name. */
export function fieldLabel(name: string): string {
  const short = name.replace(/^attrs\./, '');
  return short !== name && OWN.has(short) ? name : short;
}

/**
 * Fields whose values begin alike and end differently (`Microsoft-Windows-…`, paths): where room is short, their
 * ends are shown.
 */
const TOLD_BY_END: ReadonlySet<string> = new Set([
  ...['program', 'source', 'process', 'parent_process', 'file_path', 'registry_key'],
]);

export function isToldByEnd(field: string): boolean {
  return TOLD_BY_END.has(field);
}

/** The heading of the column. */
export function columnLabel(name: string): string {
  return LABELS[name] ?? fieldLabel(name);
}

type CaseField = Result<'field.list'>['fields'][number];

interface ColumnChoice {
  /** Undefined: those that fit the case. */
  readonly shown?: readonly string[] | undefined;
  /** Widths in pixels of columns that a person sized. */
  readonly sizes: Readonly<Record<string, number>>;
}

type Choices = Readonly<Record<string, ColumnChoice>>;

const NO_CHOICE: ColumnChoice = { sizes: {} };
const NO_CHOICES: Choices = {};
/** Cases whose columns are kept; those changed most recently. */
const MOST_CASES = 40;

function isChoices(value: unknown): value is Choices {
  return (
    typeof value === 'object' &&
    value !== null &&
    Object.values(value).every(
      (one: unknown) =>
        typeof one === 'object' &&
        one !== null &&
        'sizes' in one &&
        typeof one.sizes === 'object' &&
        (!('shown' in one) || one.shown === undefined || Array.isArray(one.shown)),
    )
  );
}

/** The columns that fit a case with these fields. */
function fittingColumns(fields: readonly CaseField[] | undefined, events: number): string[] {
  if (fields === undefined) return [...USUAL];
  const counts = new Map(fields.map((one) => [one.field, one.events]));
  return USUAL.filter(
    (name) =>
      name === TIME ||
      name === 'kind' ||
      name === SUMMARY ||
      (counts.get(name) ?? 0) * RARE >= Math.max(events, 1),
  );
}

export interface EventColumns {
  readonly shown: readonly string[];
  /** Whether a person chose them. */
  readonly chosen: boolean;
  readonly sizes: Readonly<Record<string, number>>;
  /** Every field of the case; undefined until the engine has counted. */
  readonly fields: readonly CaseField[] | undefined;
  /** Undefined restores the columns that suit the case. */
  show(columns: readonly string[] | undefined): void;
  size(sizes: Readonly<Record<string, number>>): void;
}

export function useEventColumns(): EventColumns {
  const { case: path, events } = useCase();
  const [choices, setChoices] = usePreference('columns', NO_CHOICES, isChoices);
  const fields = useAnswer('field.list', { case: path }).data?.fields;
  const choice = choices[path] ?? NO_CHOICE;
  const keep = useCallback(
    (next: ColumnChoice) => {
      const others = Object.entries(choices).filter(([one]) => one !== path);
      setChoices(Object.fromEntries([...others.slice(1 - MOST_CASES), [path, next]]));
    },
    [choices, path, setChoices],
  );
  const fitting = useMemo(() => fittingColumns(fields, events), [fields, events]);
  // The same array while the columns are the same: tables are rebuilt for another one.
  const key = (choice.shown ?? fitting).join('\n');
  const shown = useMemo(() => key.split('\n'), [key]);
  return {
    shown,
    chosen: choice.shown !== undefined,
    sizes: choice.sizes,
    fields,
    show: (columns) => keep({ ...choice, shown: columns }),
    size: (sizes) => keep({ ...choice, sizes }),
  };
}
