/**
 * Maintains the nodes of a case's rollups (docs/adr/0015-merged-rollups.md). The writer makes them, most after its
 * last commit, and removes those that no longer fit. A case without nodes gives the same answers.
 */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import {
  caseRelative,
  makeCaseFolder,
  moveInCase,
  removeFromCase,
} from '../../util/files/case-files.ts';
import { syncFile, syncFolder } from '../../util/files/files.ts';
import type { SegmentRow } from '../../catalog/tables/segments.ts';
import { DaybookError, hasCode, messageOfError } from '../../contract/errors.ts';
import type { Kind } from '../../contract/event.ts';
import { RollupIndex } from '../../index/rollup/rollup-index.ts';
import { SETS } from '../../index/rollup/sets.ts';
import {
  type NodeHead,
  type NodeMaking,
  isOf,
  NodeFile,
  nodeFileName,
  stateOf,
  TOP,
  writeNode,
} from '../../index/rollup/tree/node-file.ts';
import {
  type Cover,
  type Covering,
  coverBy,
  largestFirst,
  plannedNodes,
} from '../../index/rollup/tree/plan.ts';
import { NODE_FOLDER, nodesIn } from '../../index/rollup/tree/rollup-nodes.ts';
import { SideFile, sideFilePath } from '../../index/side-file.ts';
import { segmentPath } from '../../store/segment-path.ts';
import { layoutLimit } from '../../util/layout-limit.ts';
import { type SegmentRewriter, indexRows } from '../case/segment-rewriter.ts';
import { recordFallbacks } from './fallbacks.ts';
import { indexSegment } from '../indexing/index-segment.ts';

/** Number of segments, or nodes, that a node is made of. */
const FAN_OUT = 8;
/** Kinds with fewer events are added up as fast by segment. */
const LEAST_ROWS = 500_000;
/** If a kind has more segments too small for a side file, nodes are made without them. */
const MOST_SMALL = 64;
/**
 * The share of a kind's events that its top node may lack after an import: making a top reads all of them, however
 * few were added. The missing ones are added up by segment.
 */
const MOST_BEHIND = 1 / 16;
/** Columns that are in no rollup. */
const UNCOUNTED = /^(a:|attrs$|message$)/;

interface MergeOptions {
  readonly fanOut: number;
  readonly leastRows: number;
  /** An existing top stays while it lacks at most this share of its events. */
  readonly mostBehind: number;
}

/** With a fan-out from the environment, nodes are made of any number of events. */
function mergeOptions(mostBehind = 0): MergeOptions {
  const parts = layoutLimit('DAYBOOK_NODE_PARTS', undefined);
  return parts === undefined
    ? { fanOut: FAN_OUT, leastRows: LEAST_ROWS, mostBehind }
    : { fanOut: Math.max(2, parts), leastRows: 0, mostBehind };
}

/** Called after an import, which may have added little. */
export function mergeAfterImport(
  writer: SegmentRewriter,
  onNode: () => void,
): Promise<MergeReport> {
  return mergeRollups(writer, onNode, mergeOptions(MOST_BEHIND));
}

/** Average number of events in the segments of an early node: smaller segments will be merged after the import. */
const LEAST_EARLY_ROWS = 250_000;

/**
 * First-level nodes that an import makes while it is still reading, so that at its end only the rest and the higher
 * levels remain. Only for segments that arrive in order of time: others would be grouped differently at the end.
 */
export class EarlyNodes {
  private readonly writer: SegmentRewriter;
  private readonly options = mergeOptions();
  private readonly waiting = new Map<Kind, SegmentRow[]>();

  constructor(writer: SegmentRewriter) {
    this.writer = writer;
  }

  /** @param segments in the catalog so far; resolves when the nodes that they complete exist */
  async take(segments: readonly SegmentRow[]): Promise<void> {
    const { fanOut, leastRows } = this.options;
    for (const segment of segments) {
      if (segment.index === undefined) continue;
      const { kind } = segment;
      const waiting = this.waiting.get(kind) ?? [];
      waiting.push(segment);
      this.waiting.set(kind, waiting);
      if (waiting.length < fanOut) continue;
      this.waiting.delete(kind);
      const rows = waiting.reduce((sum, one) => sum + one.rows, 0);
      if (rows >= leastRows && (leastRows === 0 || rows >= LEAST_EARLY_ROWS * fanOut))
        await this.make(kind, waiting.sort(byTime));
    }
  }

