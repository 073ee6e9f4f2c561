/**
 * Fills columns of a batch of logs with the fields that extractors find in its messages.
 *
 * A message is tried with the templates of its program that it may match (candidates.ts), in order, and then with
 * those for any program; the first that matches fills the columns. An event whose source states addresses, ports or
 * numbers itself is left unchanged, so that extracted values can be distinguished from stated ones.
 *
 * The device name in a message is preferred to the host of its header, which may be a relay's and becomes
 * `header_host`.
 *
 * Invariant: a value that a field cannot have is not set; `-`, `N/A` and `(null)` are not values.
 */
import type { EventBatch } from '../../columns/event-batch.ts';
import type { NumberColumn, TextColumn } from '../../columns/columns.ts';
import { CUT_TEXTS } from '../../contract/event.ts';
import outcomeWords from '../outcome-words.json' with { type: 'json' };
import { beginMessage, type CandidateDraft, Candidates, mayHaveAddress } from './candidates.ts';
import { EmbeddedJson } from '../reading/json/embedded-json.ts';
import { EmbeddedEvent } from '../reading/embedded-event.ts';
import { eventStart } from '../reading/event-xml.ts';
import type { Extractor } from './extractor.ts';
import { ESCAPES, type Escapes, found } from './found.ts';
import {
  type RelayedHeader,
  behindHeading,
  behindStream,
  behindTime,
  blanksEnd,
  bodyStart,
  lengthAt,
  linesEnd,
  mayHaveHeading,
  relayedHeader,
} from '../reading/message-start.ts';
import { OPERATION, type Template, domainOf } from './template.ts';
import { unescapeText } from '../reading/unescape.ts';
import { ByteDictionary } from '../../util/hash-table/byte-dictionary.ts';
import { once } from '../../util/once.ts';
import {
  ADDRESS,
  addressEnd,
  four,
  isFour,
  isStatus,
  isText,
  numberOf,
  protocolOf,
} from './values.ts';

const utf8 = new TextEncoder();
const DOT = 46;
const ascii = new TextDecoder('latin1');

/** Columns of numbers that extractors may fill, and addresses. */
const NUMBERS = ['bytes', 'packets', 'bytes_rev', 'packets_rev'] as const;
const STATED = [
  ...(['src_ip4', 'src_ip6', 'dst_ip4', 'dst_ip6', 'src_port', 'dst_port', 'proto'] as const),
  ...NUMBERS,
] as const;

/** Columns that a header may state as well. */
const HEADER_COLUMNS = ['host', 'pid'] as const;

/** Every stored column that an extractor may fill. */
export const CUT_COLUMNS: ReadonlySet<string> = new Set([
  ...STATED,
  ...CUT_TEXTS,
  ...HEADER_COLUMNS,
]);

/** Index of its column in CUT_TEXTS. */
const HTTP_STATUS = CUT_TEXTS.indexOf('http_status');
const QUERY = CUT_TEXTS.indexOf('query');

/** How a field is stored. */
const STORED_AS = { text: 0, number: 1, address: 2, port: 3, proto: 4, pid: 5 } as const;

interface Target {
  readonly field: number;
  readonly storedAs: number;
  /** Index of its column: in CUT_TEXTS for a text, in NUMBERS for a number. */
  readonly column: number;
  readonly isSource: boolean;
  /** For an address that may be a name: the index of its column in CUT_TEXTS. */
  readonly domain: number;
  /** Undefined: none, or a constant that means no value. */
  readonly constant: Uint8Array | undefined;
  readonly values: readonly (readonly [Uint8Array, Uint8Array])[] | undefined;
}

interface Bound {
  readonly template: Template;
  /** Index of its field `host`; -1: it has none. */
  readonly host: number;
  /** Made when the first message matches: most templates match none. */
  readonly targets: () => readonly Target[];
  readonly mark: () => Uint8Array;
  /** Whether it reads a sentence, which a record with other members may just quote. */
  readonly isSentence: boolean;
  /**
   * For pairs whose keys are compared leniently: indexes of its fields `src_ip` and `dst_ip`; otherwise undefined.
   */
  readonly alikeEnds: readonly number[] | undefined;
}

