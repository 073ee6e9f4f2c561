/**
 * Resolves names to fields: stored columns, virtual fields, the names that other schemas have for them (the
 * registry, engine/fields), and attributes.
 *
 * Names ignore case. A name means the stored column (or the one that the alias stands for) and the attribute with
 * that name: conditions hold for either; a text is the column's if there is one, otherwise the attribute's.
 * `attrs.NAME` is the attribute alone.
 */
import { COLUMNS, CUT_TEXTS, type ColumnName } from '../../contract/event.ts';
import { movedField } from '../../fields/records/dialects.ts';
import { ALIASES } from '../../fields/registry/registry.ts';
import { attributesOf } from './attribute-names.ts';
import type { Name } from '../syntax/ast.ts';
import type { Ref } from '../batch/row-scope.ts';
import { identifier, untranslated } from '../dialect/clickhouse.ts';
import type { ClickHouseScope } from '../dialect/clickhouse-scope.ts';
import { SQL_TYPES, quoteIdentifier } from '../dialect/duckdb.ts';
import { QueryError, didYouMean, shown, syntaxError } from '../syntax/query-error.ts';
import { OVERFLOW_COLUMN, type Scope, type SegmentInfo, columnSets } from '../plan/scope.ts';

export type { Ref };

export type NameSet = 'proto' | 'severity' | 'facility' | 'weekday';
/** Parts of the clock time in the query's zone (clock-fields.ts). */
export const CLOCK_NAMES: ReadonlySet<string> = new Set(['hour', 'weekday']);
export const VIRTUAL = [
  'kind',
  'source',
  'tag',
  'day',
  'event_id',
  'flow',
  'last',
  'community_id',
  'attributes',
] as const;
type VirtualName = (typeof VIRTUAL)[number];

/** A field of a name that attributes may have, too. */
interface Shared {
  /** The attribute with the requested name; undefined: no event has one. */
  readonly attribute?: SharedAttribute | undefined;
}
interface SharedAttribute {
  readonly key: string;
  /** Whether some event has it; otherwise it may be among those without a list of names. */
  readonly certain: boolean;
}

export interface NumberField extends Shared {
  readonly type: 'number';
  readonly name: string;
  /** More than one: any of them (`port`). */
  readonly refs: readonly Ref[];
  readonly names: NameSet | undefined;
}
export interface TextField extends Shared {
  readonly type: 'text';
  readonly name: string;
  readonly ref: Ref;
}
export interface TimeField extends Shared {
  readonly type: 'time';
  readonly name: string;
  readonly ref: Ref;
}
export interface AddressSide {
  readonly v4: Ref | undefined;
  readonly v6: Ref | undefined;
}
export interface AddressField extends Shared {
  readonly type: 'address';
  readonly name: string;
  /** More than one: any of them (`ip`). */
  readonly sides: readonly AddressSide[];
}
export interface AttributeField {
  readonly type: 'attribute';
  readonly name: string;
  readonly key: string;
  /** No event is known to have it: it may be in the overflow of attributes, which has no list of names. */
  readonly isGuess?: true;
}
export interface VirtualField extends Shared {
  readonly type: 'virtual';
  readonly name: VirtualName;
  /** The column in which a stage returned it: `source` and `tag` as numbers. */
  readonly ref: Ref | undefined;
  /** For an event id that a stage returned: the event's number in its source; `ref` is the source's number. */
  readonly seq?: Ref | undefined;
  /** Name of the column in which a stage returned it. */
  readonly column?: string | undefined;
}
export type Field =
  NumberField | TextField | TimeField | AddressField | AttributeField | VirtualField;

/** The name in rows of a selected field: an attribute with the name of another field keeps its prefix. */
export function chosenName({ type, name }: Field): string {
  const known = type === 'attribute' ? knownField(name) : undefined;
  return known !== undefined && !isCutText(known.name) ? `attrs.${name}` : name;
}

