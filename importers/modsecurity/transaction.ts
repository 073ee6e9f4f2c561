/**
 * What a transaction in ModSecurity's audit log says: sections between lines such as `--4b3c2a1d-A--`, of which A has the
 * time and both ends, B the request, F the response and H what the rules found.
 *
 * Source: https://github.com/owasp-modsecurity/ModSecurity/wiki/ModSecurity-2-Data-Formats
 */

export interface Boundary {
  readonly id: string;
  readonly section: string;
}

export interface TransactionTime {
  /** Seconds since 1970. */
  readonly seconds: number;
  readonly micros: number;
  /** Of the fraction. */
  readonly digits: number;
  /** Seconds east of UTC. */
  readonly offset: number;
}

export interface Transaction {
  readonly time?: TransactionTime | undefined;
  readonly session?: string | undefined;
  readonly source?: string | undefined;
  readonly sourcePort?: number | undefined;
  readonly target?: string | undefined;
  readonly targetPort?: number | undefined;
  readonly method?: string | undefined;
  readonly url?: string | undefined;
  readonly host?: string | undefined;
  readonly userAgent?: string | undefined;
  readonly referrer?: string | undefined;
  readonly status?: string | undefined;
  /** The section that the lines end in. */
  readonly section?: string | undefined;
  /** The first message of a rule, and the rule's number. */
  readonly reason?: string | undefined;
  readonly rule?: string | undefined;
}

/** Of version 3 with three hyphens. */
const BOUNDARY = /^--(?:([0-9A-Za-z]{8})|-([0-9A-Za-z]{8})--)-([A-Z])--\r?$/;
const MONTHS = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ');
/** Some versions write the minus of an offset again before each number, others seconds for its minutes. */
const HEAD =
  /^\[(\d\d)\/([A-Z][a-z]{2})\/(\d{4}):(\d\d):(\d\d):(\d\d)(?:\.(\d{1,6}))? ([+-])-?(\d\d)-?(\d{2,4})\] (\S+) (\S+) (\d{1,5}) (\S+) (\d{1,5})\r?$/;
/** Blanks in its address are as the client sent them. */
const REQUEST = /^(\S+) (\S.*?)(?: HTTP\/\d(?:\.\d)?)?\r?$/s;
const RESPONSE = /^HTTP\/\d(?:\.\d)? (\d{3})\b/;
const HEADER = /^(Host|User-Agent|Referer): *(.*?)\r?$/is;
const MESSAGE = /^(?:Message|Apache-Error|ModSecurity): *(.*?)\r?$/s;
const RULE = /\[id "(\d{1,20})"\]/g;

export function boundaryOf(line: string): Boundary | undefined {
  const found = BOUNDARY.exec(line);
  return found === null ? undefined : { id: (found[1] ?? found[2])!, section: found[3]! };
}

/** Whether a line is what section A consists of. */
export function isHead(line: string): boolean {
  return HEAD.test(line);
}

/**
 * @param lines of the transaction `id`; boundaries of others are text that a client sent
 * @param begun the section that they begin in
 */
export function transactionOf(lines: readonly string[], id: string, begun = ''): Transaction {
  const out: { -readonly [Name in keyof Transaction]: Transaction[Name] } = {};
  let section = begun;
  let isFirst = false;
  for (const line of lines) {
    const boundary = boundaryOf(line);
    if (boundary !== undefined && boundary.id === id) {
      ({ section } = boundary);
      isFirst = true;
      continue;
    }
    if (section === 'A' && isFirst) Object.assign(out, headOf(line));
    else if (section === 'B' && isFirst) {
      const request = REQUEST.exec(line);
      if (request !== null) [, out.method, out.url] = request;
    } else if (section === 'B') {
      const [, name, value] = HEADER.exec(line) ?? [];
      if (name === undefined || value === undefined || value === '') continue;
      if (/^host$/i.test(name)) out.host ??= value.replace(/:\d+$/, '');
      else if (/^referer$/i.test(name)) out.referrer ??= value;
      else out.userAgent ??= value;
    } else if (section === 'F' && isFirst) out.status = RESPONSE.exec(line)?.[1];
    else if (section === 'H' && out.reason === undefined) {
      out.reason = MESSAGE.exec(line)?.[1];
      out.rule = ruleOf(out.reason ?? '');
    }
    isFirst = false;
  }
  return { ...out, section };
}

/** Not where a message names several: it may have what a client sent, unescaped. */
function ruleOf(message: string): string | undefined {
  const [rule, ...others] = new Set(Array.from(message.matchAll(RULE), ([, id]) => id));
  return others.length === 0 ? rule : undefined;
}

function headOf(line: string): Partial<Transaction> {
  const found = HEAD.exec(line);
  if (found === null) return {};
  const [, day, month, year, hour, minute, second, fraction = '', sign, zoneHours, zoneMinutes] =
    found;
  const [, session, source, sourcePort, target, targetPort] = found.slice(10);
  const ends = {
    ...{ session, source, sourcePort: portOf(sourcePort) },
    ...{ target, targetPort: portOf(targetPort) },
  };
  const at = MONTHS.indexOf(month!);
  const date = new Date(Date.UTC(Number(year), at, Number(day)));
  if (at < 0 || date.getUTCDate() !== Number(day)) return ends;
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) return ends;
  const rest = Number(zoneMinutes) * (zoneMinutes!.length > 2 ? 1 : 60);
  const offset = (Number(zoneHours) * 3600 + rest) * (sign === '-' ? -1 : 1);
  const local = date.getTime() / 1000 + Number(hour) * 3600 + Number(minute) * 60 + Number(second);
  const micros = Number(fraction.padEnd(6, '0'));
  return { ...ends, time: { seconds: local - offset, micros, digits: fraction.length, offset } };
}

function portOf(text: string | undefined): number | undefined {
  const port = Number(text);
  return port <= 65_535 ? port : undefined;
}