/**
 * Order in which templates are tried: people's own first, then those of extractors whose templates all begin with a
 * text, which needs no search.
 */
type Stage = 'own' | 'anchored' | 'other' | 'fallback';

interface StagedDraft extends CandidateDraft<Bound> {
  readonly stage: Stage;
  /** Whether it is tried after a heading as well. */
  readonly isHeaded: boolean;
}

/** Templates of a stage that are for any program, which programs share. */
interface Shared {
  readonly drafts: readonly StagedDraft[];
  readonly candidates: Candidates<Bound>;
}

/**
 * Templates of a program in the order in which they are tried: in each stage its own first, then those for any
 * program.
 */
interface Entry {
  /** Those of `stages` that people have written. */
  readonly userWritten: readonly Candidates<Bound>[];
  readonly stages: readonly Candidates<Bound>[];
  readonly fallbacks: readonly Candidates<Bound>[];
  /** Templates that are tried after a heading. */
  readonly headed: () => readonly Candidates<Bound>[];
}

/** Columns of a batch that are filled, by their numbers; texts once they are needed. */
interface Columns {
  readonly batch: EventBatch;
  readonly texts: (TextColumn | undefined)[];
  readonly numbers: readonly NumberColumn[];
}

const MOST_PROGRAMS = 4096;
/**
 * Tags that do not name a program: container ids, positions in Barracuda's firewalls, anything that begins with a
 * bracket.
 */
