/**
 * Finds the rows of a plan's filters: from side files, and by reading where only reading can decide. Results are
 * cached for the next operations on the same events.
 */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import type { Catalog } from '../../catalog/catalog.ts';
import { CancelledError } from '../../contract/errors.ts';
import { RowSet } from '../../util/row-set.ts';
import type { RollupNode, RollupNodes } from '../../index/rollup/tree/rollup-nodes.ts';
import { IndexDamaged, type IndexFiles, type TimeLookup } from '../../index/segment-indexes.ts';
import {
  type Candidates,
  compileTimes,
  compileVerify,
  findRows,
  exactly,
  pruned,
  readsMessages,
  verified,
} from '../access-paths/prune.ts';
import {
  type Filter,
  type FoundRows,
  type Plan,
  type RawValue,
  type SegmentInfo,
  type Statement,
  filtersOf,
  intersect,
  listOf,
} from '../../query/index.ts';
import type { SegmentAccess } from '../access-paths/segment-access.ts';
import { type TimedRows, timesOfEnds } from '../access-paths/timed-rows.ts';
import { edgesOf, foundAtEdge } from '../access-paths/edge-rows.ts';
import { groupsByTemplate, withTemplates } from '../access-paths/known-templates.ts';
import type { MessageShape } from '../../store/messages/message-cutter.ts';
import type { InFlightLookup } from './in-flight-lookup.ts';
import type { FilterResultCache } from './filter-result-cache.ts';
import type { ListColumnCache, ReadNumbers } from '../lists/list-column-cache.ts';
import { MOST_TIMES, type ReadTimes } from './read-times.ts';
import { storedMessages } from './stored-messages.ts';
import type { CaseSession } from '../session/case-session.ts';
import type { Snapshot } from '../session/snapshot.ts';

/** Time after which look-ups yield to other work. */
const TURN_MS = 8;
/** Filters longer than this many characters are identified by a hash. */
const MOST_KEY = 200;
/**
 * Number of segments that one statement reads to decide which rows match, or for their times. If few files may be
 * open, the rows of many more would be copied into memory.
 */
const AT_ONCE = 32;
/** Number of rows whose times one statement reads. */
const TIMES_AT_ONCE = 1_000_000;

type Reads = 'none' | 'messages' | 'all';

interface FinderOptions {
  readonly folder: string;
  readonly catalog: Catalog;
  readonly files: IndexFiles;
  readonly nodes: RollupNodes;
  readonly cache: FilterResultCache;
  readonly keptBytes: number;
  readonly readTimes: ReadTimes;
  readonly snapshot: Snapshot;
  readonly signal: AbortSignal | undefined;
  /** All rows of a statement on some of the snapshot's segments; `signal` replaces the operation's. */
  readonly rows: (
    statement: Statement,
    segments: readonly SegmentInfo[],
    signal?: AbortSignal,
  ) => Promise<RawValue[][]>;
  /** The message shapes of some of the snapshot's segments. */
  readonly shapes: (
    segments: readonly SegmentInfo[],
    signal: AbortSignal,
  ) => Promise<ReadonlyMap<number, readonly MessageShape[]>>;
  /** Columns of some of the snapshot's segments, which have them. */
  readonly readNumbers: ReadNumbers;
  readonly numbers: ListColumnCache;
  /** Keeps segments readable until the returned function is called. */
  readonly hold: () => () => void;
}

/** Options for finding rows and their times. */
interface HowTimed {
  /**
   * Whether times are needed at all; for a segment, whether times between its first and last event are: for a
   * segment that matches completely, others are not read.
   */
  readonly times?: boolean | ((segment: SegmentInfo) => boolean);
  /** As in `exact`. */
  readonly urgent?: boolean;
}

/** @param rows all rows of a statement on some of the snapshot's segments */
export function finderOf(
  session: CaseSession,
  snapshot: Snapshot,
  signal: AbortSignal | undefined,
  rows: FinderOptions['rows'],
): RowFinder {
  const { folder, catalog, indexes: files, nodes, found: cache, readTimes, numbers } = session;
  // Statements on shapes and numbers name no marks.
  const prepare = (segments: readonly SegmentInfo[]) => {
    const ids = new Set(segments.map(({ id }) => id));
    const wanted = snapshot.segments.filter(({ id }) => ids.has(id));
    return session.prepare(wanted, snapshot, '');
  };
  const shapes: FinderOptions['shapes'] = async (segments, stop) => {
    await prepare(segments);
    return session.store.messageShapes(
      segments.map(({ id }) => id),
      stop,
    );
  };
  const readNumbers: ReadNumbers = async (segments, columns) => {
    await prepare(segments);
    return session.store.numbers(segments, columns, signal);
  };
  const hold = () => session.store.hold();
  return new RowFinder({
    ...{ folder, catalog, files, nodes, cache, readTimes, numbers, keptBytes: session.kept.limit },
    ...{ snapshot, signal, rows, shapes, readNumbers, hold },
  });
}

