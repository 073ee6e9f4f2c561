/**
 * `lookup FILE on field [as column]`: the columns of a file, of the row whose key is the field's value. Addresses
 * are compared as addresses, and a block as a key matches the addresses in it, longest prefix first; texts ignore
 * case.
 */
import type { Stage } from '../syntax/ast.ts';
import { computedValue } from '../plan/analyse.ts';
import {
  firstIp6,
  foldingTo,
  mapped,
  mappedByTable,
  maskedIp4,
  number,
  real,
  text,
  TRUE_SQL,
} from '../dialect/clickhouse.ts';
import { type ClickHouseRows, selectOf, subquery } from '../dialect/clickhouse-rows.ts';
import type { ClickHouseScope } from '../dialect/clickhouse-scope.ts';
import {
  boundLists,
  blockOfIp4,
  blockOfIp6,
  foldedText,
  ip6BlockKey,
  quoteIdentifier,
} from '../dialect/duckdb.ts';
import { ip6ToUuid, uuidToIp6 } from '../values/address.ts';
import { fieldOf } from '../expressions/analyse.ts';
import { NAMES, converted } from '../expressions/operator.ts';
import { type Cell, type CellReader, type Value, valueClickHouse } from '../expressions/value.ts';
import type { Field, Resolve } from '../names/fields.ts';
import { isOwnName } from '../names/fields.ts';
import { NAMED } from '../filters/names.ts';
import { parseNumber } from '../filters/number-range.ts';
import type { Surroundings } from '../filters/surroundings.ts';
import {
  type Blocks,
  type LookupFile,
  type LookupKeys,
  addressKeys,
  columnType,
  hasAddresses,
  numberKeys,
  textKeys,
} from '../lookups/lookup-file.ts';
import { QueryError, didYouMean, shown, syntaxError } from '../syntax/query-error.ts';
import type { Relation } from '../statements/relation.ts';
import type { Scope } from '../plan/scope.ts';
import { foldText } from '../../util/fold.ts';
import { batchResolve, extendedBatch } from './computed-columns.ts';
import type { StageOperator } from './operator.ts';

type LookupStage = Extract<Stage, { stage: 'lookup' }>;

/** A look-up: the file, its keys, and the value that is compared with them. */
interface Lookup {
  readonly file: LookupFile;
  readonly keys: LookupKeys;
  readonly value: Value;
  /** The columns that it adds, by their places in the file. */
  readonly columns: readonly number[];
  /** Prefix of SQL names. */
  readonly prefix: string;
}

/** @throws QueryError, DaybookError usage, limit-exceeded */
function lookupOf(stage: LookupStage, resolve: Resolve, around: Surroundings): Lookup {
  const { file: path, on, key, start } = stage;
  const file = around.lookups?.get(path);
  if (file === undefined)
    throw new QueryError(
      'query-syntax',
      `the file ${shown(path)} was not read (column ${start + 1})`,
      start,
      "only the command line reads lookup files: daybook query CASE '… | lookup hosts.csv on src_ip'",
    );
  const wanted = key?.name ?? on.name;
  const column = file.names.findIndex((name) => name.toLowerCase() === wanted.toLowerCase());
  if (column < 0)
    throw syntaxError(
      `${file.name} has no column ${shown(wanted)}`,
      (key ?? on).start,
      didYouMean(wanted, file.names) ??
        `its columns are ${file.names.join(', ')}: lookup ${path} on ${on.name} as ${file.names[0]}`,
    );
  const field = resolve(on);
  const given = computedValue({ value: 'field', ...on }, resolve, around);
  const cells = file.cells[column]!;
  const { keys, type } = keysOf(file, column, field, given, hasAddresses(cells));
  const value = given.type === 'time' ? undefined : converted(given, type);
  if (value === undefined) throw syntaxError(`${NAMES[given.type]} cannot be looked up`, on.start);
  return {
    ...{ file, keys, value, prefix: `l${start}` },
    columns: file.names.flatMap((_, at) => (at === column ? [] : [at])),
  };
}

function keysOf(
  file: LookupFile,
  column: number,
  field: Field,
  { type }: Value,
  areAddresses: boolean,
): { keys: LookupKeys; type: 'text' | 'number' | 'address' } {
  if (type === 'address' || (type === 'text' && areAddresses))
    return { keys: addressKeys(file, column), type: 'address' };
  if (type !== 'number') return { keys: textKeys(file.cells[column]!), type: 'text' };
  const names = field.type === 'number' ? field.names : undefined;
  const numberOf = (text: string): number | undefined =>
    parseNumber(text) ?? (names && NAMED[names].get(text.toLowerCase()));
  return { keys: numberKeys(file, column, numberOf), type: 'number' };
}