/** A reference in words of the query language. */
export function refName(ref: Ref): string {
  if ('column' in ref) return ref.column;
  return 'computed' in ref ? ref.computed : ref.computation.text;
}

/** Fields that are shown as several others. */
export const EXPANDED: Readonly<Record<string, readonly string[]>> = {
  ip: ['src_ip', 'dst_ip'],
  port: ['src_port', 'dst_port'],
  flow: ['src_ip', 'src_port', 'dst_ip', 'dst_port', 'proto'],
  last: ['ts'],
};

/** Undefined: the field is shown as itself. */
export function expandedNames({ type, name }: Field): readonly string[] | undefined {
  return type !== 'attribute' && Object.hasOwn(EXPANDED, name) ? EXPANDED[name] : undefined;
}

/**
 * The names that are hidden together with a field, in lower case; an attribute that is named explicitly begins with
 * `attrs.`.
 */
export function hiddenNames({ name }: Name, field: Field): string[] {
  const others = field.type === 'attribute' ? [] : (expandedNames(field) ?? [field.name]);
  return [...new Set([name.toLowerCase(), ...others])];
}

/** The names to show for a name. */
export function namesShown(name: Name, field: Field): Name[] {
  const others = expandedNames(field);
  return others === undefined ? [name] : others.map((other) => ({ ...name, name: other }));
}

/** Chosen names without hidden ones. @param hidden in lower case */
export function withoutHidden(
  chosen: readonly Name[],
  resolve: Resolve,
  hidden: ReadonlySet<string>,
): Name[] {
  return chosen
    .flatMap((name) => namesShown(name, resolve(name)))
    .filter((name) => !hiddenNames(name, resolve(name)).some((one) => hidden.has(one)));
}

/** @throws QueryError for the tags of events, none of which is the first */
export function checkNoTags(field: Field, { start }: Name): void {
  if (field.type === 'virtual' && field.name === 'tag' && field.ref === undefined)
    throw syntaxError(
      'an event may have several tags, in no order',
      start,
      'values tag counts events by tag; tag:NAME finds those of one',
    );
}

/** Column name of a field: a column that a stage returned may be named differently from its field. */
export function fieldName(field: Field): string {
  return field.type === 'virtual' ? (field.column ?? field.name) : field.name;
}

/** The parts of an event id: the source's number, and the event's number in that source. */
export function eventIdRefs({ ref, seq }: VirtualField): readonly [source: Ref, seq: Ref] {
  if (ref !== undefined && seq !== undefined) return [ref, seq];
  return [{ column: 'source_id' }, { column: 'seq' }];
}

export function refSql(ref: Ref, scope: Scope): string | undefined {
  if ('column' in ref) return scope.column(ref.column);
  return 'computed' in ref ? quoteIdentifier(ref.computed) : ref.computation.sql(scope);
}
/** An expression for people, without what distinguishes equal ones. */
export function expressionText(text: string): string {
  return text
    .replace(/^(?:text|number|time|address|condition)\d:/, '')
    .replace(/\|[\w.@-]+/g, '')
    .replace(/@[\w/+:-]+$/, '');
}

/** The same in ClickHouse. Throws DaybookError `usage` if it is not translated. */
export function refClickHouse(ref: Ref, scope: ClickHouseScope): string {
  if ('column' in ref) return scope.column(ref.column);
  if ('computed' in ref) return identifier(ref.computed);
  const sql = ref.computation.clickhouse?.(scope);
  if (sql === undefined) throw untranslated(`the expression ${expressionText(refName(ref))}`);
  return sql;
}

/** An address of either version in ClickHouse, where it is one text: of an event's side, or computed by a stage. */
export function addressTextClickHouse(
  { v4, v6 }: AddressSide,
  scope: ClickHouseScope,
): string | undefined {
  const ref = v4 ?? v6;
  if (ref === undefined) return undefined;
  if ('column' in ref && v4 !== undefined && v6 !== undefined) return ref.column.slice(0, -1);
  return refClickHouse(ref, scope);
}