/** Paths of a snapshot's segments: every question needs them. */
const paths = new WeakMap<Snapshot, ReadonlyMap<number, string>>();

export class RowFinder {
  private readonly options: FinderOptions;
  private readonly paths: ReadonlyMap<number, string>;
  private readonly keys = new WeakMap<Filter, string>();
  private turnEnds = performance.now() + TURN_MS;

  constructor(options: FinderOptions) {
    this.options = options;
    const { snapshot, folder } = options;
    this.paths =
      paths.get(snapshot) ??
      new Map(snapshot.segments.map(({ id, file }) => [id, join(folder, file)]));
    paths.set(snapshot, this.paths);
  }

  /** Rollups of several of the case's segments, those with the most segments first. */
  nodes(): RollupNode[] {
    const { nodes, snapshot } = this.options;
    return nodes.of(snapshot.segments);
  }

  /** Access to a segment's side file and marks. */
  known(segment: SegmentInfo): SegmentAccess {
    const { files, catalog, cache, snapshot, keptBytes } = this.options;
    return {
      keptBytes,
      kept: (leaf, lookUp) => cache.leaf(snapshot, this.keyOf(leaf), segment.id, lookUp),
      indexes: files.of(this.paths.get(segment.id) ?? '', segment.rows),
      marked: (tag) => RowSet.ofSorted(catalog.marks.of(segment.id, tag), segment.rows),
    };
  }

  /**
   * The plan, restricted to what is known about these of its segments. Damaged side files are ignored: rows of
   * earlier days may have been delivered already.
   * @param reads rows that may be read to decide which match: none, those whose messages are assembled for that
   * alone, or
   *   all that need it
   * @throws CancelledError, and whatever a statement throws
   */
  async prune(
    plan: Plan,
    segments: readonly SegmentInfo[] = plan.segmentsUsed,
    reads: Reads = 'messages',
  ): Promise<Plan> {
    for (;;) {
      try {
        return await this.pruneOnce(plan, segments, reads);
      } catch (error) {
        // Each damaged side file is detected once.
        if (!(error instanceof IndexDamaged)) throw error;
      }
    }
  }

  private async pruneOnce(
    plan: Plan,
    segments: readonly SegmentInfo[],
    reads: Reads,
  ): Promise<Plan> {
    const found = new Map<Filter, ReadonlyMap<number, FoundRows>>();
    const edges = edgesOf(plan);
    for (const filter of filtersOf(plan.events)) {
      const edge = edges.get(filter);
      const find = (portion: readonly SegmentInfo[]) => this.found(filter, portion, reads);
      const timeOf = (segment: SegmentInfo) => this.known(segment).indexes.time;
      const bySegment =
        edge === undefined ? find(segments) : foundAtEdge(edge, segments, find, timeOf);
      found.set(filter, await bySegment);
    }
    if (!groupsByTemplate(plan)) return pruned(plan, found);
    for (const [filter, candidates] of found)
      found.set(filter, await this.withTemplates(candidates, segments));
    return pruned(plan, found);
  }

  private async withTemplates(
    found: ReadonlyMap<number, FoundRows>,
    segments: readonly SegmentInfo[],
  ): Promise<ReadonlyMap<number, FoundRows>> {
    const out = new Map<number, FoundRows>();
    for (const segment of segments) {
      await this.breathe();
      const known = found.get(segment.id);
      if (known !== undefined)
        out.set(segment.id, withTemplates(known, segment, this.known(segment).indexes));
    }
    return out;
  }

  /** What is known about the rows of `segment` that match `filter`. */
  async find(filter: Filter, segment: SegmentInfo): Promise<FoundRows> {
    await this.breathe();
    const { cache, snapshot } = this.options;
    const key = this.keyOf(filter);
    const kept = cache.get(snapshot, key, segment.id);
    if (kept !== undefined) return kept;
    const found = findRows(filter, segment, this.known(segment));
    cache.set(snapshot, key, segment.id, found);
    return found;
  }