const computes: NonNullable<StageOperator<LookupStage>['computes']> = (stage, resolve, around) => {
  const lookup = lookupOf(stage, resolve, around);
  const { file, columns, prefix, value } = lookup;
  const fields = columns.map((at) => {
    const cells = file.cells[at]!;
    const type = columnType(cells);
    const column = file.names[at]!;
    // Names that identify or order events keep their meaning.
    const name = isOwnName(column) ? `lookup.${column}` : column;
    const found: Value = {
      type,
      text: `lookup(${file.sha256}, ${at}, ${value.text})`,
      sql: () => [quoteIdentifier(`${prefix}_${at}`)],
      clickhouse: (scope) => cellClickHouse(`${prefix}_n`, cells, type, scope),
      reader: (scope) => {
        const rowOf = rowFinder(lookup.keys, value.reader(scope));
        return (row) => {
          const place = rowOf(row);
          const cell = place === undefined ? null : cells[place]!;
          return cell === null || type === 'text' ? cell : Number(cell);
        };
      },
    };
    return { name, field: fieldOf(name, found) };
  });
  return { fields, hidden: [] };
};

/** The row of the file for a row of a scope. */
function rowFinder(keys: LookupKeys, read: CellReader): (row: number) => number | undefined {
  switch (keys.type) {
    case 'text':
      return (row) => {
        const cell = read(row);
        return cell === null ? undefined : keys.rows.get(foldText(String(cell)));
      };
    case 'number':
      return (row) => {
        const cell = read(row);
        return cell === null ? undefined : keys.rows.get(Number(cell));
      };
    case 'address':
      return (row) => {
        const cell = read(row);
        for (const blocks of cell === null ? [] : keys.blocks) {
          const found = rowIn(blocks, cell);
          if (found !== undefined) return found;
        }
        return undefined;
      };
  }
}

function rowIn({ version, prefix, rows }: Blocks, cell: Cell): number | undefined {
  if (typeof cell === 'number') {
    if (version !== 4) return undefined;
    const mask = prefix === 0 ? 0 : (0xffff_ffff << (32 - prefix)) >>> 0;
    return rows.get((cell & mask) >>> 0);
  }
  if (version !== 6 || cell === null) return undefined;
  const host = BigInt(128 - prefix);
  return rows.get((uuidToIp6(cell) >> host) << host);
}

// -- SQL -------------------------------------------------------------------------------------------

/** A table of keys, and the values of an event to compare with them. */
interface KeyTable {
  readonly type: string;
  readonly keys: readonly (string | number)[];
  readonly rows: readonly number[];
  readonly value: string;
  /** The key as stored in the table. */
  readonly key: (sql: string) => string;
}

function keyTables({ keys, value }: Lookup, scope: Scope): KeyTable[] {
  const parts = value.sql(scope);
  const same = (sql: string): string => sql;
  if (keys.type === 'text')
    return [
      {
        ...{ type: 'VARCHAR', keys: [...keys.rows.keys()], rows: [...keys.rows.values()] },
        ...{ value: foldedText(parts[0]!), key: foldedText },
      },
    ];
  if (keys.type === 'number')
    return [
      {
        ...{ type: 'DOUBLE', keys: [...keys.rows.keys()], rows: [...keys.rows.values()] },
        ...{ value: parts[0]!, key: same },
      },
    ];
  return keys.blocks.map(({ version, prefix, rows }) => ({
    type: version === 4 ? 'UINTEGER' : 'VARCHAR',
    keys: [...rows.keys()].map((low) =>
      typeof low === 'bigint' ? ip6BlockKey(ip6ToUuid(low), prefix) : low,
    ),
    rows: [...rows.values()],
    value: version === 4 ? blockOfIp4(parts[0]!, prefix) : blockOfIp6(parts[1]!, prefix),
    key: same,
  }));
}

