/**
 * Searches the payloads of captured connections. These are in the evidence only: each capture is read once, as in
 * its import.
 */
import type { EpochMicros } from '../../contract/event.ts';
import { CancelledError, DaybookError, messageOfError } from '../../contract/errors.ts';
import { clockErrorOf } from '../../contract/time/clock.ts';
import type { PayloadMatch, SearchedPayloads } from '../../contract/words/payload-search.ts';
import type {
  BodyPlace,
  BodyTaker,
  FlowEnds,
  PayloadTaker,
  StreamTaker,
} from '../../evidence/payloads.ts';
import { Stopwatch } from '../../measure/operation-log.ts';
import { type SourceRow, locationOf } from '../../catalog/index.ts';
import { formatIp6 } from '../../query/values/address.ts';
import { formatTime } from '../../query/answers/format.ts';
import {
  type CaseSession,
  type GivenList,
  askQuery,
  eventIdOf,
  eventKey,
  shownRows,
} from '../../search/index.ts';
import { checkEvidence, type EvidenceReader } from '../event/evidence-reader.ts';
import { parsePayloadPattern, type PayloadPattern } from './payload-pattern.ts';
import { type FoundBytes, searchBody, searchDatagram, StreamSearch } from './stream-search.ts';

/** Times are corrected by the error of the source's clock. */
export type FoundPayload = FoundBytes &
  PayloadMatch & {
    /** Time of its first byte, in the requested zone. */
    readonly time: string | undefined;
  };

export type PayloadSearchReport = {
  -readonly [K in keyof Omit<SearchedPayloads, 'undecoded'>]: SearchedPayloads[K];
} & {
  matches: number;
  left: { source: string; reason: string }[];
  undecoded: { readonly reason: string; bodies: number }[];
};

interface PayloadSearchParameters {
  /** See `parsePayloadPattern`. */
  readonly pattern: string;
  /** Only connections that events of this query belong to; undefined: all of the case. */
  readonly query: string | undefined;
  readonly from?: EpochMicros | undefined;
  readonly to?: EpochMicros | undefined;
  readonly list?: GivenList | undefined;
  readonly zone: string;
  /** Matches, at most. */
  readonly limit: number;
  readonly signal?: AbortSignal | undefined;
  report(progress: { done: number; of: number | undefined; source: string }): Promise<void>;
}

/** Thrown after the requested number of matches. */
class Enough extends Error {}

interface PayloadSearch {
  /** Matches of one capture in order of time, then those of the next. */
  matches(): AsyncGenerator<FoundPayload[]>;
  /** Valid once all matches were consumed. */
  readonly report: PayloadSearchReport;
}

/**
 * @throws DaybookError usage for an invalid pattern, a view without events, or a case without captures;
 * query-syntax, cancelled
 */
export async function searchPayloads(
  session: CaseSession,
  evidence: EvidenceReader,
  parameters: PayloadSearchParameters,
): Promise<PayloadSearch> {
  const watch = new Stopwatch('payload');
  const pattern = parsePayloadPattern(parameters.pattern);
  const wanted = await watch.spanAsync('find', () => wantedFlows(session, parameters));
  const sources = session
    .snapshot()
    .sources()
    .filter(({ id, importer }) => importer === 'pcap' && wanted?.has(id) !== false);
  if (sources.length === 0)
    throw new DaybookError(
      'usage',
      wanted === undefined
        ? 'the case has no captures'
        : 'the query finds no connection of a capture',
      'choose flows, packets or protocol events of captures, such as kind:flow',
    );
  const report: PayloadSearchReport = {
    ...{ matches: 0, isStopped: false, sources: 0, streams: 0, datagrams: 0 },
    ...{ bytes: 0, gaps: 0, missing: 0, evicted: 0, left: [] },
    ...{ bodies: 0, decodedBytes: 0, undecoded: [] },
  };
  return {
    report,
    async *matches() {
      for (const source of sources) {
        if (report.isStopped) break;
        const flows = wanted?.get(source.id);
        yield await watch.spanAsync('read', () =>
          searchSource(evidence, source, pattern, flows, parameters, report),
        );
      }
      watch.rowsReturned = report.matches;
      session.record(watch, 'done');
    },
  };
}

async function searchSource(
  evidence: EvidenceReader,
  source: SourceRow,
  pattern: PayloadPattern,
  flows: ReadonlySet<number> | undefined,
  { report: tell, zone, limit, signal }: PayloadSearchParameters,
  report: PayloadSearchReport,
): Promise<FoundPayload[]> {
  const { id, name } = source;
  const clockError = clockErrorOf(source.decisions.clock);
  const matches: (FoundBytes & Ends)[] = [];
  const taker = new Search(pattern, flows, report, (ends, match) => {
    matches.push({ ...match, ...describe(ends) });
    report.matches += 1;
    if (report.matches < limit) return;
    report.isStopped = true;
    throw new Enough();
  });
  const progress = (bytes: number): Promise<void> =>
    tell({ done: bytes, of: source.contentSize, source: name });
  try {
    await checkEvidence(evidence, source, signal);
    await evidence.readPayloads({ location: locationOf(source), taker, progress, signal });
    if (signal?.aborted === true) throw new CancelledError();
  } catch (error) {
    if (error instanceof CancelledError) throw error;
    if (error instanceof DaybookError)
      report.left.push({ source: name, reason: messageOfError(error) });
    else if (!(error instanceof Enough)) throw error;
  }
  report.sources += 1;
  // Each side is searched separately, some packets at a time.
  return matches
    .toSorted((one, other) => (one.ts ?? 0) - (other.ts ?? 0))
    .map(({ flow, ...match }) => {
      const ts = match.ts === undefined ? undefined : match.ts - clockError;
      const time = ts === undefined ? undefined : formatTime(ts, 0, 6, zone);
      const event = eventIdOf({ sourceId: id, seq: -flow });
      return { ...match, ts, time, source: name, event };
    });
}