  /**
   * Yields to other work now and then.
   * @throws CancelledError
   */
  async breathe(): Promise<void> {
    if (performance.now() > this.turnEnds) {
      await turn();
      this.turnEnds = performance.now() + TURN_MS;
    }
    if (this.options.signal?.aborted === true) throw new CancelledError();
  }

  /** What is known about these segments before any row is read. */
  async findAll(
    filter: Filter,
    segments: readonly SegmentInfo[],
  ): Promise<ReadonlyMap<number, FoundRows>> {
    const out = new Map<number, FoundRows>();
    for (const segment of segments) out.set(segment.id, await this.find(filter, segment));
    return out;
  }

  private async found(
    filter: Filter,
    segments: readonly SegmentInfo[],
    reads: Reads,
  ): Promise<ReadonlyMap<number, FoundRows>> {
    if (reads === 'all') return this.exact(filter, segments);
    const found = await this.findAll(filter, segments);
    if (reads === 'none') return found;
    const open = segments.filter((one) => readsMessages(one, found.get(one.id)!));
    if (open.length === 0) return found;
    return new Map([...found, ...(await this.exact(filter, open))]);
  }

  /**
   * The exact rows of these segments that match `filter`. Undecided rows are read, once for all operations that ask
   * at the same time.
   * @param urgent these are few segments, and must not wait for many that another operation asked for
   * @throws CancelledError, IndexDamaged, and whatever a statement throws
   */
  async exact(
    filter: Filter,
    segments: readonly SegmentInfo[],
    urgent = false,
  ): Promise<ReadonlyMap<number, FoundRows>> {
    const out = new Map<number, FoundRows>();
    const unknown: Candidates[] = [];
    for (const segment of segments) {
      const found = await this.find(filter, segment);
      if (found.exact) out.set(segment.id, found);
      else unknown.push({ segment, found });
    }
    const compared = await this.compareLists(filter, unknown);
    for (const [id, found] of compared) out.set(id, found);
    const open = unknown.filter(({ segment }) => !compared.has(segment.id));
    const { cache, snapshot, signal } = this.options;
    const key = this.keyOf(filter);
    for (let at = 0; at < open.length; at += AT_ONCE) {
      const findings = new Set<InFlightLookup>();
      const mine: Candidates[] = [];
      for (const one of open.slice(at, at + AT_ONCE)) {
        const { id } = one.segment;
        const kept = cache.get(snapshot, key, id);
        const running = urgent ? undefined : cache.finding(snapshot, key, id);
        if (kept?.exact === true) out.set(id, kept);
        else if (running !== undefined) findings.add(running);
        else mine.push(one);
      }
      if (mine.length > 0) {
        const ids = mine.map(({ segment }) => segment.id);
        findings.add(cache.find(snapshot, key, ids, (stop) => this.verify(mine, stop)));
      }
      // Concurrently: a look-up that nobody waits for is stopped, or ends when all callers have left.
      const waits = await Promise.allSettled([...findings].map((finding) => finding.wait(signal)));
      for (const one of waits) {
        if (one.status === 'rejected') throw one.reason;
        for (const [id, found] of one.value) out.set(id, found);
      }
    }
    return out;
  }

  /** The rows that match a list, if only the list is undecided and its columns are in memory. */
  private async compareLists(
    filter: Filter,
    open: readonly Candidates[],
  ): Promise<ReadonlyMap<number, FoundRows>> {
    const out = new Map<number, FoundRows>();
    const list = open.map(({ found }) => listOf(found.rest)).find((one) => one !== undefined);
    if (list === undefined) return out;
    const sameList = open.filter(({ found }) => listOf(found.rest) === list);
    const { cache, snapshot, numbers, readNumbers, hold } = this.options;
    const key = this.keyOf(filter);
    const release = hold();
    try {
      const segments = sameList.map(({ segment }) => segment);
      const comparison = await numbers.comparing(list, segments, readNumbers);
      for (const { segment, found } of comparison === undefined ? [] : sameList) {
        await this.breathe();
        const kept = cache.get(snapshot, key, segment.id);
        const rows = kept?.exact === true ? kept.rows : comparison?.rowsOf(segment);
        if (rows === undefined) continue;
        const matching = exactly(intersect(rows, found.rows), found);
        cache.set(snapshot, key, segment.id, matching);
        out.set(segment.id, matching);
      }
    } finally {
      release();
    }
    return out;
  }