  private async make(kind: Kind, segments: readonly SegmentRow[]): Promise<void> {
    const maker = new NodeMaker(this.writer, segments);
    const node = { level: 1, segments: segments.map(({ id }) => id) };
    // A node that could not be made is tried again at the end, which records the reason.
    await maker.make(kind, node, maker.nameOf(kind, node));
  }
}

interface MergeReport {
  made: number;
  removed: number;
}

/**
 * Makes the nodes that the case's segments should have, and removes the others.
 * @param onNode called before each node
 */
export async function mergeRollups(
  writer: SegmentRewriter,
  onNode: () => void = () => undefined,
  options: MergeOptions = mergeOptions(),
): Promise<MergeReport> {
  const { made, wanted } = await makeNodes(writer, onNode, options);
  const { folder } = writer;
  const removed = nodesIn(folder).filter(
    (name) => !wanted.has(name) && isRemoved(folder, `${NODE_FOLDER}/${name}`),
  );
  return { made, removed: removed.length };
}

/**
 * Makes missing nodes. Existing ones stay, so this takes no lock: a file's content says whether it is usable, and a
 * file appears whole or not at all.
 */
export async function makeNodes(
  writer: SegmentRewriter,
  onNode: () => void = () => undefined,
  options: MergeOptions = mergeOptions(),
): Promise<{ made: number; wanted: ReadonlySet<string> }> {
  const segments = writer.catalog.segments.all();
  const states = new Map(segments.map((one) => [one.id, stateOf(one)]));
  const { heads: there, damaged } = headsIn(writer.folder, states);
  const maker = new NodeMaker(writer, segments);
  const wanted = new Set<string>();
  let made = 0;
  try {
    for (const { kind, node } of plannedOf(segments, there, options)) {
      const name = maker.nameOf(kind, node);
      if (there.has(name)) maker.found(node, name);
      else if (await maker.make(kind, node, name)) {
        made += 1;
        onNode();
        await turn();
      } else continue;
      wanted.add(name);
    }
  } finally {
    maker.dispose();
  }
  recordFallbacks(writer.catalog, 'case.rollups', [
    ...damaged.map((name) => `${NODE_FOLDER}/${name} is damaged, and not used`),
    ...maker.problems,
  ]);
  if (made > 0) syncFolder(join(writer.folder, NODE_FOLDER));
  return { made, wanted };
}

/** Removes an unusable file; false if another program holds it. */
function isRemoved(caseFolder: string, file: string): boolean {
  try {
    removeFromCase(caseFolder, file);
    return true;
  } catch {
    return false;
  }
}

/** The nodes that a case should have, lower levels first. */
function plannedOf(
  segments: readonly SegmentRow[],
  there: ReadonlyMap<string, NodeHead>,
  { fanOut, leastRows, mostBehind }: MergeOptions,
): { kind: NodeHead['kind']; node: Covering }[] {
  const planned: { kind: NodeHead['kind']; node: Covering }[] = [];
  const rows = new Map(segments.map((one) => [one.id, one.rows]));
  const rowsOf = (ids: readonly number[]): number =>
    ids.reduce((sum, id) => sum + (rows.get(id) ?? 0), 0);
  const nodesOf = (kind: NodeHead['kind']): Covering[] =>
    [...there.values()]
      .filter((one) => one.kind === kind)
      .map(({ level, segments: list }) => ({ level, segments: list.map(({ id }) => id) }));
  /** The existing top that covers nearly all segments. */
  const goodEnough = (nodes: readonly Covering[], ids: readonly number[]): Covering | undefined =>
    nodes.find(({ level, segments: covered }) => {
      if (level !== TOP || covered.length >= ids.length) return false;
      const has = new Set(covered);
      return rowsOf(ids.filter((id) => !has.has(id))) <= rowsOf(ids) * mostBehind;
    });
  for (const [kind, ofKind] of Map.groupBy(segments, (one) => one.kind)) {
    const ids = usableOf(ofKind).map(({ id }) => id);
    if (rowsOf(ids) < leastRows) continue;
    const nodes = nodesOf(kind);
    const top = goodEnough(nodes, ids);
    for (const node of plannedNodes(ids, nodes, fanOut))
      planned.push({ kind, node: node.level === TOP ? (top ?? node) : node });
  }
  const seen = segments.filter(isSeen);
  const ids = usableOf(seen).map(({ id }) => id);
  if (
    new Set(seen.map(({ kind }) => kind)).size > 1 &&
    rowsOf(seen.map(({ id }) => id)) >= leastRows &&
    ids.length === seen.length
  ) {
    const node = goodEnough(nodesOf('all'), ids) ?? { level: TOP, segments: ids };
    planned.push({ kind: 'all', node });
  }
  return planned;
}