export function refType(ref: Ref): string {
  return 'column' in ref ? SQL_TYPES[COLUMNS[ref.column]] : ref.sqlType;
}

const SOURCE_SIDE: AddressSide = { v4: { column: 'src_ip4' }, v6: { column: 'src_ip6' } };
const TARGET_SIDE: AddressSide = { v4: { column: 'dst_ip4' }, v6: { column: 'dst_ip6' } };

const BY_COLUMN = new Map<string, Field>();
for (const name of Object.keys(COLUMNS) as ColumnName[]) BY_COLUMN.set(name, columnField(name));

function columnField(name: ColumnName): Field {
  switch (COLUMNS[name]) {
    case 'text':
      return { type: 'text', name, ref: { column: name } };
    case 'micros':
      return { type: 'time', name, ref: { column: name } };
    case 'ip6':
      return { type: 'address', name, sides: [{ v4: undefined, v6: { column: name } }] };
    default:
      if (name === 'src_ip4' || name === 'dst_ip4') {
        return { type: 'address', name, sides: [{ v4: { column: name }, v6: undefined }] };
      }
      return {
        type: 'number',
        name,
        refs: [{ column: name }],
        names: name === 'proto' || name === 'severity' || name === 'facility' ? name : undefined,
      };
  }
}

const VIRTUAL_FIELDS = new Map<string, Field>([
  ['src_ip', { type: 'address', name: 'src_ip', sides: [SOURCE_SIDE] }],
  ['dst_ip', { type: 'address', name: 'dst_ip', sides: [TARGET_SIDE] }],
  ['ip', { type: 'address', name: 'ip', sides: [SOURCE_SIDE, TARGET_SIDE] }],
  [
    'port',
    {
      type: 'number',
      name: 'port',
      refs: [{ column: 'src_port' }, { column: 'dst_port' }],
      names: undefined,
    },
  ],
  ...VIRTUAL.map((name): [string, Field] => [name, { type: 'virtual', name, ref: undefined }]),
]);

/** Every name that a query may use, whatever the case holds. */
export function knownNames(): string[] {
  return [...BY_COLUMN.keys(), ...VIRTUAL_FIELDS.keys(), ...CLOCK_NAMES, ...Object.keys(ALIASES)];
}

/** A column, virtual field or alias by name; undefined if it can only be an attribute. */
export function knownField(name: string): Field | undefined {
  const lower = name.toLowerCase();
  const direct = BY_COLUMN.get(lower) ?? VIRTUAL_FIELDS.get(lower);
  if (direct !== undefined) return direct;
  const alias = Object.hasOwn(ALIASES, lower) ? ALIASES[lower]! : undefined;
  return alias === undefined ? undefined : (BY_COLUMN.get(alias) ?? VIRTUAL_FIELDS.get(alias));
}

const FIXED: ReadonlySet<string> = new Set(['ts', 'ip', 'port', 'seq', 'source_id', 'ts_ns']);

/** Whether a name identifies or orders events: no stage can give it another meaning. */
export function isOwnName(name: string): boolean {
  const known = knownField(name);
  return known !== undefined && (known.type === 'virtual' || FIXED.has(known.name));
}

/** Whether only extractors fill a field: many cases do not have it. */
export function isCutText(name: string): boolean {
  return CUT_TEXTS.some((one) => one === name);
}

/** The fields of `CUT_TEXTS` that some event of these segments may have. */
function cutTextsOf(segments: readonly SegmentInfo[]): Set<string> {
  const cut = new Set<string>();
  for (const columns of columnSets(segments))
    for (const name of CUT_TEXTS) if (columns.has(name)) cut.add(name);
  return cut;
}

export interface Resolve {
  (name: Name): Field;
  /** For a table: its columns by name. */
  readonly columns?: ReadonlySet<string>;
}

