/**
 * The syntax of each stage: its form, and how the text after its name is read. Its meaning is in
 * stages/NAME.ts.
 */
import type {
  Ast,
  Cut,
  Expression,
  Interval,
  Measure,
  Name,
  Renamed,
  SequenceStep,
  SortKey,
  Stage,
  StageName,
  ValueNode,
} from './ast.ts';
import { PREVIOUS_NAMES } from './lexemes.ts';
import { shown, syntaxError } from './query-error.ts';

type WithoutSpan<T> = T extends unknown ? Omit<T, 'start' | 'end'> : never;

/** Reads the text after a stage's name. Throws QueryError. */
export interface StageReader {
  filter(): Expression;
  /** A query in brackets. */
  nested(): Ast;
  number(): number | undefined;
  name(): Name;
  names(): Name[];
  /** The name of a field or a column, not an expression. */
  column(): Name;
  columns(): Name[];
  /** The name of a file: a word or a text in quotes. */
  path(): string;
  /** An expression. */
  value(): ValueNode;
  /** `"from {src_ip}"` or `/(?<user>\w+)/`. */
  templateOrPattern(): Cut;
  /** Takes a sign. */
  take(sign: '=' | ':' | '(' | ')'): boolean;
  measure(): Measure;
  interval(): Interval | undefined;
  /** @param after the word that must precede it */
  neededInterval(after?: string): Interval;
  /** A filter up to `then` or the end, and the required number of events: `failed x10`. */
  step(): SequenceStep;
  /** Takes a keyword of the stage, in any case. */
  word(text: string): boolean;
  /** Takes `by`, unless it is the name of a field. */
  optionalBy(): void;
  /** A sign before a name: `-bytes`. */
  sign(): '+' | '-' | undefined;
  comma(): boolean;
  /** Whether the next token is a name other than these words. */
  isName(...words: readonly string[]): boolean;
  /** Current position in the text. */
  readonly at: number;
}

interface StageGrammar<S> {
  /** Its syntax, for messages. */
  readonly form: string;
  /** Its purpose in a few words, for completion. */
  readonly does: string;
  parse(reader: StageReader): WithoutSpan<S>;
}

type Of<N extends StageName> = Extract<Stage, { stage: N }>;

/** Templates shown by default. */
const PATTERNS_SHOWN = 100;
/** Default number of rows of `head` and `tail`, and of groups of `top` and `rare`. */
const ROWS_SHOWN = 10;
/** Maximum number of steps in a sequence: each is a bit of an event's state. */
const MOST_STEPS = 10;

export const STAGE_GRAMMAR: { readonly [N in StageName]: StageGrammar<Of<N>> } = {
  count: {
    form: 'count; by groups: stats count() by field',
    does: 'the number of events',
    parse: () => ({ stage: 'count' }),
  },
  top: {
    form: 'top N field, … [by count | sum(field) | …]',
    does: 'the largest groups, with their share',
    parse: (reader) => ({ ...groups(reader), stage: 'top' }),
  },
  rare: {
    form: 'rare N field, … [by count | sum(field) | …]',
    does: 'the smallest groups, with their share',
    parse: (reader) => ({ ...groups(reader), stage: 'rare' }),
  },
  timeline: {
    form: 'timeline [5m] [sum(field)] [spread] [by field]',
    does: 'counts per interval',
    parse: timeline,
  },
  stats: {
    form: 'stats count(), sum(field) as name, … [by field, …]',
    does: 'a table of sums, averages and the like',
    parse: stats,
  },
  where: {
    form: 'where filter',
    does: 'a further filter',
    parse: (reader) => ({ stage: 'where', filter: reader.filter() }),
  },
  eval: {
    form: 'eval name = expression; of the row before: eval gap = delta(ts) by field, …',
    does: 'a computed field',
    parse: computed,
  },
  extract: {
    form: 'extract "text {field} text" or /(?<field>…)/ [from field]',
    does: 'fields extracted from a text',
    parse: extract,
  },
  parse: {
    form: 'parse json(field), parse kv(field)',
    does: 'fields found in JSON or key=value text',
    parse: parsed,
  },
  lookup: {
    form: 'lookup FILE on field [as column]',
    does: 'columns of a file, joined by a key',
    parse: lookup,
  },
  unnest: {
    form: 'unnest field',
    does: 'a row for each member of a list',
    parse: (reader) => ({ stage: 'unnest', field: reader.column() }),
  },
  rename: {
    form: 'rename field as name, …',
    does: 'fields under other names',
    parse: rename,
  },
  fields: {
    form: 'fields field, …; or all but some: fields -field, …',
    does: 'the columns to show',
    parse: fields,
  },
  sort: {
    form: 'sort field [desc], …',
    does: 'rows in another order',
    parse: sort,
  },
  head: {
    form: 'head N',
    does: 'the first rows',
    parse: (reader) => ({ stage: 'head', limit: reader.number() ?? ROWS_SHOWN }),
  },
  tail: {
    form: 'tail N',
    does: 'the last rows',
    parse: (reader) => ({ stage: 'tail', limit: reader.number() ?? ROWS_SHOWN }),
  },
  dedup: {
    form: 'dedup field, …',
    does: 'the first row of each combination',
    parse: (reader) => ({ stage: 'dedup', fields: reader.columns() }),
  },
  talkers: {
    form: 'talkers [N]',
    does: 'conversations between addresses',
    parse: (reader) => ({ stage: 'talkers', limit: reader.number() }),
  },
  values: {
    form: 'values field',
    does: 'the values of a field with their counts',
    parse: (reader) => ({ stage: 'values', field: reader.name() }),
  },
  patterns: {
    form: 'patterns [N] [asc | desc]',
    does: 'messages grouped by pattern',
    parse: patterns,
  },
  session: {
    form: 'session [by field, …] gap 30m',
    does: 'runs of events without a longer gap',
    parse: session,
  },
  sequence: {
    form: 'sequence [by field, …] within 5m: filter x10 then filter',
    does: 'events that follow one another',
    parse: sequence,
  },
  union: {
    form: 'union (query)',
    does: 'these events and those of another query',
    parse: (reader) => ({ stage: 'union', query: reader.nested() }),
  },
};

