/**
 * `hosts.run`: the addresses of a view, and what its events say about each: names, hardware addresses, users,
 * operating systems, services, each with its origin, its frequency, and its first and last time. The times of its
 * names and hardware addresses tell who had an address when.
 */
import type { EpochMicros } from '../../../contract/event.ts';
import { DaybookError, hasCode } from '../../../contract/errors.ts';
import { type Answer, type Ast, parseQuery } from '../../../query/index.ts';
import { parseAddress } from '../../../query/values/address.ts';
import {
  type CaseSession,
  type QueryParameters,
  type View,
  askQuery,
  sourcesOfTotals,
} from '../../../search/index.ts';
import { macVendor } from './mac-vendor.ts';
import { HOST_CLUES, type FactName, type HostClue } from './host-clues.ts';

/** Number of addresses, and of values of one kind of fact, that are read: those with the most events. */
const MOST_GROUPS = 50_000;
/** Number of values of a fact that are returned for a host. */
const MOST_VALUES = 100;
/** Number of addresses in one question: so few that their names seldom exceed the limit. */
const MOST_ASKED = 500;
/** Number of addresses that are asked for specifically; with more, one question for all of the case is faster. */
const MOST_ALONE = 2000;

interface HostFact {
  readonly value: string;
  /** For a hardware address: its holder. */
  readonly vendor?: string | undefined;
  /** Protocols or logs that state it. */
  readonly by: string[];
  readonly events: number;
  readonly first: EpochMicros | undefined;
  readonly last: EpochMicros | undefined;
}

interface HostFacts {
  /** Those with the most events first. */
  readonly values: HostFact[];
  /** Number of values beyond those returned. */
  readonly more: number;
}

export interface Host {
  readonly address: string;
  readonly events: number;
  readonly first: EpochMicros | undefined;
  readonly last: EpochMicros | undefined;
  /**
   * Bytes it sent and received according to flows, whichever side opened them; undefined: no flow states bytes in
   * that direction.
   */
  readonly sent: number | undefined;
  readonly received: number | undefined;
  /** Bytes of flows that state one number for both directions; undefined: there are none. */
  readonly bothWays: number | undefined;
  readonly facts: Readonly<Record<FactName, HostFacts>>;
}

interface HostParameters extends View {
  /** An address, a block, or several in brackets; undefined: all. */
  readonly of?: string | undefined;
  /** Number of hosts to return: those with the most events. */
  readonly limit: number;
}

/** Answers questions about a case. */
export interface HostAsker {
  /** Ids of sources, first and last, whose flows may state one number of bytes for both ways. */
  readonly totals: readonly (readonly [number, number])[];
  answer(question: QueryParameters): Promise<Answer>;
}

/** For a case on this machine. */
export function asksCase(session: CaseSession): HostAsker {
  return {
    totals: sourcesOfTotals(session.snapshot().sources(), 'bytes'),
    answer: async (question) => (await askQuery(session, question)).answer(),
  };
}

interface HostList {
  readonly hosts: Host[];
  readonly total: number;
  readonly notes: string[];
}

interface Seen {
  events: number;
  first: EpochMicros | undefined;
  last: EpochMicros | undefined;
}
type Volume = { -readonly [name in 'sent' | 'received' | 'bothWays']: Host[name] };
type Value = Seen & { readonly by: Set<string>; readonly value: string };
type Values = Map<string, Value>;

/** Number of names of an address that are returned with a conversation: the most frequent ones. */
const MOST_NAMES = 3;

/**
 * Names that events of the whole case give for some addresses, the most frequent first; addresses without one are
 * omitted, and so are texts that are not addresses. For more than 2,000 addresses, rare names may be missing; notes
 * say so.
 * @param addresses spelled as in answers
 * @throws DaybookError cancelled
 */
export async function hostNames(
  asker: HostAsker,
  addresses: readonly string[],
  signal?: AbortSignal,
): Promise<{ hosts: { address: string; names: string[] }[]; notes: string[] }> {
  const notes = new Set<string>();
  const single = addresses.filter(
    (text) => !text.includes('/') && parseAddress(text) !== undefined,
  );
  const wanted = new Map(single.map((address) => [address, new Map<FactName, Values>()]));
  for (const of of single.length > MOST_ALONE ? [undefined] : questionsOf(single)) {
    const view = { query: '', limit: 0, zone: 'UTC', of };
    const asked = new Asked(asker, view, '(*)', notes, signal);
    for (const clue of HOST_CLUES.filter(({ fact }) => fact === 'name'))
      for (const group of await asked.clue(clue)) addFact(wanted.get(group.address), clue, group);
  }
  const hosts = [...wanted].flatMap(([address, facts]) => {
    const names = listed(facts, 'name').values.slice(0, MOST_NAMES);
    return names.length === 0 ? [] : [{ address, names: names.map(({ value }) => value) }];
  });
  return { hosts, notes: [...notes] };
}