function withColumns(stage: LookupStage, relation: Relation, around: Surroundings): Relation {
  const { scope, resolve } = relation;
  const lookup = lookupOf(stage, resolve, around);
  const { file, columns, prefix } = lookup;
  const name = (part: string | number): string => quoteIdentifier(`${prefix}_${part}`);
  const json = (values: readonly unknown[]): string => scope.params.text(JSON.stringify(values));
  const tables = keyTables(lookup, scope);
  const keyValues = tables.map(({ value }, i) => `, ${value} AS ${name(`k${i}`)}`);
  const joins = tables.map(({ type, keys, rows, key }, i) => {
    const lists = boundLists([
      { name: 'lk', type, json: json(keys) },
      { name: 'ln', type: 'INTEGER', json: json(rows) },
    ]);
    return ` LEFT JOIN (SELECT ${key('lk')} AS lk, ln FROM (${lists}) AS u) AS k${i} ON k${i}.lk = q.${name(`k${i}`)}`;
  });
  const values = boundLists([
    { name: 'ln', type: 'INTEGER', json: json(file.lines.map((_, row) => row)) },
    ...columns.map((at) => {
      const isNumber = columnType(file.cells[at]!) === 'number';
      const cells = file.cells[at]!.map((cell) =>
        cell === null || !isNumber ? cell : Number(cell),
      );
      return { name: `${prefix}_${at}`, type: isNumber ? 'DOUBLE' : 'VARCHAR', json: json(cells) };
    }),
  ]);
  const found =
    tables.length === 0
      ? 'CAST(NULL AS INTEGER)'
      : `coalesce(${[...tables.map((_, i) => `k${i}.ln`), 'NULL'].join(', ')})`;
  const added = columns.map((at) => `, v.${name(at)}`).join('');
  return {
    ...relation,
    sql: () =>
      `SELECT q.*${added} FROM (SELECT q.*, ${found} AS ${name('n')} FROM (SELECT *${keyValues.join('')} FROM (${relation.sql()}) AS r) AS q${joins.join('')}) AS q LEFT JOIN (${values}) AS v ON v.ln = q.${name('n')}`,
  };
}

// -- ClickHouse ------------------------------------------------------------------------------------

/** Literals by literals, those of one type each. */
type Pairs = readonly (readonly [from: string, to: string])[];

/** The results that `pairs` map a value to; types as in the pairs' table. */
function lookedUp(sql: string, pairs: Pairs, types: readonly string[], scope: ClickHouseScope) {
  const table = scope.listTable(types, pairs, 1);
  if (table !== undefined) return mappedByTable(sql, table);
  return mapped(
    sql,
    pairs.map(([from]) => from),
    pairs.map(([, to]) => to),
  );
}

/** Adds the row of the file as a column: every column of the file is looked up by it. */
function withRowClickHouse(stage: LookupStage, rows: ClickHouseRows): ClickHouseRows {
  const lookup = lookupOf(stage, rows.resolve, rows.around);
  const value = valueClickHouse(lookup.value, rows.scope);
  const name = `${lookup.prefix}_n`;
  const found = [
    ...rowsClickHouse(lookup.keys, value, rows.scope),
    'CAST(NULL AS Nullable(Int32))',
  ];
  return {
    ...rows,
    from: subquery(selectOf(`*, coalesce(${found.join(', ')}) AS ${name}`, rows)),
    where: TRUE_SQL,
  };
}

/** Rows of the file by each form of its keys. */
function rowsClickHouse(keys: LookupKeys, value: string, scope: ClickHouseScope): string[] {
  const rowBy = (sql: string, type: string, pairs: [string, number][]): string[] => {
    const literals = pairs.map(([key, row]) => [key, String(row)] as const);
    return pairs.length === 0 ? [] : [lookedUp(sql, literals, [type, 'Int32'], scope)];
  };
  switch (keys.type) {
    case 'text': {
      const all = [...keys.rows].map(([key, row]): [string, number] => [text(key), row]);
      return rowBy(foldingTo(keys.rows.keys())(value), 'String', all);
    }
    case 'number':
      return rowBy(
        real(value),
        'Float64',
        [...keys.rows].map(([key, row]) => [real(number(key)), row]),
      );
    case 'address':
      return keys.blocks.flatMap(({ version, prefix, rows }) =>
        version === 4
          ? rowBy(
              maskedIp4(value, prefix),
              'UInt32',
              [...rows].map(([low, row]) => [`toUInt32(${low})`, row]),
            )
          : rowBy(
              `hex(${firstIp6(value, prefix)})`,
              'String',
              [...rows].map(([low, row]) => [
                text(low.toString(16).padStart(32, '0').toUpperCase()),
                row,
              ]),
            ),
      );
  }
}

/** A cell of the row that a column numbers. */
function cellClickHouse(
  row: string,
  cells: readonly (string | null)[],
  type: 'number' | 'text',
  scope: ClickHouseScope,
): string {
  const sqlType = type === 'number' ? 'Float64' : 'String';
  const pairs = cells.flatMap((cell, at) => {
    if (cell === null) return [];
    return [
      [`toInt32(${at})`, type === 'number' ? real(number(Number(cell))) : text(cell)] as const,
    ];
  });
  if (pairs.length === 0) return `CAST(NULL AS Nullable(${sqlType}))`;
  return lookedUp(row, pairs, ['Int32', sqlType], scope);
}

export const lookupOperator: StageOperator<LookupStage> = {
  file: ({ file }) => file,
  computes,
  derives: () => true,
  byRow: true,
  relation: withColumns,
  clickhouse: withRowClickHouse,
  batchTable: (stage, table, around) =>
    extendedBatch(table, computes(stage, batchResolve(table, around), around)),
};