function groups(reader: StageReader): Omit<WithoutSpan<Of<'top'>>, 'stage'> {
  const limit = reader.number() ?? ROWS_SHOWN;
  const names = reader.names();
  const by = reader.word('by') ? reader.measure() : undefined;
  const { at } = reader;
  const count = { fn: 'count', of: undefined, as: 'count', start: at, end: at } as const;
  return { limit, fields: names, by: by ?? count };
}

function timeline(reader: StageReader): WithoutSpan<Of<'timeline'>> {
  let interval: Interval | undefined;
  let by: Name | undefined;
  let spread: Name | undefined;
  let measure: Measure | undefined;
  for (;;) {
    if (by === undefined && reader.word('by')) by = reader.name();
    else if (spread === undefined && reader.word('spread')) {
      const { at } = reader;
      spread = reader.isName('by') ? reader.name() : { name: 'bytes', start: at, end: at };
    } else {
      const next = interval === undefined ? reader.interval() : undefined;
      const { at } = reader;
      if (next !== undefined) interval = next;
      else if (measure === undefined && reader.isName('by', 'spread')) measure = reader.measure();
      else {
        if (measure !== undefined && spread !== undefined)
          throw syntaxError('a timeline has a measure or spreads a number, not both', at);
        // Events are counted anyway.
        const counts = measure === undefined || measure.fn === 'count';
        return { stage: 'timeline', interval, by, spread, ...(counts ? {} : { measure }) };
      }
    }
  }
}

function stats(reader: StageReader): WithoutSpan<Of<'stats'>> {
  const measures: Measure[] = [];
  do measures.push(reader.measure());
  while (reader.comma());
  const by = reader.word('by') ? reader.names() : [];
  const names = new Set<string>();
  for (const { as, fn, start } of measures) {
    if (names.has(as))
      throw syntaxError(`a second column named ${shown(as)}`, start, `name it: ${fn}(…) as other`);
    names.add(as);
  }
  return { stage: 'stats', measures, by };
}

function computed(reader: StageReader): WithoutSpan<Of<'eval'>> {
  const as = reader.column();
  const { at } = reader;
  if (!reader.take('=')) throw syntaxError('expected =', at, 'write eval name = expression');
  const value = reader.value();
  const { at: place } = reader;
  const by = reader.word('by') ? reader.columns() : [];
  if (by.length > 0 && !readsBefore(value))
    throw syntaxError(
      'found by, but neither prev nor delta',
      place,
      'write eval gap = delta(ts) by src_ip; for groups write stats … by src_ip',
    );
  return { stage: 'eval', as, value, by };
}

/** Whether an expression has a function of the row before. */
function readsBefore(node: ValueNode): boolean {
  if (node.value === 'call') return PREVIOUS_NAMES.has(node.fn) || node.args.some(readsBefore);
  return node.value === 'condition' && testReadsBefore(node.filter);
}

