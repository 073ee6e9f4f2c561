/**
 * The nodes of a case: which of them fit the current segments, and their answers.
 *
 * Invariant: an unreadable node is treated as missing.
 */
import { join } from 'node:path';
import { listCaseFolder } from '../../../util/files/case-files.ts';
import { OpenFiles } from '../../../util/files/open-files.ts';
import { hasCode } from '../../../contract/errors.ts';
import { IndexDamaged } from '../../segment-indexes.ts';
import type { RollupGroups, RollupQuestion } from '../rollup-groups.ts';
import { SETS } from '../sets.ts';
import { LARGEST, type SetTotal } from './largest.ts';
import { isOf, NODE_FILE, NodeFile, stateOf } from './node-file.ts';
import { type Covering, largestFirst } from './plan.ts';

/** Below the case's folder. */
export const NODE_FOLDER = 'rollups';
/** Nodes that are open at once. */
const MOST_OPEN = 200;

/** Groups of a set of which only the largest are known. */
export interface LargestGroups {
  readonly groups: RollupGroups;
  readonly total: SetTotal;
}

/** Its methods throw IndexDamaged: the caller tries again without the node. */
export interface RollupNode extends Covering {
  /** Events of its segments. */
  covers(question: RollupQuestion): boolean;
  groups(question: RollupQuestion): RollupGroups[] | undefined;
  /** The first `limit` groups by number of events and how many there are; undefined: not known. */
  largest(question: RollupQuestion, limit: number): LargestGroups | undefined;
}

type CaseSegment = Parameters<typeof stateOf>[0] & { readonly id: number };

export class RollupNodes {
  private readonly folder: string;
  private readonly handles = new Map<string, Handle>();
  private readonly open = new OpenFiles<Handle>(MOST_OPEN);
  private listed = false;
  /** Result of the last `of`. */
  private fit: { segments: readonly CaseSegment[]; nodes: readonly Handle[] } | undefined;

  /** @param folder the case's */
  constructor(folder: string) {
    this.folder = folder;
  }

  /** Nodes may have come, gone or been rebuilt. */
  renew(): void {
    this.listed = false;
  }

  /**
   * Those whose segments are all there and as they were, of the most segments first.
   * @param segments what a case has; asked again with the same list, nothing is compared again
   */
  of(segments: readonly CaseSegment[]): RollupNode[] {
    this.list();
    if (this.fit?.segments !== segments) {
      const states = new Map(segments.map((one) => [one.id, stateOf(one)]));
      const nodes = [...this.handles.values()].filter(
        ({ made }) => made.length > 0 && made.every((one) => isOf(one, states.get(one.id))),
      );
      this.fit = { segments, nodes: largestFirst(nodes) };
    }
    return this.fit.nodes.filter((node) => !node.damaged);
  }

  /** How many of the case's nodes were found damaged. */
  get damaged(): number {
    return [...this.handles.values()].filter(({ damaged }) => damaged).length;
  }

  close(): void {
    for (const handle of this.handles.values()) handle.close();
    this.handles.clear();
    this.open.clear();
    this.listed = false;
  }

  private list(): void {
    if (this.listed) return;
    this.listed = true;
    this.fit = undefined;
    const names = new Set(nodesIn(this.folder));
    for (const [name, handle] of this.handles) {
      if (names.has(name) && !handle.damaged) continue;
      handle.close();
      this.open.delete(handle);
      this.handles.delete(name);
    }
    for (const name of names) {
      if (!this.handles.has(name))
        this.handles.set(name, new Handle(this.folder, name, (one) => this.open.used(one)));
    }
  }
}

/** Names of a case's nodes; none where there is no such folder. */
export function nodesIn(caseFolder: string): string[] {
  try {
    return listCaseFolder(caseFolder, NODE_FOLDER).flatMap((entry) =>
      NODE_FILE.test(entry.name) && entry.isFile() ? [entry.name] : [],
    );
  } catch (error) {
    // A case without nodes is whole; `verify` names what is in their place.
    if (hasCode(error, 'case-damaged')) return [];
    throw error;
  }
}

/** One node, open while it is in use. */
class Handle implements RollupNode {
  readonly level: number;
  readonly segments: readonly number[];
  /** The segments it was made from; none if it cannot be used. */
  readonly made: NodeFile['head']['segments'];
  damaged = false;
  private readonly caseFolder: string;
  private readonly path: string;
  private readonly used: (handle: Handle) => void;
  private file: NodeFile | undefined;

  constructor(caseFolder: string, name: string, used: (handle: Handle) => void) {
    this.caseFolder = caseFolder;
    this.path = join(caseFolder, NODE_FOLDER, name);
    this.used = used;
    let head: NodeFile['head'] | undefined;
    try {
      const file = NodeFile.open(this.path, caseFolder);
      head = file?.head;
      file?.close();
    } catch (error) {
      if (!hasCode(error, 'case-damaged')) throw error;
      this.damaged = true;
    }
    this.made = head?.segments ?? [];
    this.segments = this.made.map(({ id }) => id);
    this.level = head?.level ?? 0;
  }

  covers(question: RollupQuestion): boolean {
    return this.ask((file) => file?.covers(question) ?? false);
  }

  groups(question: RollupQuestion): RollupGroups[] | undefined {
    return this.ask((file) => file?.groups(question));
  }

  largest(
    { dims, measures = [], unflowed }: RollupQuestion,
    limit: number,
  ): LargestGroups | undefined {
    const which = SETS.findIndex(
      (set) => set.length === dims.length && set.every((name) => dims.includes(name)),
    );
    if (measures.length > 0 || limit > LARGEST) return undefined;
    return this.ask((file) => {
      // Where some packets belong to a flow, only those that belong to none are kept.
      if (file === undefined || (file.rollup.flowed !== undefined && unflowed !== true))
        return undefined;
      return file.largest(which);
    });
  }

  close(): void {
    this.file?.close();
    this.file = undefined;
  }

  private ask<T>(question: (file: NodeFile | undefined) => T): T {
    if (this.damaged) return question(undefined);
    try {
      this.file ??= NodeFile.open(this.path, this.caseFolder);
      this.used(this);
      return question(this.file);
    } catch (error) {
      if (!hasCode(error, 'case-damaged')) throw error;
      this.damaged = true;
      this.close();
      throw new IndexDamaged(`${this.path} is damaged`, { cause: error });
    }
  }
}