  /** Reads rows to decide which of them match. */
  private async verify(
    candidates: readonly Candidates[],
    stop: AbortSignal,
  ): Promise<ReadonlyMap<number, FoundRows>> {
    const { rows, hold } = this.options;
    // The caller that started it may leave before it ends.
    const release = hold();
    try {
      const segments = candidates.map(({ segment }) => segment);
      const predicate = await this.withMessages(candidates, stop);
      const bits = await rows(compileVerify(predicate), segments, stop);
      const bySegment = new Map(bits.map(([segment, one]) => [Number(segment), one]));
      return new Map(
        candidates.map(({ segment, found }) => [
          segment.id,
          verified(bySegment.get(segment.id), segment, found),
        ]),
      );
    } finally {
      release();
    }
  }

  /** The same, with the segments' message shapes where they help. */
  private async withMessages(
    candidates: readonly Candidates[],
    stop: AbortSignal,
  ): Promise<readonly Candidates[]> {
    const cut = candidates.flatMap(({ segment, found }) =>
      readsMessages(segment, found) ? [segment] : [],
    );
    if (cut.length === 0) return candidates;
    const shapes = await this.options.shapes(cut, stop);
    return candidates.map((one) => ({
      ...one,
      messages: storedMessages(shapes.get(one.segment.id), one.segment.numberForm),
    }));
  }

  /**
   * The same, with the times of the rows; undefined if those of a segment cannot be known.
   * @throws CancelledError, IndexDamaged, and whatever a statement throws
   */
  async timed(
    filter: Filter,
    segments: readonly SegmentInfo[],
    { times = true, urgent = false }: HowTimed = {},
  ): Promise<TimedRows[] | undefined> {
    const found = await this.exact(filter, segments, urgent);
    const rowsIn = (segment: SegmentInfo) => found.get(segment.id)?.rows ?? 'none';
    const dated = segments.filter(
      (segment) => times !== false && segment.day !== 'undated' && rowsIn(segment) !== 'none',
    );
    const byEnds = (segment: SegmentInfo) =>
      typeof times === 'function' && rowsIn(segment) === 'all' && !times(segment);
    const known = await this.times(dated.filter((segment) => !byEnds(segment)));
    if (known === undefined) return undefined;
    for (const segment of dated) if (byEnds(segment)) known.set(segment.id, timesOfEnds(segment));
    return segments.map((segment) => ({
      segment,
      rows: rowsIn(segment),
      time: known.get(segment.id),
    }));
  }

  /** The times of a segment's rows, if an index has them. */
  timesOf(segment: SegmentInfo): TimeLookup | undefined {
    return this.known(segment).indexes.time;
  }

  /** Whether the times of all rows of these segments are known, or quickly read. */
  hasTimes(segments: readonly SegmentInfo[]): boolean {
    return segments.every(
      (segment) =>
        segment.day === 'undated' ||
        segment.rows <= MOST_TIMES ||
        this.known(segment).indexes.time !== undefined,
    );
  }

  private async times(
    segments: readonly SegmentInfo[],
  ): Promise<Map<number, TimeLookup> | undefined> {
    const { readTimes, rows } = this.options;
    const out = new Map<number, TimeLookup>();
    const missing: SegmentInfo[] = [];
    for (const segment of segments) {
      const time = this.known(segment).indexes.time ?? readTimes.get(segment.id);
      if (time === undefined) missing.push(segment);
      else out.set(segment.id, time);
    }
    for (const portion of inPortions(missing)) {
      for (const [segment, list] of await rows(compileTimes(portion), portion)) {
        const read = Float64Array.from(JSON.parse(String(list)) as number[]);
        const time = readTimes.set(Number(segment), read);
        if (time === undefined) return undefined;
        out.set(Number(segment), time);
      }
    }
    return out;
  }

  private keyOf(filter: Filter): string {
    let key = this.keys.get(filter);
    if (key === undefined) {
      key = JSON.stringify(filter, (_, value: unknown) =>
        typeof value === 'bigint' ? `${value}n` : value,
      );
      // The key is used in maps once for each segment.
      if (key.length > MOST_KEY) key = createHash('sha256').update(key).digest('base64');
      this.keys.set(filter, key);
    }
    return key;
  }
}

function inPortions(segments: readonly SegmentInfo[]): SegmentInfo[][] {
  const out: SegmentInfo[][] = [];
  let portion: SegmentInfo[] = [];
  let rows = 0;
  for (const segment of segments) {
    const isFull = portion.length === AT_ONCE || rows + segment.rows > TIMES_AT_ONCE;
    if (out.length === 0 || isFull) {
      portion = [];
      out.push(portion);
      rows = 0;
    }
    portion.push(segment);
    rows += segment.rows;
  }
  return out;
}