/** The same names without recording them in `unlisted`: for what an answer does not depend on. */
export function resolvedAside(resolve: Resolve, unlisted: Set<string>): Resolve {
  const found = (name: Name): Field => {
    const before = new Set(unlisted);
    try {
      return resolve(name);
    } finally {
      for (const one of [...unlisted]) if (!before.has(one)) unlisted.delete(one);
    }
  };
  return resolve.columns === undefined ? found : Object.assign(found, { columns: resolve.columns });
}

/** Fields that a stage computed. */
interface OtherFields {
  readonly fields: readonly { readonly name: string; readonly field: Field }[];
  readonly any?: ((name: Name, field: Field | undefined) => Field | undefined) | undefined;
}

/** The same names, and those that a stage computed, which take precedence. */
export function withFields(resolve: Resolve, { fields, any }: OtherFields): Resolve {
  const computedFields = new Map(fields.map(({ name, field }) => [name.toLowerCase(), field]));
  const found = (name: Name): Field => {
    if (name.expression !== undefined) return resolve(name);
    const computed = computedFields.get(name.name.toLowerCase());
    if (computed !== undefined) return computed;
    if (any === undefined) return resolve(name);
    let stored: Field | undefined;
    let unknown: QueryError | undefined;
    try {
      stored = resolve(name);
    } catch (error) {
      if (!(error instanceof QueryError) || error.code !== 'unknown-field') throw error;
      unknown = error;
    }
    const field = any(name, stored) ?? stored;
    if (field === undefined) throw unknown ?? new TypeError(name.name);
    return field;
  };
  return resolve.columns === undefined ? found : Object.assign(found, { columns: resolve.columns });
}

/**
 * Resolves names of events. Throws QueryError `unknown-field`. Names that only the overflow of attributes can have,
 * which has no list of names, are added to `unlisted`.
 */
export function eventFields(
  segments: readonly SegmentInfo[],
  unlisted: Set<string> = new Set(),
): Resolve {
  // By name in lower case; shown in the first spelling.
  const attributes = new Map<string, string>();
  let overflow = false;
  const cut = cutTextsOf(segments);
  for (const columns of columnSets(segments)) {
    for (const [lower, [first]] of attributesOf(columns)) {
      const known = attributes.get(lower);
      if (first !== undefined && (known === undefined || first.name < known))
        attributes.set(lower, first.name);
    }
    overflow ||= columns.has(OVERFLOW_COLUMN);
  }
  const isThere = (name: string): boolean => {
    const column = knownField(name)?.name ?? name;
    return !isCutText(column) || cut.has(column);
  };
  return ({ name, start }) => {
    const field = knownField(name);
    // If nothing was cut out of messages, a name such as user is that of an attribute, or of nothing.
    const known = isThere(name) ? field : undefined;
    const attribute = attributes.get(name.toLowerCase());
    if (known !== undefined) {
      // Daybook's own names, such as kind, decide which segments are read: no attribute is assumed for them.
      if (attribute === undefined && (!overflow || known.type === 'virtual')) return known;
      if (known.name === 'attributes') return known;
      return { ...known, attribute: { key: attribute ?? name, certain: attribute !== undefined } };
    }
    const key = /^attrs\./i.test(name) ? name.slice(6) : name;
    const found = attribute ?? attributes.get(key.toLowerCase());
    // As requested: the same whichever segments are read, and in a scan.
    if (found !== undefined)
      return { type: 'attribute', name: attribute === undefined ? key : name, key: found };
    if (overflow) {
      unlisted.add(key);
      return { type: 'attribute', name: key, key, isGuess: true };
    }
    const column = movedField(name);
    const moved = column === undefined ? undefined : knownField(column);
    if (moved !== undefined) return moved;
    const names = [...attributes.values()];
    throw new QueryError(
      'unknown-field',
      `no event has a field ${shown(name)} (column ${start + 1})`,
      start,
      didYouMean(name, [...names, ...knownNames().filter(isThere)]) ??
        `put it in quotes to search for the text: "${name.slice(0, 40)}"`,
    );
  };
}
