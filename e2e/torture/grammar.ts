/**
 * Random queries over the whole language, with values that a case has and some that it has not. A query is kept as
 * a tree, so that a failing one can be reduced.
 */
import type { Random } from '../../fixtures/evidence/random.ts';
import type { Question } from './asker.ts';
import type { ViewQuestion } from './views.ts';

export interface Query {
  readonly filter: Filter;
  readonly stages: readonly string[];
  readonly asked: Omit<Question, 'text'>;
}

type Filter =
  | { readonly leaf: string }
  | { readonly operator: 'AND' | 'OR' | 'NOT'; readonly parts: readonly Filter[] };

/** The contents of a case: values by field, from its rows, and words of its messages. */
export interface Vocabulary {
  readonly values: ReadonlyMap<string, readonly string[]>;
  readonly words: readonly string[];
  readonly messages: readonly string[];
  readonly times: readonly string[];
  readonly tags: readonly string[];
}

export function vocabularyOf(rows: readonly Record<string, unknown>[], tags: string[]): Vocabulary {
  const values = new Map<string, Set<string>>();
  const add = (field: string, value: unknown): void => {
    if (typeof value !== 'string' && typeof value !== 'number') return;
    let known = values.get(field);
    if (known === undefined) values.set(field, (known = new Set()));
    if (known.size < 60) known.add(String(value));
  };
  const words = new Set<string>();
  const messages = new Set<string>();
  const times = new Set<string>();
  for (const row of rows) {
    for (const [field, value] of Object.entries(row)) {
      if (typeof value !== 'object' || value === null) add(field, value);
      else if (!Array.isArray(value))
        for (const [name, member] of Object.entries(value)) add(name, member);
    }
    const { message, ts } = row;
    if (typeof ts === 'string') times.add(ts);
    if (typeof message !== 'string') continue;
    messages.add(message);
    for (const word of wordsOf(message)) words.add(word);
  }
  for (const field of [
    'message',
    'event_id',
    'community_id',
    'ts',
    'tags',
    'source',
    'kind',
    'day',
  ])
    values.delete(field);
  const kept = new Map([...values].map(([field, set]) => [field, [...set]] as const));
  return {
    ...{ values: kept, words: [...words], messages: [...messages] },
    ...{ times: [...times], tags },
  };
}

function wordsOf(text: string): readonly string[] {
  return text.match(/[\w\u0080-\uffff]+/g) ?? [];
}