/** Whether a query that names no kind may have events of this kind: packets of flows are omitted. */
function isSeen({ kind, unflowedPackets }: SegmentRow): boolean {
  return kind !== 'packet' || unflowedPackets > 0;
}

/** Nodes with damaged bytes, by path relative to the case's folder. */
export function damagedNodes(caseFolder: string): string[] {
  return nodesIn(caseFolder)
    .map((name) => `${NODE_FOLDER}/${name}`)
    .filter((name) => !isWhole(caseFolder, join(caseFolder, name)));
}

function isWhole(caseFolder: string, path: string): boolean {
  try {
    const file = NodeFile.open(path, caseFolder);
    const whole = file?.isWhole() ?? true;
    file?.close();
    return whole;
  } catch (error) {
    if (hasCode(error, 'case-damaged')) return false;
    throw error;
  }
}

/**
 * By name: the nodes of these segments, and unreadable ones. Nodes of another version are neither.
 * @param segments `stateOf` each segment
 */
function headsIn(
  caseFolder: string,
  segments: ReadonlyMap<number, string>,
): { heads: Map<string, NodeHead>; damaged: string[] } {
  const heads = new Map<string, NodeHead>();
  const damaged: string[] = [];
  for (const name of nodesIn(caseFolder)) {
    try {
      const file = NodeFile.open(join(caseFolder, NODE_FOLDER, name), caseFolder);
      file?.close();
      if (file?.head.segments.every((one) => isOf(one, segments.get(one.id))) === true)
        heads.set(name, file.head);
    } catch (error) {
      if (!hasCode(error, 'case-damaged')) throw error;
      damaged.push(name);
    }
  }
  return { heads, damaged };
}

/** Whether a file could not be written or read: no space, no permission, or another entry of its name. */
function isOfSystem(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error;
}

/** Segments from which rollups can be obtained, in order of time. */
function usableOf(segments: readonly SegmentRow[]): SegmentRow[] {
  const small = segments.filter(isSmall);
  return segments
    .filter((one) => one.index !== undefined || (small.length <= MOST_SMALL && isSmall(one)))
    .sort(byTime);
}

/** Whether it is too small for a side file: its rollup is computed while a node is made. */
function isSmall({ index, rows }: SegmentRow): boolean {
  return index === undefined && rows < indexRows();
}

function byTime(a: SegmentRow, b: SegmentRow): number {
  return (a.minTs ?? Infinity) - (b.minTs ?? Infinity) || a.id - b.id || 0;
}

/** Makes nodes from segments and from existing nodes. */
class NodeMaker {
  private readonly writer: SegmentRewriter;
  private readonly segments: ReadonlyMap<number, SegmentRow>;
  /** Files of the existing nodes. */
  private readonly nodes = new Map<Covering, string>();
  /** Files that are open while a node is made: by node, and by segment number. */
  private readonly opened = new Map<Covering | number, Opened>();
  /** Temporary side files of small segments, by segment, while nodes are made. */
  private readonly staged = new Map<number, string>();
  /** Why nodes could not be made. */
  readonly problems: string[] = [];

  constructor(writer: SegmentRewriter, segments: readonly SegmentRow[]) {
    this.writer = writer;
    this.segments = new Map(segments.map((segment) => [segment.id, segment]));
  }

  nameOf(kind: NodeHead['kind'], node: Covering): string {
    return nodeFileName(this.making(kind, node));
  }

  found(node: Covering, name: string): void {
    this.nodes.set(node, join(this.writer.folder, NODE_FOLDER, name));
  }