/** Questions for all addresses, in parts. */
function questionsOf(addresses: readonly string[]): string[] {
  const parts = Array.from({ length: Math.ceil(addresses.length / MOST_ASKED) }, (_, i) =>
    addresses.slice(i * MOST_ASKED, (i + 1) * MOST_ASKED),
  );
  return parts.map((part) => `(${part.join(' OR ')})`);
}

/** @throws DaybookError usage, query-syntax, unknown-field, cancelled */
export async function hosts(
  asker: HostAsker,
  parameters: HostParameters,
  signal?: AbortSignal,
): Promise<HostList> {
  const filter = filterOf(parameters.query);
  const notes = new Set<string>();
  const asked = new Asked(asker, parameters, filter, notes, signal);
  const addresses = await asked.addresses();
  const volumes = await asked.volumes();
  const chosen = new Map(
    [...addresses]
      .toSorted(([a, x], [b, y]) => y.events - x.events || (a < b ? -1 : 1))
      .slice(0, parameters.limit)
      .map(([address, seen]) => [address, { seen, facts: new Map<FactName, Values>() }]),
  );
  for (const clue of HOST_CLUES) {
    for (const group of await asked.clue(clue))
      addFact(chosen.get(group.address)?.facts, clue, group);
  }
  return {
    hosts: [...chosen].map(([address, { seen, facts }]) => ({
      ...hostOf(address, seen, facts),
      ...(volumes.get(address) ?? NO_VOLUME),
    })),
    total: addresses.size,
    notes: [...notes],
  };
}

/** Adds a fact that a group states about its address. @param facts undefined for an address that is not listed */
function addFact(
  facts: Map<FactName, Values> | undefined,
  { fact, by, text }: HostClue,
  { address, values, ...seen }: Group,
): void {
  const value = (text ?? (([first]) => first))(values, address);
  if (facts === undefined || value === undefined || value === '') return;
  // Network names ignore case, and an address is not a name.
  const key = fact === 'name' ? value.toLowerCase() : value;
  if (key === address) return;
  const known: Values = facts.get(fact) ?? new Map<string, Value>();
  facts.set(fact, known);
  const before = known.get(key);
  known.set(key, {
    ...joined(before, seen),
    by: (before?.by ?? new Set<string>()).add(by),
    value: before?.value ?? value,
  });
}

const WORDS: Readonly<Record<FactName, string>> = {
  ...{ name: 'names', mac: 'hardware addresses', user: 'users', system: 'systems' },
  ...{ offers: 'services that are offered', uses: 'services that are used' },
};

/** The events that are chosen. */
function filterOf(query: string): string {
  const text = query.trim() === '' ? '*' : query;
  const ast: Ast = parseQuery(text);
  if (ast.stages.length > 0)
    throw new DaybookError(
      'usage',
      'hosts are listed for events, but this query makes a table of them',
      'leave out what follows the first |',
    );
  return `(${text})`;
}

interface Group extends Seen {
  readonly address: string;
  readonly values: readonly string[];
}

type GroupsAsked = Pick<HostClue, 'filter' | 'stages' | 'address' | 'values'> & { subject: string };

/** Events that both ends of are one address, as of a loopback: they count once. */
const TO_ITSELF = 'src_ip = dst_ip';

/** Questions about one view. */
class Asked {
  private readonly asker: HostAsker;
  private readonly parameters: HostParameters;
  private readonly filter: string;
  private readonly notes: Set<string>;
  private readonly signal: AbortSignal | undefined;

  constructor(
    asker: HostAsker,
    parameters: HostParameters,
    filter: string,
    notes: Set<string>,
    signal: AbortSignal | undefined,
  ) {
    this.asker = asker;
    this.parameters = parameters;
    this.filter = filter;
    this.notes = notes;
    this.signal = signal;
  }

  async groups(asked: GroupsAsked): Promise<Group[]> {
    const { address, values } = asked;
    const measures = 'count() as n, min(ts) as first_ts, max(ts) as last_ts';
    const rows = await this.rows({ ...asked, measures });
    return rows.map((row) => ({
      address: textOf(row[shownName(address)]),
      values: values.map((name) => textOf(row[shownName(name)])),
      events: Number(row['n']),
      first: microsOf(row['first_ts']),
      last: microsOf(row['last_ts']),
    }));
  }

  /** Addresses, with the events that have them at either end. */
  async addresses(): Promise<Map<string, Seen>> {
    const all = new Map<string, Seen>();
    const ask = { values: [], subject: 'addresses' };
    for (const address of ['src_ip', 'dst_ip'])
      for (const one of await this.groups({ ...ask, filter: '*', address }))
        all.set(one.address, joined(all.get(one.address), one));
    for (const one of await this.groups({ ...ask, filter: TO_ITSELF, address: 'src_ip' })) {
      const counted = all.get(one.address);
      if (counted !== undefined) counted.events -= one.events;
    }
    return all;
  }