const KINDS = ['packet', 'flow', 'log', '*'];
const quoted = (text: string): string =>
  `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
const NUMERIC = [
  'src_port',
  'dst_port',
  'bytes',
  'packets',
  'duration',
  'length',
  'severity',
  'pid',
];
const MEASURED = ['bytes', 'packets', 'length', 'duration', 'status'];
/** Fields by which rollups count. */
const SUMMED = [
  ...['src_ip', 'dst_ip', 'src_port', 'dst_port', 'proto', 'service', 'host', 'program'],
  ...['event_type', 'action', 'severity', 'kind', 'source'],
];
const ADDRESSES = ['src_ip', 'dst_ip', 'ip'];

export class Grammar {
  private readonly random: Random;
  private readonly words: Vocabulary;
  private readonly fields: readonly string[];

  constructor(random: Random, words: Vocabulary) {
    this.random = random;
    this.words = words;
    this.fields = [...words.values.keys()];
  }

  query(): Query {
    const { random } = this;
    const chance = (of: number): boolean => random.below(of) === 0;
    const range = chance(4) ? this.range() : {};
    const list = chance(7) ? { list: this.list() } : {};
    const zone = random.oneOf(['UTC', 'UTC', 'America/New_York', '+05:30']);
    const limit = random.oneOf([0, 1, 10, 100, 500]);
    const asked = { ...range, ...list, zone, limit };
    const form = random.below(10);
    if (form < 2) return { filter: this.counted(), stages: [this.counting(SUMMED)], asked };
    const filter = chance(8) ? { leaf: '*' } : this.filter(random.between(0, 3));
    // A term for which an index finds few rows, combined with anything.
    if (form < 8)
      return {
        filter: { operator: 'AND', parts: [this.found(), filter] },
        stages: this.stages(),
        asked,
      };
    // A query without a kind leaves packets out; most should have some.
    const kinded: Filter = chance(2)
      ? filter
      : { operator: 'AND', parts: [{ leaf: `kind:${random.oneOf(KINDS)}` }, filter] };
    return { filter: kinded, stages: this.stages(), asked };
  }

  /** A window's requests: events, and how they are viewed. */
  view(): Query {
    const { filter, asked } = this.query();
    const stages = this.random.below(4) === 0 ? [this.shaping()] : [];
    return { filter, stages, asked: { ...asked, view: this.look() } };
  }

  private look(): ViewQuestion {
    const { random } = this;
    const field = (): string => random.oneOf([...this.fields, 'kind', 'source', 'day']);
    const by = (): string => random.oneOf([field(), ...SUMMED]);
    switch (random.below(9)) {
      case 0:
      case 1:
      case 2:
      case 3: {
        const page = () => ({ at: random.below(1000) / 1000, limit: random.between(1, 60) });
        const shown = Array.from({ length: random.between(1, 12) }, field);
        const pages = [page(), { ...page(), fields: shown }];
        const moments = Array.from({ length: 2 }, () => Date.parse(this.moment()) * 1000);
        const sort = {
          field: random.oneOf(['ts', 'ts', 'bytes', field()]),
          descending: random.below(2) === 0,
        };
        return { of: 'list', pages, moments, ...(random.below(2) === 0 ? { sort } : {}) };
      }
      case 4:
      case 5:
        return {
          ...{ of: 'timeline', buckets: random.between(1, 200), most: random.between(1, 10) },
          ...(random.below(2) === 0 ? { by: by() } : {}),
        };
      case 6:
        return { of: 'values', field: by(), limit: random.between(1, 50) };
      case 7: {
        const measure = random.oneOf([
          { fn: 'count' as const },
          { fn: 'sum' as const, of: random.oneOf(MEASURED) },
          { fn: 'distinct' as const, of: field() },
        ]);
        const groups = random.below(3) === 0 ? [by(), by()] : [by()];
        return {
          ...{ of: 'top', by: groups, measure, limit: random.between(1, 50) },
          sparkline: random.oneOf([0, 0, 24]),
        };
      }
      default:
        return {
          of: 'conversations',
          order: random.oneOf(['bytes', 'flows', 'packets', 'last']),
          limit: random.between(1, 50),
        };
    }
  }

  /** Events that rollups may be able to count. */
  private counted(): Filter {
    const { random } = this;
    const kind: Filter = { leaf: `kind:${random.oneOf(KINDS)}` };
    if (random.below(2) === 0) return kind;
    const field = random.oneOf(SUMMED.filter((name) => this.fields.includes(name)));
    const value = field === undefined ? undefined : this.valueOf(field);
    if (value === undefined) return kind;
    const equal: Filter = { leaf: `${field}:${quoted(value)}` };
    return random.below(4) === 0 ? equal : { operator: 'AND', parts: [kind, equal] };
  }

  private found(): Filter {
    const { random, words } = this;
    const leaf = (): Filter => {
      switch (random.below(3)) {
        case 0: {
          const rare = words.words.filter((word) => word.length > 3 && /\d/.test(word));
          return { leaf: this.cased(rare.length === 0 ? 'word' : random.oneOf(rare)) };
        }
        case 1:
          return { leaf: quoted(this.piece()) };
        default: {
          const field = random.oneOf(this.fields);
          return { leaf: `${this.name(field)}:${quoted(this.valueOf(field) ?? 'x')}` };
        }
      }
    };
    if (random.below(3) > 0) return leaf();
    return { operator: random.oneOf(['AND', 'OR']), parts: [leaf(), leaf()] };
  }

  filter(depth: number): Filter {
    const { random } = this;
    if (depth === 0) return { leaf: this.leaf() };
    const operator = random.oneOf(['AND', 'AND', 'OR', 'OR', 'NOT'] as const);
    const count = operator === 'NOT' ? 1 : random.between(2, 3);
    const parts = Array.from({ length: count }, () => this.filter(random.below(depth)));
    return { operator, parts };
  }

  private leaf(): string {
    const { random, words } = this;
    const word = (): string => this.word();
    switch (random.below(18)) {
      case 0:
        return this.cased(word());
      case 1:
        return this.shaped(word());
      case 2:
      case 3:
        return quoted(this.piece());
      case 4:
        return this.valueOf(random.oneOf(ADDRESSES.slice(0, 2))) ?? word();
      case 5:
        return this.address();
      case 6:
      case 7:
        return this.number();
      case 8:
        return `message:${random.below(2) === 0 ? word() : quoted(this.piece())}`;
      case 9:
        return this.pattern();
      case 10:
        return this.time();
      case 11:
        return this.tuple();
      case 12:
        return `attributes:${quoted(this.valueOf(random.oneOf(this.fields)) ?? word())}`;
      case 13:
        if (words.tags.length > 0) return `tag:${random.oneOf(words.tags)}`;
        return 'last:6h';
      case 14:
        return this.clock();
      case 15:
        return random.oneOf([
          `${random.oneOf(ADDRESSES)}:${random.oneOf(['private', 'public', 'multicast', 'loopback', 'linklocal'])}`,
          `${random.oneOf(['src_ip', 'dst_ip'])} ${random.oneOf(['=', '!='])} dst_ip`,
          `${random.oneOf(['bytes', 'src_port', 'program'])} ${random.oneOf(['=', '>', '<='])} ${random.oneOf(['packets', 'dst_port', 'host'])}`,
        ]);
      default:
        return this.field();
    }
  }

  private clock(): string {
    const { random } = this;
    const days = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'];
    return random.oneOf([
      `hour:${random.below(24)}`,
      `hour:>=${random.below(24)}`,
      `hour:${random.between(12, 23)}-${random.below(12)}`,
      `weekday:${random.oneOf(days)},${random.oneOf(days)}`,
      `weekday:${random.oneOf(days)}-${random.oneOf(days)}`,
    ]);
  }

  /** An expression of a number, a text, a time or an address. */
  private expression(): string {
    const { random } = this;
    const number = (): string => random.oneOf(MEASURED);
    return random.oneOf([
      `${number()} + ${random.below(100)}`,
      `round(${number()} / ${number()}, 2)`,
      'len(message)',
      `bin(ts, ${random.oneOf(['5m', '1h', '7h', '1d', '1w'])})`,
      `if(${this.plainLeaf()}, "yes", "no")`,
      `coalesce(${random.oneOf(['host', 'program'])}, "none")`,
      `upper(substr(coalesce(program, host), ${random.between(1, 3)}, 4))`,
      `split(message, " ", ${random.oneOf([1, 2, -1])})`,
      'replace(message, /[0-9]+/, "#")',
      `cidr(${random.oneOf(['src_ip', 'dst_ip'])}, ${random.between(1, 32)})`,
      'coalesce(dst_ip, src_ip)',
      'hour(ts)',
    ]);
  }

  /** A condition that has no comma outside of quotes. */
  private plainLeaf(): string {
    const leaf = this.leaf();
    return /[,()/]|[=<>]/.test(leaf) ? 'src_ip:private' : leaf;
  }

  private field(): string {
    const { random } = this;
    const field = random.oneOf(this.fields);
    const name = this.name(field);
    const value = (): string => this.valueOf(field) ?? 'x';
    switch (random.below(8)) {
      case 0:
        return `${name}:*`;
      case 1:
        return `${name}:(${quoted(value())} OR ${quoted(value())})`;
      case 2:
        return /^[\w.-]+$/.test(value())
          ? `${name}:${this.shaped(this.bare(value()))}`
          : `${name}:*`;
      case 3:
        return `${name}:>=${quoted(value())}`;
      case 4:
        return `${name}:[${quoted(value())} TO ${quoted(value())}]`;
      case 5:
        return `${name}:/${this.bare(value()).slice(0, 4)}/i`;
      default:
        return `${name}:${quoted(this.cased(value()))}`;
    }
  }

  private number(): string {
    const { random } = this;
    const known = NUMERIC.filter((field) => this.fields.includes(field));
    const field = known.length === 0 ? 'bytes' : random.oneOf(known);
    const value = (): number => {
      const seen = Number(this.valueOf(field));
      return Number.isFinite(seen) && random.below(4) > 0 ? seen : random.below(70_000);
    };
    const [low, high] = [value(), value()].toSorted((a, b) => a - b);
    switch (random.below(6)) {
      case 0:
        return `${field}:[${low} TO ${high}]`;
      case 1:
        return `${field}:{${low} TO *]`;
      case 2:
        return `${field}:${low}`;
      case 3:
        return field === 'severity' || field === 'pid'
          ? `${field}:${low}`
          : `${field}:${low},${high}`;
      case 4:
        return `port:${random.oneOf([22, 53, 80, 443, low!])}`;
      default:
        return `${field}:${random.oneOf(['>', '>=', '<', '<='])}${low}`;
    }
  }

  private address(): string {
    const { random } = this;
    const field = random.oneOf(ADDRESSES);
    const value = this.valueOf(field === 'ip' ? 'src_ip' : field) ?? '10.0.0.1';
    if (value.includes(':')) return `${field}:${value}${random.below(2) === 0 ? '/64' : ''}`;
    switch (random.below(4)) {
      case 0:
        return `${field}:${value}`;
      case 1:
        return `${field}:${value.split('.').slice(0, 3).join('.')}.*`;
      case 2:
        return `${field}:${value}-${value.split('.').slice(0, 3).join('.')}.255`;
      default:
        return `${field}:${value}/${random.between(1, 32)}`;
    }
  }

  private tuple(): string {
    const { random } = this;
    const end = (field: string, port: string): string => {
      const address = random.below(3) === 0 ? '*' : (this.valueOf(field) ?? '*');
      const shown = address.includes(':') ? `[${address}]` : address;
      return `${shown}:${random.below(2) === 0 ? '*' : (this.valueOf(port) ?? '*')}`;
    };
    return `flow:${end('src_ip', 'src_port')}-${end('dst_ip', 'dst_port')}/${random.oneOf(['tcp', 'udp', '*'])}`;
  }

  private pattern(): string {
    const piece = this.bare(this.piece()).split(/[^a-z]+/i);
    const word = piece.find((part) => part.length > 2) ?? 'a';
    const { random } = this;
    const text = random.oneOf([word, `${word.slice(0, 3)}.*`, `^.*${word}`, `[${word[0]}x]\\w+$`]);
    return `message:/${text}/${random.below(2) === 0 ? 'i' : ''}`;
  }

  private time(): string {
    const { random } = this;
    const from = this.moment();
    switch (random.below(5)) {
      case 0:
        return `ts:${from.slice(0, 10)}`;
      case 1:
        return `day:${from.slice(0, random.oneOf([8, 10]))}${random.below(2) === 0 ? '*' : ''}`.replace(
          /-$/,
          '-*',
        );
      case 2:
        return `ts:>=${from.slice(0, 19)}`;
      case 3:
        return `last:${random.between(1, 72)}h`;
      default:
        return `ts:[${from.slice(0, 16)} TO ${this.moment().slice(0, 16)}]`;
    }
  }

  private range(): { from?: string; to?: string } {
    const [from, to] = [this.moment(), this.moment()].toSorted();
    if (from === to) return {};
    const which = this.random.below(3);
    return { ...(which !== 0 ? { from: from! } : {}), ...(which !== 1 ? { to: to! } : {}) };
  }

  private list(): NonNullable<Question['list']> {
    const { random } = this;
    const lines = Array.from({ length: random.between(1, 20) }, () => this.cell());
    if (random.below(2) === 0) return { text: lines.join('\n') };
    const rows = lines.map(
      () => `${this.valueOf('src_ip') ?? ''},${this.valueOf('dst_port') ?? ''}`,
    );
    return { text: `src_ip,dst_port\n${rows.join('\n')}` };
  }

  private cell(): string {
    const value =
      this.random.below(2) === 0 ? (this.valueOf('dst_ip') ?? '10.0.0.1') : this.bare(this.piece());
    return value.trim() === '' ? 'word' : value;
  }

  private stages(): string[] {
    const { random } = this;
    const stages = Array.from({ length: random.oneOf([0, 0, 0, 1, 1, 2]) }, () => this.shaping());
    if (random.below(10) < 7) stages.push(this.counting([...this.fields, 'kind', 'source', 'day']));
    return stages;
  }

  private shaping(): string {
    const { random } = this;
    const field = (): string => this.name(random.oneOf([...this.fields, 'kind', 'source', 'day']));
    return random.oneOf([
      `head ${random.between(0, 200)}`,
      `tail ${random.between(0, 200)}`,
      `sort ${random.oneOf(['', '-'])}${field()}`,
      `dedup ${field()}`,
      `fields ts, ${field()}, ${field()}`,
      `where ${random.oneOf([this.leaf(), `${random.oneOf(MEASURED)} > ${random.below(5000)}`])}`,
      `union (${this.leaf()})`,
      `eval made = ${this.expression()}`,
      `eval made = ${random.oneOf(['delta(ts)', `delta(${random.oneOf(MEASURED)})`, `prev(${field()}, ${random.between(1, 3)})`])}${random.oneOf(['', ` by ${field()}`])}`,
      `extract "${random.oneOf(['from', 'for', 'to'])} {made}"`,
      `rename ${field()} as made`,
      `unnest ${field()}`,
      `where len(message) > ${random.below(120)}`,
    ]);
  }

  private counting(fields: readonly string[]): string {
    const { random } = this;
    const field = (): string => this.name(random.oneOf(fields));
    const number = (): string => random.oneOf(MEASURED);
    const measure = (): string =>
      random.oneOf([
        'count()',
        `sum(${number()})`,
        `max(${number()})`,
        `min(ts)`,
        `distinct(${field()})`,
        `p95(${number()})`,
        `avg(${number()})`,
        `countif(${this.plainLeaf()})`,
        `median(${number()})`,
        `first(${number()})`,
        `last(host)`,
        `values(proto)`,
        `sum(${number()} * 2)`,
      ]);
    return random.oneOf([
      'count',
      `top ${random.between(1, 30)} ${field()}`,
      `top ${random.between(1, 30)} ${field()}`,
      `top 5 ${field()}, ${field()} by ${random.oneOf([`sum(${number()})`, `distinct(${field()})`])}`,
      `timeline ${random.oneOf(['', '1h', '15m', '1d', '7m'])}`,
      `timeline 1h by ${field()}`,
      'timeline 1h spread bytes',
      `stats ${measure()}, ${measure()} as m`,
      `stats count() by ${field()}`,
      `stats count() as n, ${measure()} as m by ${field()} | where n > 3 | sort n desc, ${random.oneOf(['m', '-m'])} | head 20`,
      `values ${field()}`,
      `rare ${random.between(1, 30)} ${field()}`,
      `stats ${measure()} by ${this.expression()}`,
      `top 7 ${random.oneOf(['src_ip/24', 'dst_ip/16', 'hour', 'weekday'])}`,
      `stats count() as n, sum(bytes) as b by ${field()} | eval each = b / n | sort each, n | head 20`,
      'talkers 20',
      `patterns ${random.between(1, 40)}`,
      `stats count() by ${field()} | count`,
      `session by ${field()} gap ${random.oneOf(['1s', '30s', '10m'])} | sort -count, start | head 50`,
      `sequence ${random.oneOf(['', `by ${field()} `, 'by ip '])}within ${random.oneOf(['10s', '5m', '1h'])}: (${this.leaf()}) x${random.between(1, 4)} then (${this.leaf()})`,
    ]);
  }

  /** Any substring of a message, or all of it. */
  private piece(): string {
    const { random, words } = this;
    if (words.messages.length === 0) return 'no message';
    const message = random.oneOf(words.messages);
    if (random.below(5) === 0) return message.slice(0, 300);
    const from = random.below(message.length);
    return message.slice(from, from + random.between(3, 40));
  }

  private cased(text: string): string {
    const { random } = this;
    const way = random.below(5);
    return way === 0 ? text.toUpperCase() : way === 1 ? text.toLowerCase() : text;
  }

  private shaped(word: string): string {
    const { random } = this;
    const at = random.below(word.length + 1);
    return random.oneOf([
      `${word.slice(0, at)}*`,
      `*${word.slice(at)}`,
      `${word.slice(0, at)}?${word.slice(at + 1)}`,
      `*${word.slice(at >> 1, at + 1)}*`,
    ]);
  }

  /** A word of a message, or of a field: the latter may be in no text that words are searched in. */
  private word(): string {
    const { random, words } = this;
    const value = random.below(3) === 0 ? this.valueOf(random.oneOf(this.fields)) : undefined;
    const some = value === undefined ? words.words : wordsOf(value);
    return some.length === 0 ? 'word' : random.oneOf(some);
  }

  private bare(text: string): string {
    return text.replace(/[^\w .-]/g, '').trim() || 'x';
  }

  private valueOf(field: string): string | undefined {
    const values = this.words.values.get(field);
    return values === undefined ? undefined : this.random.oneOf(values);
  }

  private moment(): string {
    const { times } = this.words;
    return times.length === 0 ? '2026-10-13T00:00:00Z' : this.random.oneOf(times);
  }

  private name(field: string): string {
    return /^[A-Za-z_][\w.@-]*$/.test(field) ? field : quoted(field);
  }
}

export function textOf({ filter, stages }: Query): string {
  return [filterText(filter, true), ...stages].join(' | ');
}

export function filterText(filter: Filter, top = false): string {
  if ('leaf' in filter) return filter.leaf;
  const parts = filter.parts.map((part) => filterText(part));
  const text = filter.operator === 'NOT' ? `NOT ${parts[0]}` : parts.join(` ${filter.operator} `);
  return top ? text : `(${text})`;
}

/** Queries that are one step simpler. */
export function* simpler(query: Query): Generator<Query> {
  for (let at = query.stages.length - 1; at >= 0; at--)
    yield { ...query, stages: query.stages.toSpliced(at, 1) };
  for (const filter of simplerFilters(query.filter)) yield { ...query, filter };
  const { from, to, list, zone, limit, view } = query.asked;
  const less = { from, to, list, zone, limit, view };
  for (const name of ['list', 'from', 'to', 'zone'] as const) {
    if (less[name] === undefined || less[name] === 'UTC') continue;
    const rest = Object.entries(less).filter(([key, value]) => key !== name && value !== undefined);
    yield { ...query, asked: Object.fromEntries(rest) };
  }
}

function* simplerFilters(filter: Filter): Generator<Filter> {
  if ('leaf' in filter) {
    if (filter.leaf !== '*') yield { leaf: '*' };
    return;
  }
  yield* filter.parts;
  for (let at = 0; at < filter.parts.length; at++) {
    if (filter.parts.length > 1) yield { ...filter, parts: filter.parts.toSpliced(at, 1) };
    for (const part of simplerFilters(filter.parts[at]!))
      yield { ...filter, parts: filter.parts.with(at, part) };
  }
}