  /**
   * Returns whether it was made: a segment's side file may be missing or damaged, the disk full. A case without
   * this node is intact.
   */
  async make(kind: NodeHead['kind'], node: Covering, name: string): Promise<boolean> {
    const { folder, staging } = this.writer;
    const path = join(staging, name);
    try {
      const below = largestFirst(this.nodes.keys());
      const parts = await this.rollupsOf(coverBy(node.segments, below));
      const smallest = new Map<number, readonly RollupIndex[]>();
      if (node.level === TOP) {
        for (const [which, dims] of SETS.entries()) {
          if (dims.length < 2) continue;
          const having = coverBy(node.segments, below, (one) =>
            this.rollupOf(one).covers({ dims }),
          );
          smallest.set(which, await this.rollupsOf(having));
        }
      }
      writeNode(path, this.making(kind, node), parts, (which) => smallest.get(which));
      makeCaseFolder(folder, NODE_FOLDER);
      syncFile(path);
      moveInCase(folder, path, `${NODE_FOLDER}/${name}`);
      this.found(node, name);
      return true;
    } catch (error) {
      isRemoved(folder, caseRelative(folder, path));
      if (!(error instanceof DaybookError || isOfSystem(error))) throw error;
      this.problems.push(`${NODE_FOLDER}/${name} was not made: ${messageOfError(error)}`);
      return false;
    } finally {
      this.close();
    }
  }

  dispose(): void {
    this.close();
    for (const path of this.staged.values()) rmSync(path, { force: true });
  }

  private close(): void {
    for (const { file } of this.opened.values()) file.close();
    this.opened.clear();
  }

  private async rollupsOf({ nodes, rest }: Cover<Covering>): Promise<RollupIndex[]> {
    for (const id of rest) await this.stage(this.segmentOf(id));
    return [
      ...nodes.map((node) => this.rollupOf(node)),
      ...[...rest].map((id) => this.rollupOfSegment(id)),
    ];
  }

  private async stage(segment: SegmentRow): Promise<void> {
    const { id, kind } = segment;
    if (!isSmall(segment) || this.staged.has(id)) return;
    const path = join(this.writer.staging, `rollup-${id}.idx`);
    const columns = segment.columns.filter((name) => !UNCOUNTED.test(name));
    const file = segmentPath(this.writer.folder, segment.file, segment);
    await indexSegment(this.writer.builder, { file, kind, columns }, path);
    this.staged.set(id, path);
  }

  private making(kind: NodeHead['kind'], { level, segments }: Covering): NodeMaking {
    const made = segments.map((id) => ({ id, sha256: stateOf(this.segmentOf(id)) }));
    return { kind, level, segments: made };
  }

  private segmentOf(id: number): SegmentRow {
    const segment = this.segments.get(id);
    if (segment === undefined) throw new TypeError(`there is no segment ${id}`);
    return segment;
  }

  private rollupOf(node: Covering): RollupIndex {
    return this.openedOf(node, () => {
      const path = this.nodes.get(node) ?? '';
      const file = NodeFile.open(path, this.writer.folder);
      if (file === undefined) throw new DaybookError('case-damaged', `${path} is gone`);
      return withRollup(file, () => file.rollup);
    });
  }

  /** @throws DaybookError case-damaged, also if there is none */
  private rollupOfSegment(id: number): RollupIndex {
    return this.openedOf(id, () => {
      const path =
        this.staged.get(id) ?? sideFilePath(join(this.writer.folder, this.segmentOf(id).file));
      const file = SideFile.open(path, this.writer.folder);
      if (file === undefined) throw new DaybookError('case-damaged', `${path} is gone`);
      return withRollup(file, () => RollupIndex.open(file));
    });
  }

  private openedOf(key: Covering | number, open: () => Opened): RollupIndex {
    let found = this.opened.get(key);
    if (found === undefined) {
      found = open();
      this.opened.set(key, found);
    }
    return found.rollup;
  }
}

interface Opened {
  readonly file: { close(): void };
  readonly rollup: RollupIndex;
}

/** Closes a file whose rollup cannot be read. */
function withRollup(file: Opened['file'], open: () => RollupIndex | undefined): Opened {
  try {
    const rollup = open();
    if (rollup !== undefined) return { file, rollup };
    throw new DaybookError('case-damaged', 'a side file has no rollup');
  } catch (error) {
    file.close();
    throw error;
  }
}
