/**
 * The nodes of a case's rollups (docs/adr/0015-merged-rollups.md), made by the writer after its last
 * commit: what is new is made, what no longer fits is removed. A case without them answers the same.
 */
import { closeSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { diskError, syncFolder } from '../base/files.ts';
import type { SegmentRow } from '../catalog/catalog.ts';
import { DaybookError } from '../contract/errors.ts';
import { RollupIndex } from '../index/rollup/rollup-index.ts';
import { SETS } from '../index/rollup/sets.ts';
import {
  type NodeHead,
  isOf,
  NodeFile,
  nodeFileName,
  stateOf,
  TOP,
  writeNode,
} from '../index/rollup/tree/node-file.ts';
import { type Covering, coverBy, largestFirst, plannedNodes } from '../index/rollup/tree/plan.ts';
import { filesIn, NODE_FOLDER } from '../index/rollup/tree/rollup-nodes.ts';
import { SideFile, sideFilePath } from '../index/side-file.ts';
import { type CaseWriter, indexRows } from './case-writer.ts';
import { indexSegment } from './index-segment.ts';

/** Segments, or nodes, that one node is made of. */
const FAN_OUT = 8;
/** Kinds with fewer events are added up as quickly by segment. */
const LEAST_ROWS = 500_000;
/** Where a kind has more segments too small for a side file, nodes are made without them. */
const MOST_SMALL = 64;
/** What is in no rollup. */
const UNCOUNTED = /^(a:|attrs$|message$)/;

export interface MergeOptions {
  readonly fanOut: number;
  readonly leastRows: number;
}

/** DAYBOOK_NODE_PARTS, for tests: the fan-out, and nodes of as few events as there are. */
export function mergeOptions(): MergeOptions {
  const parts = process.env['DAYBOOK_NODE_PARTS'];
  return parts === undefined
    ? { fanOut: FAN_OUT, leastRows: LEAST_ROWS }
    : { fanOut: Math.max(2, Number(parts)), leastRows: 0 };
}

export interface MergeReport {
  made: number;
  removed: number;
}

/**
 * Makes the nodes that the case's segments should have, and removes the others.
 * @param onNode told before each
 */
export async function mergeRollups(
  writer: CaseWriter,
  onNode: () => void = () => undefined,
  options: MergeOptions = mergeOptions(),
): Promise<MergeReport> {
  const folder = join(writer.folder, NODE_FOLDER);
  const segments = writer.catalog.segments();
  const there = headsIn(folder, new Map(segments.map((one) => [one.id, stateOf(one)])));
  const wanted = new Set<string>();
  let made = 0;
  for (const own of Map.groupBy(segments, ({ kind }) => kind).values()) {
    const usable = usableOf(own);
    if (usable.reduce((sum, { rows }) => sum + rows, 0) < options.leastRows) continue;
    const makers = new KindMerger(writer, folder, usable);
    const nodes = [...there.values()].filter(({ kind }) => kind === own[0]?.kind);
    const planned = plannedNodes(
      usable.map(({ id }) => id),
      nodes.map(({ level, segments: list }) => ({ level, segments: list.map(({ id }) => id) })),
      options.fanOut,
    );
    try {
      for (const node of planned) {
        const name = makers.nameOf(node);
        if (there.has(name) || (await makers.make(node, name))) wanted.add(name);
        if (there.has(name)) makers.found(node, name);
        else if (wanted.has(name)) {
          made += 1;
          onNode();
        }
        await turn();
      }
    } finally {
      makers.dispose();
    }
  }
  const removed = filesIn(folder).filter((name) => !wanted.has(name));
  for (const name of removed) rmSync(join(folder, name), { force: true });
  if (made > 0) syncFolder(folder);
  return { made, removed: removed.length };
}

/** Nodes, relative to the case's folder, of which some byte is not as it was written. */
export function damagedNodes(caseFolder: string): string[] {
  return filesIn(join(caseFolder, NODE_FOLDER))
    .map((name) => `${NODE_FOLDER}/${name}`)
    .filter((name) => !isWhole(join(caseFolder, name)));
}

function isWhole(path: string): boolean {
  try {
    const file = NodeFile.open(path);
    const whole = file?.isWhole() ?? true;
    file?.close();
    return whole;
  } catch (error) {
    if (isDamaged(error)) return false;
    throw error;
  }
}

/** By name, those that are of these segments; of each its `stateOf`. */
function headsIn(folder: string, segments: ReadonlyMap<number, string>): Map<string, NodeHead> {
  const heads = new Map<string, NodeHead>();
  for (const name of filesIn(folder)) {
    const head = headOf(join(folder, name));
    if (head?.segments.every((one) => isOf(one, segments.get(one.id))) === true)
      heads.set(name, head);
  }
  return heads;
}

/** Undefined: not to be read, or of another version. */
function headOf(path: string): NodeHead | undefined {
  try {
    const file = NodeFile.open(path);
    file?.close();
    return file?.head;
  } catch (error) {
    if (isDamaged(error)) return undefined;
    throw error;
  }
}

function isDamaged(error: unknown): boolean {
  return error instanceof DaybookError && error.code === 'case-damaged';
}

/** What rollups of a segment can be had of, in the order of time. */
function usableOf(segments: readonly SegmentRow[]): SegmentRow[] {
  const small = segments.filter(isSmall);
  return segments
    .filter((one) => one.index !== undefined || (small.length <= MOST_SMALL && isSmall(one)))
    .sort(byTime);
}

/** Too small for a side file: its rollup is made while a node is. */
function isSmall({ index, rows }: SegmentRow): boolean {
  return index === undefined && rows < indexRows();
}

function byTime(a: SegmentRow, b: SegmentRow): number {
  return (a.minTs ?? Infinity) - (b.minTs ?? Infinity) || a.id - b.id || 0;
}

/** Makes the nodes of one kind, those of segments first. */
class KindMerger {
  private readonly writer: CaseWriter;
  private readonly folder: string;
  private readonly segments: ReadonlyMap<number, SegmentRow>;
  /** Files of the nodes that are there by now. */
  private readonly nodes = new Map<Covering, string>();
  /** What is open while a node is made: by node, and by number of segment. */
  private readonly opened = new Map<Covering | number, Opened>();
  /** Side files of small segments, by segment, while nodes are made. */
  private readonly staged = new Map<number, string>();

  constructor(writer: CaseWriter, folder: string, segments: readonly SegmentRow[]) {
    this.writer = writer;
    this.folder = folder;
    this.segments = new Map(segments.map((segment) => [segment.id, segment]));
  }

  nameOf(node: Covering): string {
    return nodeFileName(this.making(node));
  }

  found(node: Covering, name: string): void {
    this.nodes.set(node, join(this.folder, name));
  }

  /** Whether it could be made: the side file of a segment may be missing or damaged. */
  async make(node: Covering, name: string): Promise<boolean> {
    try {
      for (const id of node.segments) await this.stage(this.segmentOf(id));
      const below = largestFirst(this.nodes.keys());
      const cover = coverBy(node.segments, below);
      const parts = [
        ...cover.nodes.map((one) => this.rollupOf(one)),
        ...[...cover.rest].map((id) => this.rollupOfSegment(id)),
      ];
      const path = join(this.writer.staging, name);
      writeNode(path, this.making(node), parts, (which) =>
        node.level === TOP ? this.smallest(node, below, which) : undefined,
      );
      mkdirSync(this.folder, { recursive: true });
      sync(path);
      renameSync(path, join(this.folder, name));
      this.found(node, name);
      return true;
    } catch (error) {
      rmSync(join(this.writer.staging, name), { force: true });
      // What was imported is safe, and a case without this node is whole.
      if (isDamaged(error) || diskError(error) !== undefined) return false;
      throw error;
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

  private async stage(segment: SegmentRow): Promise<void> {
    const { id, kind } = segment;
    if (!isSmall(segment) || this.staged.has(id)) return;
    const path = join(this.writer.staging, `rollup-${id}.idx`);
    const columns = segment.columns.filter((name) => !UNCOUNTED.test(name));
    const file = join(this.writer.folder, segment.file);
    await indexSegment(this.writer.builder, { file, kind, columns }, path);
    this.staged.set(id, path);
  }

  private making({ level, segments }: Covering): Parameters<typeof nodeFileName>[0] {
    const rows = segments.map((id) => this.segmentOf(id));
    return {
      ...{ kind: rows[0]!.kind, level },
      segments: rows.map((one) => ({ id: one.id, sha256: stateOf(one) })),
    };
  }

  private segmentOf(id: number): SegmentRow {
    const segment = this.segments.get(id);
    if (segment === undefined) throw new TypeError(`segment ${id} is of another kind`);
    return segment;
  }

  /** The largest parts below a node that have a list of a set. */
  private smallest(
    node: Covering,
    below: readonly Covering[],
    which: number,
  ): readonly RollupIndex[] {
    const cover = coverBy(node.segments, below, (one) =>
      this.rollupOf(one).covers({ dims: SETS[which] ?? [] }),
    );
    return [
      ...cover.nodes.map((one) => this.rollupOf(one)),
      ...[...cover.rest].map((id) => this.rollupOfSegment(id)),
    ];
  }

  private rollupOf(node: Covering): RollupIndex {
    return this.openedOf(node, () => {
      const path = this.nodes.get(node) ?? '';
      const file = NodeFile.open(path);
      if (file === undefined) throw new DaybookError('case-damaged', `${path} is gone`);
      return withRollup(file, () => file.rollup);
    });
  }

  /** @throws DaybookError case-damaged also where there is none */
  private rollupOfSegment(id: number): RollupIndex {
    return this.openedOf(id, () => {
      const path =
        this.staged.get(id) ?? sideFilePath(join(this.writer.folder, this.segmentOf(id).file));
      const file = SideFile.open(path);
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

function sync(path: string): void {
  const fd = openSync(path, 'r+');
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}
