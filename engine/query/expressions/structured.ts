/** Values by their names in texts that are JSON, or pairs of keys and values. */
import { jsonStrings } from '../../fields/reading/json/json-strings.ts';
import { jsonMember as jsonMemberThere } from '../dialect/clickhouse-json.ts';
import { jsonMember } from '../dialect/json-sql.ts';
import { extracted as extractedThere } from '../dialect/clickhouse.ts';
import { extracted } from '../dialect/duckdb.ts';
import { CaptureMatcher } from '../re2/captures.ts';
import { type Cell, type Value, onePart, valueClickHouse } from './value.ts';
import { numberText } from './written.ts';

const utf8 = new TextEncoder();
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/** `name=value`, `name="a value"`: the first that is not empty. Case is ignored in names. */
export function pairValue(text: Value, name: string): Value {
  const key = name.toWellFormed().replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
  const pattern = `(?:^|[\\s,;|({])(?i:${key})=(?:"((?:[^"\\\\]|\\\\.)*)"|([^\\s,;|"(){}]*))`;
  const matcher = new CaptureMatcher(pattern, false);
  return {
    type: 'text',
    text: `kv(${text.text}, ${JSON.stringify(name.toLowerCase())})`,
    sql: (scope) => {
      const [sql, bound] = [onePart(text, scope), scope.params.text(pattern)];
      return [`coalesce(${extracted(sql, bound, 1)}, ${extracted(sql, bound, 2)})`];
    },
    clickhouse: (scope) => {
      const sql = valueClickHouse(text, scope);
      const groups = [1, 2].map((group) => extractedThere(sql, pattern, false, group));
      return `coalesce(${groups.join(', ')})`;
    },
    reader: (scope) => {
      const read = text.reader(scope);
      return (row) => {
        const cell = read(row);
        if (cell === null) return null;
        const bytes = utf8.encode(String(cell));
        const found = matcher.exec(bytes);
        for (const group of [1, 2]) {
          const [start, end] = [found?.[2 * group] ?? -1, found?.[2 * group + 1] ?? -1];
          if (start >= 0 && end > start) return decoder.decode(bytes.subarray(start, end));
        }
        return null;
      };
    },
  };
}

/** A member of a JSON object by its name, or by a path of names with dots. */
export function jsonValue(text: Value, name: string): Value {
  const path = name.toWellFormed();
  return {
    type: 'text',
    text: `json(${text.text}, ${JSON.stringify(path)})`,
    sql: (scope) => [jsonMember(onePart(text, scope), path, scope.params)],
    clickhouse: (scope) => jsonMemberThere(valueClickHouse(text, scope), path),
    reader: (scope) => {
      const read = text.reader(scope);
      return (row) => {
        const cell = read(row);
        return cell === null ? null : memberOf(String(cell), path);
      };
    },
  };
}

/** A number with its spelling in the text. */
class WrittenNumber {
  readonly source: string;
  constructor(source: string) {
    this.source = source;
  }
}

/** An escape of half a character: DuckDB rejects such a text as JSON. */
const HALF =
  /(?<!\\)(?:\\\\)*(?:\\u[dD][89abAB]..(?!\\u[dD][c-fC-F])|(?<!\\u[dD][89abAB]..)\\u[dD][c-fC-F])/;
/** Extensions that DuckDB accepts: a comma before the end of an object or a list, NaN and infinity. */
const EXTRA = /(?<![{[,]\s*),(?=\s*[}\]])|-?nan|inf(?:inity)?/gi;

function strictJson(text: string): string {
  const strict = (between: string): string =>
    between.replace(EXTRA, (found) => (found === ',' ? '' : /nan/i.test(found) ? 'null' : '1e999'));
  let from = 0;
  let written = '';
  for (const { start, end } of jsonStrings(text)) {
    written += strict(text.slice(from, start)) + text.slice(start, end);
    from = end;
  }
  return written + strict(text.slice(from));
}

/** Of members with the same name the last counts. */
function memberOf(text: string, path: string): Cell {
  if (!/^\s*[{[]/.test(text) || (text.includes('\\u') && HALF.test(text))) return null;
  const document = parsed(text) ?? parsed(strictJson(text));
  return (
    scalarText(memberNamed(document, path)) ??
    scalarText(path.split('.').reduce(memberNamed, document))
  );
}

/** `undefined` if it is not JSON. */
function parsed(text: string): unknown {
  try {
    // A reviver gets the text of numbers, so that none loses digits.
    return JSON.parse(text, (_, value: unknown, context?: { source?: string }) =>
      typeof value === 'number' && context?.source !== undefined
        ? new WrittenNumber(context.source)
        : value,
    );
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function memberNamed(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? Object.getOwnPropertyDescriptor(value, name)?.value
    : undefined;
}

/** Only single values: a text, a number, true or false. */
function scalarText(value: unknown): Cell {
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean') return String(value);
  if (!(value instanceof WrittenNumber)) return null;
  const { source } = value;
  const isWhole = /^-?\d{1,18}$/.test(source);
  return isWhole && source !== '-0' ? source : numberText(Number(source));
}
