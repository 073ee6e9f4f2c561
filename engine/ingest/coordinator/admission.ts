/**
 * Admission: decides for each source whether it is new, known or interrupted. It may first ask a worker for hashes,
 * or to flush what it holds; the worker then asks again.
 */
import { locationOf, samePlace } from '../../catalog/source-place.ts';
import type { SourceRow } from '../../catalog/tables/sources.ts';
import { basisOf, GIVEN, type TimeDecision } from '../../contract/time/decisions.ts';
import type { BeginReply, BeginRequest, EqualStart, Known, SkipPlan } from '../worker/protocol.ts';
import type { ImportContext } from './import-context.ts';
import type { ImportLedger } from './import-ledger.ts';
import type { SourceOrder } from './source-order.ts';
import type { SourceOverlaps } from './source-overlaps.ts';

/** Waits while another worker may read. */
type Rest = <T>(until: Promise<T>) => Promise<T>;

export class Admission {
  private readonly context: ImportContext;
  private readonly ledger: ImportLedger;
  private readonly overlaps: SourceOverlaps;
  private readonly order: SourceOrder;
  private waitingForCommits = 0;
  private readonly flushed = new Set<string>();
  private readonly prefixed = new Set<string>();
  private readonly contentAsked = new Set<string>();

  constructor(
    context: ImportContext,
    ledger: ImportLedger,
    overlaps: SourceOverlaps,
    order: SourceOrder,
  ) {
    this.context = context;
    this.ledger = ledger;
    this.overlaps = overlaps;
    this.order = order;
  }

  async begin(request: BeginRequest, rest: Rest): Promise<BeginReply> {
    const { ordinal } = request.item;
    const turn = this.order.turn(ordinal);
    if (turn !== undefined) {
      // Another worker may be blocked on rows that this one still buffers.
      const flush = this.waitingForCommits > 0 && !this.flushed.has(`turn ${ordinal}`);
      const answer = flush ? 'flush' : await rest(turn);
      if (answer === 'flush') {
        this.flushed.add(`turn ${ordinal}`);
        return { action: 'flush' };
      }
    }
    this.flushed.delete(`turn ${ordinal}`);
    const reply = await this.decide(request, rest);
    if (reply.action === 'read' || reply.action === 'duplicate') this.order.settled(ordinal);
    return reply;
  }

  private async decide(request: BeginRequest, rest: Rest): Promise<BeginReply> {
    // Content that came through a pipe is in the staging folder only while it is read.
    const isSpooled = request.location.path.startsWith(this.context.writer.staging);
    const begin = isSpooled
      ? { ...request, location: { ...request.location, path: '(standard input)' } }
      : request;
    // Several arguments may contain files of the same name.
    const which = `${begin.item.ordinal} ${begin.name}`;
    return (
      (await this.waitForEqual(begin, which, rest)) ??
      this.knownFile(begin) ??
      this.knownContent(begin, which) ??
      this.interrupted(begin) ??
      this.extended(begin, which)
    );
  }

  /** Equal contents have equal beginnings; only then is it worth waiting for the other one. */
  private async waitForEqual(
    begin: BeginRequest,
    which: string,
    rest: Rest,
  ): Promise<BeginReply | undefined> {
    for (const other of this.context.inFlight.values()) {
      const sameHead = other.begin.headSha256 === begin.headSha256;
      const sameBytes = sameHead && other.begin.rawSize === begin.rawSize;
      // If only one of the two is compressed, their contents may still be equal.
      const otherwise = (begin.rawSha256 === undefined) !== (other.begin.rawSha256 === undefined);
      if (!sameBytes && !(sameHead && (begin.appendOnly || otherwise))) continue;
      if (!this.flushed.has(which)) {
        this.flushed.add(which);
        return { action: 'flush' };
      }
      this.waitingForCommits += 1;
      this.order.hurry();
      await rest(other.committed);
      this.waitingForCommits -= 1;
    }
    this.flushed.delete(which);
    return undefined;
  }

  /** The same bytes. */
  private knownFile(begin: BeginRequest): BeginReply | undefined {
    const { sources } = this.context.writer.catalog;
    if (begin.rawSha256 === undefined) {
      const isAlike = (source: SourceRow) =>
        source.status === 'complete' && source.headSha256 === begin.headSha256;
      return begin.rawSize !== undefined && sources.byRawSize(begin.rawSize).some(isAlike)
        ? hashes({ raw: true })
        : undefined;
    }
    const same = sources.byHash(begin.rawSha256);
    const known = same.find(({ broken }) => broken === undefined) ?? same.at(-1);
    if (known === undefined || mayGoOn(known, begin)) return undefined;
    this.ledger.addDuplicate(begin, known);
    return { action: 'duplicate' };
  }