const NO_PROGRAM = /^(?:[0-9a-f]{12,}|\d+\/.*|[([].*|)$/;
/** Longer names of hosts in records are not looked for in their texts. */
const MOST_HOST = 255;
/** The extractors recorded for fields of records in messages: JSON, and Windows events in XML. */
const JSON_MARK = utf8.encode('json/8');
const EVENT_MARK = utf8.encode('windows-xml/11');

export class Cutter {
  private readonly extractors: readonly Extractor[];
  private readonly exact: ReadonlySet<string>;
  /** Patterns with `*` at the end. */
  private readonly prefixes: readonly string[];
  /** Templates of extractors that messages needed. */
  private readonly bound = new Map<Extractor, readonly StagedDraft[]>();
  private readonly shared = new Map<Stage, Shared>();
  /** For programs without an extractor. */
  private readonly anyProgram = once(() => this.entryOfDrafts([]));
  /** For lines without a program, or with a tag that is not a program's name. */
  private readonly noProgram = once(() => this.entryOfDrafts(this.draftsFor('')));
  private readonly programs = new ByteDictionary({ strings: MOST_PROGRAMS });
  /** Of each of `programs`. */
  private readonly programEntries: Entry[] = [];
  private readonly entries = new Map<string, Entry>();

  constructor(extractors: readonly Extractor[]) {
    this.extractors = extractors;
    const names = extractors.flatMap(({ programs }) => programs);
    this.exact = new Set(names.filter((name) => name !== '' && !name.endsWith('*')));
    this.prefixes = names.filter((name) => name.length > 1 && name.endsWith('*'));
  }

  private readonly json = new EmbeddedJson();
  private readonly event = new EmbeddedEvent();

  /** Hosts that messages name: their rows, and their places in the messages. */
  private readonly hosts = {
    rows: new Int32Array(0),
    starts: new Int32Array(0),
    ends: new Int32Array(0),
    count: 0,
  };

  /** Cuts the rows from `from` on. @returns how many of them a template matched */
  cut(batch: EventBatch, from = 0): number {
    if (batch.kind !== 'log' || batch.message.size === 0) return 0;
    const { message, program } = batch;
    const n = batch.length;
    const programs = program.size;
    let cut = 0;
    const hasStated = STATED.some((name) => isAny(batch.column(name).present, from, n));
    // The rows' records have already set texts, and messages may set texts of rows between them.
    const given: [TextColumn, size: number][] = [];
    for (const column of batch.cutTexts.values())
      if (isAny(column.present, from, n)) given.push([column, column.size]);
    const columns: Columns = {
      batch,
      texts: new Array<TextColumn | undefined>(CUT_TEXTS.length).fill(undefined),
      numbers: NUMBERS.map((name) => batch[name]),
    };
    for (let row = from; row < n; row++) {
      if (message.present[row] === 0 || (hasStated && isStated(batch, row))) continue;
      const { data } = message;
      const whole = message.starts[row]! + 4;
      const end = linesEnd(data, whole, whole + lengthAt(data, whole - 4));
      const hasProgram = program.present[row] === 1;
      const bare = hasProgram ? whole : behindStream(data, whole, end);
      const relayed = hasProgram ? undefined : relayedHeader(data, blanksEnd(data, bare, end), end);
      const start = relayed?.body ?? bodyStart(batch, row, bare, end);
      if (start === end) continue;
      beginMessage();
      const entry = this.entryFor(batch, row, relayed);
      let bound: Bound | undefined;
      // What looks like a tag may be part of the message, according to a case's own extractor.
      if (bare > whole || (relayed !== undefined && relayed.host === relayed.hostEnd))
        bound = matchMessage(this.noProgram().userWritten, data, whole, end);
      // An event may hold the text that others write instead of it.
      const isEvent = eventStart(data, start, end) >= 0;
      bound ??= matchMessage(isEvent ? entry.userWritten : entry.stages, data, start, end);
      if (bound === undefined && this.cutRecord(batch, row, data, start, end, relayed)) {
        cut += 1;
        continue;
      }
      if (isEvent) bound ??= matchMessage(entry.stages, data, start, end);
      bound ??= matchMessage(entry.fallbacks, data, start, end);
      bound ??= matchBehindHeading(entry, data, start, end);
      if (bound === undefined) continue;
      if (isQuotable(bound) && given.some(([column]) => column.present[row] === 1)) continue;
      fill(bound, columns, row, data);
      if (relayed !== undefined && bound.host < 0)
        this.nameHost(relayed.host, relayed.hostEnd, batch, row);
      if (
        bound.host >= 0 &&
        found.starts[bound.host]! >= 0 &&
        found.escapes[bound.host] === ESCAPES.none
      )
        this.nameHost(found.starts[bound.host]!, found.ends[bound.host]!, batch, row);
      cut += 1;
    }
    for (const [column, size] of given) if (column.size > size) column.putInOrder(from, n);
    if (program.size > programs) program.putInOrder(from, n);
    this.replaceHosts(batch, n);
    return cut;
  }

  /** Replaces rows' hosts by those that their messages name, and keeps those of their headers. */
  private replaceHosts(batch: EventBatch, n: number): void {
    const { hosts } = this;
    if (hosts.count === 0) return;
    const { host, message } = batch;
    const { present, starts, data } = host;
    for (let i = 0; i < hosts.count; i++) {
      const row = hosts.rows[i]!;
      if (present[row] === 0) continue;
      const at = starts[row]! + 4;
      put(batch.cutText('header_host'), row, data, at, at + lengthAt(data, at - 4));
    }
    host.replace(hosts.rows, message.data, hosts.starts, hosts.ends, hosts.count, n);
    hosts.count = 0;
  }

  /** Cuts a record, a Windows event in XML or JSON at the end. @returns whether it gave any field */
  private cutRecord(
    batch: EventBatch,
    row: number,
    data: Uint8Array,
    start: number,
    end: number,
    relayed: RelayedHeader | undefined,
  ): boolean {
    const isEvent = this.event.fill(batch, row, data, start, end);
    if (!isEvent && !this.json.fill(batch, row, data, start, end)) return false;
    const mark = isEvent ? EVENT_MARK : JSON_MARK;
    put(batch.cutText('extractor'), row, mark, 0, mark.length);
    // If the line has a program, no header is skipped when it is cut again.
    const first = blanksEnd(data, batch.message.starts[row]! + 4, end);
    if (isEvent && first === start) this.nameProgram(batch, row);
    const { host } = isEvent ? this.event : this.json;
    const isName = host !== undefined && host.length <= MOST_HOST;
    // As a section of CDATA, too.
    for (const written of isName ? (isEvent ? [`>${host}<`, `[${host}]`] : [`"${host}"`]) : []) {
      const bytes = utf8.encode(written);
      const at = indexOf(data, bytes, start, end);
      if (at < 0) continue;
      this.nameHost(at + 1, at + bytes.length - 1, batch, row);
      return true;
    }
    if (host === undefined && relayed !== undefined)
      this.nameHost(relayed.host, relayed.hostEnd, batch, row);
    return true;
  }

  /** Sets the provider of the last event where the row's line has no program. */
  private nameProgram({ program, coded }: EventBatch, row: number): void {
    const provider = this.event.program;
    if (provider === undefined || program.present[row] === 1 || coded.has('program')) return;
    program.setString(row, provider);
  }

  /** Notes the host that a message names, if its header has another one. */
  private nameHost(
    start: number,
    end: number,
    { host, message, capacity, coded }: EventBatch,
    row: number,
  ): void {
    if (start === end || coded.has('host')) return;
    if (host.present[row] === 1 && isTextAt(host, row, message.data, start, end)) return;
    const { hosts } = this;
    if (hosts.rows.length < capacity) {
      hosts.rows = new Int32Array(capacity);
      hosts.starts = new Int32Array(capacity);
      hosts.ends = new Int32Array(capacity);
    }
    hosts.rows[hosts.count] = row;
    hosts.starts[hosts.count] = start;
    hosts.ends[hosts.count++] = end;
  }

  private entryFor(
    { program, message }: EventBatch,
    row: number,
    relayed: RelayedHeader | undefined,
  ): Entry {
    if (program.present[row] === 1) return this.entryAt(program, row);
    if (relayed === undefined) return this.noProgram();
    const name = message.data.subarray(relayed.program, relayed.programEnd);
    return this.entryOf(ascii.decode(name).toLowerCase());
  }

  private entryAt({ data, starts }: TextColumn, row: number): Entry {
    const start = starts[row]! + 4;
    const end = start + lengthAt(data, start - 4);
    const id = this.programs.idOf(data, start, end);
    const known = id < 0 ? undefined : this.programEntries[id];
    if (known !== undefined) return known;
    const entry = this.entryOf(ascii.decode(data.slice(start, end)).toLowerCase());
    if (id >= 0) this.programEntries[id] = entry;
    return entry;
  }

  private entryOf(name: string): Entry {
    // `/usr/sbin/sshd` and `sshd(pam_unix)` are sshd; `(squid-1)` is a name.
    const program = name.slice(name.startsWith('/') ? name.lastIndexOf('/') + 1 : 0);
    const plain = program.replace(/(?<=.)\(.*\)$/, '');
    let entry = this.entries.get(plain);
    if (entry !== undefined) return entry;
    // `httpd/site1` is of httpd; a relay may leave the device's name before that of the program.
    const ofProgram =
      this.nameOf(plain) ??
      this.nameOf(plain.slice(plain.lastIndexOf(' ') + 1)) ??
      this.nameOf(plain.replace(/\/.*/s, ''));
    if (ofProgram === undefined)
      return NO_PROGRAM.test(plain) ? this.noProgram() : this.anyProgram();
    entry = this.entryOfDrafts(this.draftsFor(ofProgram));
    if (this.entries.size < MOST_PROGRAMS) this.entries.set(plain, entry);
    return entry;
  }

  /** The extractors' name for a program: its name, or the first matching prefix. */
  private nameOf(program: string): string | undefined {
    if (this.exact.has(program)) return program;
    return this.prefixes.find((name) => program.startsWith(name.slice(0, -1)));
  }

  private entryOfDrafts(ofProgram: readonly StagedDraft[]): Entry {
    const candidatesOf = (stage: Stage): Candidates<Bound>[] => {
      const any = this.sharedOf(stage);
      const drafts = ofProgram.filter((draft) => draft.stage === stage);
      if (drafts.length === 0) return any.drafts.length === 0 ? [] : [any.candidates];
      // Reading a message once for the texts of all is faster.
      return stage === 'anchored'
        ? [new Candidates(drafts), any.candidates]
        : [new Candidates([...drafts, ...any.drafts])];
    };
    const ownTemplates = candidatesOf('own');
    return {
      userWritten: ownTemplates,
      stages: [...ownTemplates, ...candidatesOf('anchored'), ...candidatesOf('other')],
      fallbacks: candidatesOf('fallback'),
      headed: once(() => [
        new Candidates([...ofProgram, ...this.draftsFor('*')].filter(({ isHeaded }) => isHeaded)),
      ]),
    };
  }

  private sharedOf(stage: Stage): Shared {
    let shared = this.shared.get(stage);
    if (shared === undefined) {
      const drafts = this.draftsFor('*').filter((draft) => draft.stage === stage);
      shared = { drafts, candidates: new Candidates(drafts) };
      this.shared.set(stage, shared);
    }
    return shared;
  }

  /** Templates of the extractors that name this program, in their order. */
  private draftsFor(name: string): StagedDraft[] {
    return this.extractors
      .filter(({ programs }) => programs.includes(name))
      .flatMap((extractor) => this.boundOf(extractor));
  }

  private boundOf(extractor: Extractor): readonly StagedDraft[] {
    let bound = this.bound.get(extractor);
    if (bound === undefined) {
      const drafts = extractor.drafts();
      const stage = stageOf(
        extractor,
        drafts.every(({ start }) => typeof start === 'number'),
      );
      bound = drafts.map(({ start, isHeaded, make }) => ({
        ...{ start, stage, isHeaded },
        make: once(() => bind(extractor, make())),
      }));
      this.bound.set(extractor, bound);
    }
    return bound;
  }
}

function bind(extractor: Extractor, template: Template): Bound {
  return {
    template,
    targets: once(() => targetsOf(extractor, template)),
    host: template.fields.indexOf('host'),
    mark: once(() => utf8.encode(`${extractor.name}/${extractor.version}`)),
    isSentence: template.parts.some(
      ({ operation }) => operation === OPERATION.login || operation === OPERATION.traffic,
    ),
    alikeEnds: template.pairs?.isAlike === true ? endsOf(template) : undefined,
  };
}

function endsOf({ fields }: Template): number[] {
  return ['src_ip', 'dst_ip'].map((name) => fields.indexOf(name)).filter((field) => field >= 0);
}

/**
 * Whether a record with other members may just quote what matched last: a sentence, or pairs without an address.
 */
function isQuotable({ isSentence, alikeEnds }: Bound): boolean {
  return isSentence || alikeEnds?.every((field) => found.starts[field]! < 0) === true;
}

function targetsOf(extractor: Extractor, template: Template): Target[] {
  return template.fields.flatMap((name, field): Target[] => {
    if (name === 'host') return [];
    const text = template.set[name];
    const constant = text === undefined ? undefined : utf8.encode(text);
    const values = valuesOf(extractor, name);
    return [
      {
        ...{ field, ...columnOf(name) },
        constant: constant && isNothing(constant, 0, constant.length) ? undefined : constant,
        values:
          values &&
          Object.entries(values).map(([written, stored]) => [
            utf8.encode(written.toLowerCase()),
            utf8.encode(stored),
          ]),
      },
    ];
  });
}

/**
 * Values as written and as stored. Outcomes have the words of most products as well: whoever asks for
 * `outcome:failure` need not know that one firewall writes `failed` and another `denied`.
 */
function valuesOf(
  { values }: Extractor,
  name: string,
): Readonly<Record<string, string>> | undefined {
  return name === 'outcome' ? { ...outcomeWords, ...values[name] } : values[name];
}

function stageOf({ isOwn, isFallback }: Extractor, isAnchored: boolean): Stage {
  if (isFallback) return 'fallback';
  if (isOwn) return 'own';
  return isAnchored ? 'anchored' : 'other';
}

function columnOf(name: string): Pick<Target, 'storedAs' | 'column' | 'isSource' | 'domain'> {
  const text = CUT_TEXTS.findIndex((one) => one === name);
  const number = NUMBERS.findIndex((one) => one === name);
  const rest = { isSource: name.startsWith('src_'), domain: -1 };
  if (text >= 0) return { storedAs: STORED_AS.text, column: text, ...rest };
  if (number >= 0) return { storedAs: STORED_AS.number, column: number, ...rest };
  if (name === 'pid') return { storedAs: STORED_AS.pid, column: -1, ...rest };
  if (name === 'src_ip' || name === 'dst_ip') {
    const domain = CUT_TEXTS.findIndex((one) => one === domainOf(name));
    return { storedAs: STORED_AS.address, column: -1, ...rest, domain };
  }
  const isPort = name === 'src_port' || name === 'dst_port';
  return { storedAs: isPort ? STORED_AS.port : STORED_AS.proto, column: -1, ...rest };
}

function textColumn({ batch, texts }: Columns, number: number): TextColumn {
  return (texts[number] ??= batch.cutText(CUT_TEXTS[number]!));
}

const EXTRACTOR = CUT_TEXTS.indexOf('extractor');

function fill(bound: Bound, columns: Columns, row: number, data: Uint8Array): void {
  const [targets, mark] = [bound.targets(), bound.mark()];
  put(textColumn(columns, EXTRACTOR), row, mark, 0, mark.length);
  for (let i = 0; i < targets.length; i++) {
    const target = targets[i]!;
    const { field, constant } = target;
    const start = found.starts[field]!;
    if (start >= 0) {
      const end = found.ends[field]!;
      if (!isNothing(data, start, end))
        fillField(target, columns, row, data, start, end, found.escapes[field]!);
    } else if (constant !== undefined)
      fillField(target, columns, row, constant, 0, constant.length, ESCAPES.none);
  }
}

function fillField(
  target: Target,
  columns: Columns,
  row: number,
  b: Uint8Array,
  start: number,
  end: number,
  escapes: Escapes,
): void {
  const { batch } = columns;
  switch (target.storedAs) {
    case STORED_AS.text: {
      const column = textColumn(columns, target.column);
      const stored = target.values && storedFor(target.values, b, start, end);
      if (stored !== undefined) {
        if (stored.length > 0) put(column, row, stored, 0, stored.length);
      } else if (target.column === HTTP_STATUS && !isStatus(b, start, end)) break;
      else if (escapes === ESCAPES.none) put(column, row, b, start, textEnd(target, b, start, end));
      else {
        const text = unescapeText(b, start, end, escapes);
        put(column, row, text.bytes, 0, text.size);
      }
      break;
    }
    case STORED_AS.number: {
      const value = numberOf(b, start, end, Number.MAX_SAFE_INTEGER);
      if (value >= 0) columns.numbers[target.column]!.set(row, value);
      break;
    }
    case STORED_AS.address:
      if (addressEnd(b, start, end) !== end) {
        if (found.operations[target.field] === OPERATION.host)
          put(textColumn(columns, target.domain), row, b, start, end);
      } else if (isFour()) (target.isSource ? batch.src_ip4 : batch.dst_ip4).set(row, four());
      else (target.isSource ? batch.src_ip6 : batch.dst_ip6).set(row, ADDRESS, 0);
      break;
    case STORED_AS.pid: {
      const value = numberOf(b, start, end, 0xffffffff);
      if (value >= 0 && batch.pid.present[row] === 0) batch.pid.set(row, value);
      break;
    }
    case STORED_AS.port: {
      const value = numberOf(b, start, end, 65_535);
      if (value >= 0) (target.isSource ? batch.src_port : batch.dst_port).set(row, value);
      break;
    }
    default: {
      const value = protocolOf(b, start, end);
      if (value >= 0) batch.proto.set(row, value);
    }
  }
}

/** The end of a text: a DNS name ends before the dot of the root. */
function textEnd({ column }: Target, b: Uint8Array, start: number, end: number): number {
  return column === QUERY && end - start > 1 && b[end - 1] === DOT ? end - 1 : end;
}

/** The stored value for a written one; empty: none; undefined: the value itself. */
function storedFor(
  values: readonly (readonly [Uint8Array, Uint8Array])[],
  b: Uint8Array,
  start: number,
  end: number,
): Uint8Array | undefined {
  for (let i = 0; i < values.length; i++)
    if (isText(b, start, end, values[i]![0])) return values[i]![1];
  return undefined;
}

/** The first template that matches the message, or the message without trailing blanks. */
function matchMessage(
  candidates: readonly Candidates<Bound>[],
  b: Uint8Array,
  start: number,
  end: number,
): Bound | undefined {
  const bound = matchBehindTime(candidates, b, start, end);
  if (bound !== undefined) return bound;
  const bare = withoutBlanks(b, start, end);
  return bare < end ? matchBehindTime(candidates, b, start, bare) : undefined;
}

/** The first template that matches the message, or the part after a time that the program writes first. */
function matchBehindTime(
  candidates: readonly Candidates<Bound>[],
  b: Uint8Array,
  start: number,
  end: number,
): Bound | undefined {
  const bound = firstMatch(candidates, b, start, end);
  if (bound !== undefined) return bound;
  const after = behindTime(b, start, end);
  return after > start ? firstMatch(candidates, b, after, end) : undefined;
}

/** The part after a heading is not tried if nothing would be cut out of it. */
function matchBehindHeading(
  { headed }: Entry,
  b: Uint8Array,
  start: number,
  end: number,
): Bound | undefined {
  if (!mayHaveHeading(b, start, end) || !mayHaveAddress(b, start, end)) return undefined;
  const body = behindHeading(b, start, end);
  return body === start ? undefined : matchMessage(headed(), b, body, end);
}

function firstMatch(
  candidates: readonly Candidates<Bound>[],
  b: Uint8Array,
  start: number,
  end: number,
): Bound | undefined {
  for (let i = 0; i < candidates.length; i++) {
    const bound = candidates[i]!.firstMatch(b, start, end);
    if (bound !== undefined) return bound;
  }
  return undefined;
}

/** The end of a message without the trailing blanks of some programs and exports. */
function withoutBlanks(b: Uint8Array, start: number, end: number): number {
  let p = end;
  while (p > start && b[p - 1]! <= 32) p -= 1;
  return p;
}

function indexOf(b: Uint8Array, text: Uint8Array, start: number, end: number): number {
  for (let p = start; p <= end - text.length; p++) {
    let i = 0;
    while (i < text.length && b[p + i] === text[i]) i += 1;
    if (i === text.length) return p;
  }
  return -1;
}

function isTextAt(
  { data, starts }: TextColumn,
  row: number,
  b: Uint8Array,
  start: number,
  end: number,
): boolean {
  const at = starts[row]! + 4;
  if (lengthAt(data, at - 4) !== end - start) return false;
  for (let i = 0; i < end - start; i++) if (data[at + i] !== b[start + i]) return false;
  return true;
}

const NOTHING = ['-', 'n/a', '(null)'].map((text) => utf8.encode(text));

/** Whether it is a device's placeholder for a missing value. */
function isNothing(b: Uint8Array, start: number, end: number): boolean {
  if (end - start > 6) return false;
  if (start === end) return true;
  const code = b[start]! | 32;
  if (code !== 45 && code !== 110 && code !== 40) return false;
  return NOTHING.some((text) => isText(b, start, end, text));
}

/** A text is set once: a row that has one keeps it. */
function put(column: TextColumn, row: number, b: Uint8Array, start: number, end: number): void {
  if (column.present[row] === 0) column.set(row, b, start, end);
}

function isAny(present: Uint8Array, from: number, to: number): boolean {
  const at = present.indexOf(1, from);
  return at >= 0 && at < to;
}

function isStated(batch: EventBatch, row: number): boolean {
  for (const name of STATED) if (batch.column(name).present[row] === 1) return true;
  return false;
}