type Ends = Pick<PayloadMatch, 'proto' | 'client' | 'clientPort' | 'server' | 'serverPort'> & {
  /** Number of its flow in the source. */
  readonly flow: number;
};

function describe(ends: FlowEnds): Ends {
  const { flow, proto, clientPort, serverPort } = ends;
  const [client, server] = [addressOf(ends.client), addressOf(ends.server)];
  return { flow, proto: proto === 6 ? 'tcp' : 'udp', client, clientPort, server, serverPort };
}

function addressOf(bytes: Uint8Array): string {
  return bytes.length === 4
    ? bytes.join('.')
    : formatIp6(BigInt(`0x${Buffer.from(bytes).toString('hex')}`));
}

const MOST_REASONS = 20;
const OTHER_REASONS = 'other reasons';

/** Searches the connections of one capture. */
class Search implements PayloadTaker {
  private readonly pattern: PayloadPattern;
  private readonly flows: ReadonlySet<number> | undefined;
  private readonly report: PayloadSearchReport;
  private readonly found: (ends: FlowEnds, match: FoundBytes) => void;

  constructor(
    pattern: PayloadPattern,
    flows: ReadonlySet<number> | undefined,
    report: PayloadSearchReport,
    found: (ends: FlowEnds, match: FoundBytes) => void,
  ) {
    this.pattern = pattern;
    this.flows = flows;
    this.report = report;
    this.found = found;
  }

  wants(flow: number): boolean {
    return this.flows?.has(flow) !== false;
  }

  stream(ends: FlowEnds): StreamTaker {
    const { report } = this;
    report.streams += 1;
    const search = new StreamSearch(this.pattern, (match) => this.found(ends, match));
    return {
      data: (isFromClient, bytes, ts) => {
        report.bytes += bytes.length;
        search.data(isFromClient, bytes, ts);
      },
      gap: (isFromClient, size) => {
        this.miss(size);
        search.gap(isFromClient, size);
      },
      body: (place) => this.body(ends, place),
      end: () => search.end(),
    };
  }

  private body(ends: FlowEnds, place: BodyPlace): BodyTaker {
    const { report } = this;
    report.bodies += 1;
    const search = searchBody(this.pattern, place, (match) => this.found(ends, match));
    return {
      data(bytes) {
        report.decodedBytes += bytes.length;
        search.data(bytes);
      },
      chunkBoundary: () => search.chunkBoundary(),
      end: (outcome) => {
        if (outcome.problem !== undefined) this.undecoded(outcome.problem);
        search.end(outcome);
      },
    };
  }

  /** Some reasons contain text from the evidence: the number of distinct ones is bounded. */
  private undecoded(problem: string): void {
    const { undecoded } = this.report;
    const isNew = undecoded.every(({ reason }) => reason !== problem);
    const said = isNew && undecoded.length >= MOST_REASONS ? OTHER_REASONS : problem;
    const known = undecoded.find(({ reason }) => reason === said);
    if (known === undefined) undecoded.push({ reason: said, bodies: 1 });
    else known.bodies += 1;
  }

  datagram(
    ends: FlowEnds,
    isFromClient: boolean,
    bytes: Uint8Array,
    missing: number,
    ts: EpochMicros | undefined,
  ): void {
    if (missing > 0) this.miss(missing);
    if (bytes.length === 0) return;
    this.report.datagrams += 1;
    this.report.bytes += bytes.length;
    searchDatagram(this.pattern, isFromClient, bytes, ts, (match) => this.found(ends, match));
  }

  private miss(size: number): void {
    this.report.gaps += 1;
    this.report.missing += size;
  }

  finish(evicted: number): void {
    this.report.evicted += evicted;
  }
}

/** Numbers of flows by that of their source; undefined: all. */
async function wantedFlows(
  session: CaseSession,
  { query, from, to, list, zone, signal }: PayloadSearchParameters,
): Promise<Map<number, Set<number>> | undefined> {
  if ([query, from, to, list].every((one) => one === undefined)) return undefined;
  const asked = query ?? 'kind:flow';
  const start = (text: string) =>
    askQuery(session, { text, from, to, list, zone, signal, operation: 'payload.find' });
  if ((await start(asked)).plan.shape !== 'rows')
    throw new DaybookError(
      'usage',
      'the query gives a table: it has no connections',
      'leave out the stages that count or group',
    );
  const running = await start(`${asked} | fields event_id, kind, flow_id`);
  const wanted = new Map<number, Set<number>>();
  for await (const records of shownRows(running, zone)) {
    for (const { event_id: id, kind, flow_id: named } of records) {
      const { sourceId, seq } = eventKey(typeof id === 'string' ? id : '');
      const flow = kind === 'flow' ? -seq : named;
      if (typeof flow !== 'number' || flow <= 0) continue;
      const ofSource = wanted.get(sourceId) ?? new Set<number>();
      wanted.set(sourceId, ofSource.add(flow));
    }
  }
  return wanted;
}