  /** The same content in another compression, or none. */
  private knownContent(begin: BeginRequest, which: string): BeginReply | undefined {
    const sameHead = this.context.writer.catalog.sources
      .byHead(begin.headSha256)
      .filter(
        (source) =>
          source.broken === undefined &&
          source.headSize === begin.headSize &&
          source.importer === begin.importer &&
          (begin.rawSha256 !== undefined || source.contentSize === begin.rawSize),
      );
    if (sameHead.length === 0) return undefined;
    const { content } = begin;
    if (content === undefined && !this.contentAsked.has(which)) {
      this.contentAsked.add(which);
      return hashes({ content: true });
    }
    this.contentAsked.delete(which);
    const same = sameHead.find(
      (source) => source.contentSize === content?.size && source.contentSha256 === content?.sha256,
    );
    if (same === undefined) return undefined;
    this.ledger.addDuplicate(begin, same);
    return { action: 'duplicate' };
  }

  /** A source whose import was interrupted, if its bytes are the same up to that point. */
  private interrupted(begin: BeginRequest): BeginReply | undefined {
    const known = this.context.writer.catalog.sources
      .partial(begin.location.path)
      .filter(
        (source) =>
          samePlace(locationOf(source), begin.location) &&
          source.rawSize === begin.rawSize &&
          source.modifiedMs === begin.modifiedMs &&
          isReadAlike(source, begin) &&
          (source.rawSha256 === undefined || source.rawSha256 === begin.rawSha256),
      )
      .at(-1);
    if (known === undefined || this.context.sources.has(known.id)) return undefined;
    const at = known.checkpointBytes;
    const found = begin.checkpoints[at];
    if (at > 0 && found === undefined && begin.rawSha256 === undefined)
      return hashes({ checkpoints: [at] });
    if (at > 0 && known.checkpointSha256 !== undefined && found !== known.checkpointSha256)
      return undefined;
    return this.read(begin, known, {
      resume: emittedOf(known),
      duplicate: known.metadata['duplicateOf'] as SkipPlan['duplicate'],
    });
  }

  /** A new source whose beginning may be in the case, as a shorter copy or one that was not read to its end. */
  private extended(begin: BeginRequest, which: string): BeginReply {
    const candidates = begin.appendOnly ? this.shorterCopies(begin) : this.brokenCopies(begin);
    const isAsked = Object.keys(begin.prefixes).length > 0 || this.prefixed.has(which);
    if (candidates.length > 0 && !isAsked) {
      this.prefixed.add(which);
      return hashes({ prefixes: candidates.map(({ contentSize }) => contentSize!) });
    }
    // Members of an archive may have the same name, too.
    this.prefixed.delete(which);
    const contained = candidates.filter(
      ({ contentSize, contentSha256 }) => begin.prefixes[contentSize!] === contentSha256,
    );
    const duplicate = begin.appendOnly ? this.equalStart(contained[0]) : undefined;
    const row = this.addSource(begin, duplicate);
    if (!begin.appendOnly) this.overlaps.supersedes(row.id, contained);
    const skip = duplicate === undefined ? undefined : { resume: undefined, duplicate };
    return this.read(begin, row, skip);
  }

  private shorterCopies(begin: BeginRequest): SourceRow[] {
    return this.context.writer.catalog.sources
      .byHead(begin.headSha256)
      .filter(
        (source) =>
          source.wholeLines &&
          (source.error === undefined || source.broken !== undefined) &&
          isReadAlike(source, begin) &&
          source.headSize === begin.headSize,
      );
  }

  private brokenCopies(begin: BeginRequest): SourceRow[] {
    return this.context.writer.catalog.sources
      .byHead(begin.headSha256)
      .filter(
        (source) =>
          source.broken !== undefined &&
          source.headSize === begin.headSize &&
          source.importer === begin.importer &&
          (source.contentSize ?? 0) > 0,
      );
  }

  private equalStart(source: SourceRow | undefined): SkipPlan['duplicate'] {
    if (source === undefined) return undefined;
    const { contentSize, id } = source;
    return {
      ...emittedOf(source),
      extent: contentSize!,
      sourceId: id,
      ...this.timesOf(source),
      decided: decidedOf(source),
    };
  }