  /** Bytes that each address sent and received, by all flows. */
  async volumes(): Promise<Map<string, Volume>> {
    const all = new Map<string, Volume>();
    const totals = totalsFilter(this.asker.totals);
    const ask = async (filter: string, names: (keyof Volume)[], address: string): Promise<void> => {
      const rows = await this.rows({
        ...{ filter: `kind:flow ${filter}`, address, values: [], subject: 'bytes of addresses' },
        measures: 'sum(bytes) as forth, sum(bytes_rev) as back, count() as n',
      });
      for (const row of rows) {
        const volume = { ...(all.get(textOf(row[address])) ?? NO_VOLUME) };
        for (const [i, bytes] of [row['forth'], row['back']].entries())
          // A sum of more than 2^53 is a text of digits.
          if (typeof bytes === 'number' || typeof bytes === 'string')
            volume[names[i]!] = (volume[names[i]!] ?? 0) + Number(bytes);
        all.set(textOf(row[address]), volume);
      }
    };
    const others = totals === undefined ? '' : `-(${totals})`;
    await ask(others, ['sent', 'received'], 'src_ip');
    await ask(others, ['received', 'sent'], 'dst_ip');
    if (totals !== undefined) {
      await ask(totals, ['bothWays', 'bothWays'], 'src_ip');
      await ask(`${totals} -(${TO_ITSELF})`, ['bothWays', 'bothWays'], 'dst_ip');
    }
    return all;
  }

  /** Groups by an address and values, those with the most events (`n`) first. */
  private async rows({
    filter,
    stages,
    address,
    values,
    subject,
    measures,
  }: GroupsAsked & { measures: string }): Promise<readonly Readonly<Record<string, unknown>>[]> {
    const { from, to, list, exclude, lookups, zone, path, of } = this.parameters;
    const text = [
      `${this.filter} (${filter})`,
      ...(stages === undefined ? [] : [stages]),
      `where ${address}:${of ?? '*'}`,
      `stats ${measures} by ${[address, ...values].join(', ')}`,
      'sort n desc',
      `limit ${MOST_GROUPS + 1}`,
    ].join(' | ');
    const question = { text, from, to, list, exclude, lookups, zone, path };
    const { signal } = this;
    const answer = await this.asker.answer({ ...question, signal, operation: 'hosts.run' });
    const rows = 'rows' in answer ? answer.rows : [];
    if (rows.length > MOST_GROUPS)
      this.notes.add(`${subject}: only the ${MOST_GROUPS} with the most events were examined`);
    return rows.slice(0, MOST_GROUPS);
  }

  /** If no event of the case has its fields, it finds nothing. */
  async clue(clue: HostClue): Promise<Group[]> {
    try {
      return await this.groups({ ...clue, subject: `${WORDS[clue.fact]} by ${clue.by}` });
    } catch (error) {
      if (hasCode(error, 'unknown-field')) return [];
      throw error;
    }
  }
}

const NO_VOLUME: Volume = { sent: undefined, received: undefined, bothWays: undefined };

/**
 * Flows whose `bytes` count both directions: of sources with a column of totals, if neither direction is stated.
 * Undefined: there are no such sources.
 */
function totalsFilter(ranges: HostAsker['totals']): string | undefined {
  if (ranges.length === 0) return undefined;
  const of = ranges.map(([from, to]) => `source_id:[${from} TO ${to}]`).join(' OR ');
  return `bytes:* -bytes_rev:* (${of})`;
}

/** An attribute's name in answers. */
function shownName(field: string): string {
  return field.replace(/^attrs\./, '');
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : value === null ? '' : JSON.stringify(value);
}

/** Parses a displayed time, to the microsecond. */
function microsOf(shown: unknown): EpochMicros | undefined {
  if (typeof shown !== 'string') return undefined;
  const beyond = /\.\d{3}(\d{3})/.exec(shown)?.[1] ?? '0';
  return Date.parse(shown) * 1000 + Number(beyond);
}

function joined(a: Seen | undefined, b: Seen): Seen {
  if (a === undefined) return { events: b.events, first: b.first, last: b.last };
  return {
    events: a.events + b.events,
    first: a.first === undefined ? b.first : Math.min(a.first, b.first ?? a.first),
    last: a.last === undefined ? b.last : Math.max(a.last, b.last ?? a.last),
  };
}

function hostOf(
  address: string,
  seen: Seen,
  facts: ReadonlyMap<FactName, Values>,
): Omit<Host, keyof Volume> {
  const all = {
    ...{ name: listed(facts, 'name'), mac: listed(facts, 'mac'), user: listed(facts, 'user') },
    ...{
      system: listed(facts, 'system'),
      offers: listed(facts, 'offers'),
      uses: listed(facts, 'uses'),
    },
  };
  return { address, ...seen, facts: all };
}

function listed(facts: ReadonlyMap<FactName, Values>, name: FactName): HostFacts {
  const values = [...(facts.get(name) ?? [])].toSorted(
    ([a, x], [b, y]) => y.events - x.events || (a < b ? -1 : 1),
  );
  return {
    values: values.slice(0, MOST_VALUES).map(([, { by, ...rest }]) => ({
      ...rest,
      vendor: name === 'mac' ? macVendor(rest.value) : undefined,
      by: [...by],
    })),
    more: Math.max(0, values.length - MOST_VALUES),
  };
}