function testReadsBefore(node: Expression): boolean {
  switch (node.node) {
    case 'compared':
      return readsBefore(node.left) || (node.right !== undefined && readsBefore(node.right));
    case 'not':
      return testReadsBefore(node.item);
    case 'and':
    case 'or':
      return node.items.some(testReadsBefore);
    default:
      return false;
  }
}

function extract(reader: StageReader): WithoutSpan<Of<'extract'>> {
  const before = reader.word('from') ? reader.column() : undefined;
  const given = reader.templateOrPattern();
  const { at } = reader;
  const after = before === undefined && reader.word('from') ? reader.column() : undefined;
  const from = before ?? after ?? { name: 'message', start: at, end: at };
  return { stage: 'extract', from, given };
}

function parsed(reader: StageReader): WithoutSpan<Of<'parse'>> {
  const { at } = reader;
  const form = reader.word('json') ? 'json' : reader.word('kv') ? 'kv' : undefined;
  if (form === undefined)
    throw syntaxError('expected json or kv', at, 'write parse json(message) or parse kv(message)');
  let from: Name = { name: 'message', start: at, end: at };
  if (reader.take('(')) {
    from = reader.column();
    const end = reader.at;
    if (!reader.take(')')) throw syntaxError('expected )', end);
  }
  return { stage: 'parse', form, from };
}

function lookup(reader: StageReader): WithoutSpan<Of<'lookup'>> {
  const file = reader.path();
  const { at } = reader;
  if (!reader.word('on')) throw syntaxError('expected on', at, 'write lookup hosts.csv on src_ip');
  const on = reader.column();
  const key = reader.word('as') ? reader.column() : undefined;
  return { stage: 'lookup', file, on, key };
}

function rename(reader: StageReader): WithoutSpan<Of<'rename'>> {
  const names: Renamed[] = [];
  do {
    const from = reader.column();
    const { at } = reader;
    if (!reader.word('as')) throw syntaxError('expected as', at, 'write rename field as name');
    names.push({ from, to: reader.column() });
  } while (reader.comma());
  return { stage: 'rename', names };
}

function fields(reader: StageReader): WithoutSpan<Of<'fields'>> {
  const without = reader.sign() === '-';
  const names = [reader.column()];
  while (reader.comma()) {
    const { at } = reader;
    const sign = reader.sign();
    if (sign !== undefined && (sign === '-') !== without)
      throw syntaxError('fields are shown or left out, not both', at, 'write fields -a, -b');
    names.push(reader.column());
  }
  return { stage: 'fields', fields: names, ...(without ? { without } : {}) };
}

function sort(reader: StageReader): WithoutSpan<Of<'sort'>> {
  const keys: SortKey[] = [];
  reader.optionalBy();
  do {
    const sign = reader.sign();
    const by = reader.column();
    const descending = reader.word('desc') || (!reader.word('asc') && sign === '-');
    keys.push({ by, descending });
  } while (reader.comma());
  return { stage: 'sort', keys };
}

function patterns(reader: StageReader): WithoutSpan<Of<'patterns'>> {
  const limit = reader.number() ?? PATTERNS_SHOWN;
  const descending = reader.word('desc');
  if (!descending) reader.word('asc');
  return { stage: 'patterns', limit, descending };
}

function session(reader: StageReader): WithoutSpan<Of<'session'>> {
  let by: Name[] | undefined;
  let gap: Interval | undefined;
  for (;;) {
    if (by === undefined && reader.word('by')) by = reader.names();
    else if (gap === undefined && reader.word('gap')) gap = reader.neededInterval();
    else return { stage: 'session', by: by ?? [], gap: gap ?? reader.neededInterval('gap') };
  }
}

function sequence(reader: StageReader): WithoutSpan<Of<'sequence'>> {
  let by: Name[] | undefined;
  let within: Interval | undefined;
  for (;;) {
    if (by === undefined && reader.word('by')) by = reader.names();
    else if (within === undefined && reader.word('within')) within = reader.neededInterval();
    else break;
  }
  reader.take(':');
  const steps = [reader.step()];
  while (reader.word('then')) {
    const { at } = reader;
    if (steps.length === MOST_STEPS)
      throw syntaxError(`a sequence has at most ${MOST_STEPS} steps`, at);
    steps.push(reader.step());
  }
  return { stage: 'sequence', by: by ?? [], within, steps };
}