  /**
   * Times of the first and last of all records of a source: its row has only those of events stored for it, and
   * earlier records may be stored for earlier copies.
   */
  private timesOf(source: SourceRow): Pick<EqualStart, 'firstTs' | 'lastTs'> {
    let first = Infinity;
    let last = -Infinity;
    for (let copy: SourceRow | undefined = source; copy !== undefined;) {
      first = Math.min(first, copy.firstTs ?? Infinity);
      last = Math.max(last, copy.lastTs ?? -Infinity);
      const before = copy.metadata['duplicateOf'] as SkipPlan['duplicate'];
      // An earlier copy has a lower number, so this terminates.
      copy =
        before !== undefined && before.sourceId < copy.id
          ? this.context.writer.catalog.sources.get(before.sourceId)
          : undefined;
    }
    if (first > last) return { firstTs: undefined, lastTs: undefined };
    return { firstTs: first, lastTs: last };
  }

  private addSource(begin: BeginRequest, duplicate: SkipPlan['duplicate']): SourceRow {
    const { sources } = this.context.writer.catalog;
    const isMember = begin.location.members.length > 0;
    return this.context.transact(() => {
      const id = sources.add({
        id: this.order.number(begin.item.ordinal, isMember),
        name: begin.name,
        path: begin.location.path,
        location: begin.location,
        rawSize: begin.rawSize,
        modifiedMs: begin.modifiedMs,
        headSha256: begin.headSha256,
        headSize: begin.headSize,
        importer: begin.importer,
        importerVersion: begin.importerVersion,
        format: begin.format,
        options: { ...begin.item.options },
        importId: this.context.importId,
      });
      const added = sources.get(id)!;
      if (begin.rawSha256 !== undefined) added.rawSha256 = begin.rawSha256;
      if (duplicate !== undefined) added.metadata['duplicateOf'] = duplicate;
      sources.update(added);
      return added;
    });
  }

  private read(begin: BeginRequest, row: SourceRow, skip: SkipPlan | undefined): BeginReply {
    const { promise: committed, resolve: commit } = Promise.withResolvers<void>();
    this.context.sources.set(row.id, row);
    const ordinal = this.ledger.begun(begin, row.id);
    this.context.inFlight.set(row.id, { begin, committed, commit, ordinal });
    return { action: 'read', sourceId: row.id, skip };
  }
}

type HashReply = Extract<BeginReply, { action: 'hash' }>;

/** Asks the worker for the hashes that the decision needs. */
function hashes(wanted: Partial<Omit<HashReply, 'action'>>): HashReply {
  return { action: 'hash', raw: false, content: false, checkpoints: [], prefixes: [], ...wanted };
}

/** Whether a source was read with the same options. */
function isReadAlike(source: SourceRow, begin: BeginRequest): boolean {
  return (
    source.importer === begin.importer &&
    source.importerVersion === begin.importerVersion &&
    source.format === begin.format &&
    JSON.stringify(source.options) === JSON.stringify(begin.item.options)
  );
}

function decidedOf({ decisions }: SourceRow): NonNullable<EqualStart['decided']> {
  const isGiven = (name: TimeDecision): boolean => basisOf(decisions, name) === GIVEN;
  const { tz, dateOrder, clock } = decisions;
  return {
    ...(isGiven('tz') && tz !== undefined ? { timeZone: tz } : {}),
    ...(isGiven('dateOrder') && dateOrder !== undefined ? { dateOrder } : {}),
    ...(isGiven('clock') && clock !== undefined ? { clock } : {}),
  };
}

function emittedOf({ emitted }: SourceRow): Known {
  const { '#quarantined': quarantined = 0, '#keyDuplicates': _, ...rows } = emitted;
  return { rows, quarantined };
}

/** Whether reading a source again, although the case has the same bytes, can yield more of it. */
function mayGoOn({ broken }: SourceRow, { item: { limits } }: BeginRequest): boolean {
  if (broken === undefined) return false;
  if (broken.limit !== undefined) {
    const option = broken.limit.replace(/^--max-/, '');
    const raised = {
      ratio: limits.maxRatio,
      bytes: limits.maxBytes,
      depth: limits.maxDepth,
      members: limits.maxMembers,
    };
    return option in raised && raised[option as keyof typeof raised] !== undefined;
  }
  return limits.unchecked === true && broken.state === 'damaged';
}
