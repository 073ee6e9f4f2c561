/**
 * A node: the rollups of several segments added up, in a file of its own. It is of use while
 * exactly these segments are there, with the side files that it was made from.
 *
 * Layout: that of a side file (`side-file.ts`), of as many rows as all segments together. Section `node`
 * says what it was made from (JSON, in the head of `blocks.ts`); `rollup` and `rollup.flowed` are as in a
 * segment; `rollup.largest.SET` has the largest groups of a set whose groups are in no list,
 * `rollup.frequent.SET.N` those of frequent first values (`heavy-hitter-pairs.ts`).
 */
import { createHash } from 'node:crypto';
import { basename } from 'node:path';
import { type Kind, KINDS } from '../../../contract/event.ts';
import { type Section, SideFile, damagedFile, writeSideFile } from '../../side-file.ts';
import { BlockReader, BlockWriter } from '../../values/blocks.ts';
import { Damaged } from '../../values/packing.ts';
import type { RollupGroups, RollupQuestion } from '../rollup-groups.ts';
import { Rollup, RollupIndex } from '../rollup-index.ts';
import { FLOWED_SECTION, ROLLUP_SECTION } from '../rollup-section.ts';
import { SETS } from '../sets.ts';
import { FrequentPairs, type FrequentSet, frequentOf } from './heavy-hitter-pairs.ts';
import { type SetTotal, largestOf, largestSection } from './largest.ts';
import { mergedTables } from './merged-tables.ts';
import { tablesSection } from './tables-section.ts';

/** Nodes of other versions are ignored. */
const VERSION = 1;
const SECTION = 'node';
const HASH_DIGITS = 16;
/** Entries of a set that may be read to find its largest groups. */
const MOST_ENTRIES = 8_000_000;

/** A segment by its number and `stateOf` it. */
interface NodeSegment {
  readonly id: number;
  readonly sha256: string;
}

/** Identifies a segment's state: the SHA-256 of its side file, or of the segment if it is too small for one. */
export function stateOf({
  index,
  sha256,
}: {
  readonly index?: { readonly sha256: string } | undefined;
  readonly sha256: string;
}): string {
  return index?.sha256 ?? sha256;
}

export interface NodeMaking {
  /** Of the events; that of everything that is in the case is of all kinds. */
  readonly kind: Kind | 'all';
  /** 1 for nodes of segments, 2 for nodes of those, and so on; `TOP` for that of all segments. */
  readonly level: number;
  readonly segments: readonly NodeSegment[];
}
export const TOP = 0;

export interface NodeHead {
  readonly kind: NodeMaking['kind'];
  readonly level: number;
  readonly segments: readonly NodeSegment[];
  readonly totals: readonly SetTotal[];
  readonly frequent: readonly FrequentSet[];
  /** All others of the file. */
  readonly sections: readonly { readonly name: string; readonly sha256: string }[];
}

/** File names of nodes. */
export const NODE_FILE = new RegExp(`^[0-9a-f]{${HASH_DIGITS * 2}}[.]rollup$`);

/** The name of its file, which nothing else has. */
export function nodeFileName({ kind, level, segments }: NodeMaking): string {
  const made = JSON.stringify([
    VERSION,
    kind,
    level,
    segments.map(({ id, sha256 }) => [id, shortened(sha256)]),
  ]);
  return `${createHash('sha256')
    .update(made)
    .digest('hex')
    .slice(0, HASH_DIGITS * 2)}.rollup`;
}

function shortened(sha256: string): string {
  return sha256.slice(0, HASH_DIGITS);
}

/** Whether a node was made from this segment as it is now. */
export function isOf(segment: NodeSegment, now: string | undefined): boolean {
  return now !== undefined && segment.sha256 === shortened(now);
}

/**
 * Writes a node.
 * @param parts rollups of segments or of nodes that have these segments
 * @param below the same in the smallest parts that have a set, which may be other ones; undefined: none
 * @throws DaybookError case-damaged when a part is
 */
export function writeNode(
  path: string,
  making: NodeMaking,
  parts: readonly RollupIndex[],
  below: ((which: number) => readonly RollupIndex[] | undefined) | undefined,
): void {
  const rest = parts.map((part) => part.rest);
  const flowed = parts.map((part) => part.flowed).filter((part) => part !== undefined);
  for (const part of [...rest, ...flowed]) part.keepValues();
  const tables = mergedTables(rest);
  const sections: Section[] = [tablesSection(ROLLUP_SECTION, tables)];
  if (flowed.length > 0) sections.push(tablesSection(FLOWED_SECTION, mergedTables(flowed)));
  const totals: SetTotal[] = [];
  const frequent: FrequentSet[] = [];
  SETS.forEach((dims, which) => {
    if (dims.length < 2 || tables.list.some((table) => table.which === which)) return;
    const sources = below?.(which)?.map((part) => part.rest);
    if (sources === undefined || !sources.every((part) => part.covers({ dims }))) return;
    const pairs = frequentOf(which, sources, tables);
    if (pairs !== undefined) {
      sections.push(...pairs.sections);
      frequent.push(pairs.set);
    }
    if (entriesOf(sources, which) > MOST_ENTRIES) return;
    const groups = sources.map((part) => part.groups({ dims }));
    const { section, total } = largestOf(which, groups, tables.rows);
    sections.push(section);
    totals.push(total);
  });
  const rows = parts.reduce((sum, part) => sum + part.rows(), 0);
  writeSideFile(path, rows, [headSection(making, { totals, frequent }, sections), ...sections]);
}

function entriesOf(sources: readonly Rollup[], which: number): number {
  return sources.reduce((sum, part) => sum + part.entries({ dims: SETS[which] ?? [] }), 0);
}

function headSection(
  { kind, level, segments }: NodeMaking,
  sets: Pick<NodeHead, 'totals' | 'frequent'>,
  sections: readonly Section[],
): Section {
  const made = {
    ...{ version: VERSION, kind, level, ...sets },
    segments: segments.map(({ id, sha256 }) => [id, shortened(sha256)]),
    sections: sections.map(({ name, bytes }) => [name, sha256Of(bytes)]),
  };
  return new BlockWriter().finish(SECTION, Buffer.from(JSON.stringify(made)));
}

function sha256Of(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** An open node. */
export class NodeFile {
  readonly head: NodeHead;
  private readonly file: SideFile;
  private index: RollupIndex | undefined;
  private pairs: readonly FrequentPairs[] | undefined;

  private constructor(file: SideFile, head: NodeHead) {
    this.file = file;
    this.head = head;
  }

  /**
   * Undefined when there is none, or one of another version.
   * @param caseFolder the case that it belongs to, of which no link is followed
   * @throws DaybookError case-damaged, like all that follow
   */
  static open(path: string, caseFolder?: string): NodeFile | undefined {
    const file = SideFile.open(path, caseFolder);
    if (file === undefined) return undefined;
    try {
      const reader = BlockReader.open(file, SECTION);
      const head = reader?.guarded(() => headOf(reader.head));
      // A file under another node's name was not written there by Daybook.
      if (head !== undefined && nodeFileName(head) !== basename(path)) throw damagedFile(path);
      if (head !== undefined) return new NodeFile(file, head);
    } catch (error) {
      file.close();
      throw error;
    }
    file.close();
    return undefined;
  }

  get rollup(): RollupIndex {
    this.index ??= RollupIndex.open(this.file);
    if (this.index === undefined) throw damagedFile(this.file.path);
    return this.index;
  }

  covers(question: RollupQuestion): boolean {
    return this.rollup.covers(question) || this.heavyHitterPairs(question) !== undefined;
  }

  /** Undefined when the question is not covered. */
  groups(question: RollupQuestion): RollupGroups[] | undefined {
    return this.rollup.groups(question) ?? this.heavyHitterPairs(question);
  }

  /** Of pairs of one of the frequent first values. */
  private heavyHitterPairs(question: RollupQuestion): RollupGroups[] | undefined {
    // As below.
    if (this.rollup.flowed !== undefined && question.unflowed !== true) return undefined;
    this.pairs ??= this.head.frequent.map((set) => new FrequentPairs(this.file, set));
    for (const pairs of this.pairs) {
      const groups = pairs.groups(question);
      if (groups !== undefined) return groups;
    }
    return undefined;
  }

  /** The largest groups of a set of which there is no list; undefined when they are not kept. */
  largest(which: number): { groups: RollupGroups; total: SetTotal } | undefined {
    const total = this.head.totals.find((one) => one.which === which);
    const dims = SETS[which];
    if (total === undefined || dims === undefined) return undefined;
    const kept = Rollup.open(this.file, largestSection(which));
    return kept && { groups: kept.groups({ dims }), total };
  }

  /** Whether every byte is as it was written. */
  isWhole(): boolean {
    return this.head.sections.every(({ name, sha256 }) => {
      const bytes = this.file.read(name);
      return bytes !== undefined && sha256Of(bytes) === sha256;
    });
  }

  close(): void {
    this.file.close();
  }
}

/** Undefined: of another version. */
function headOf(bytes: Uint8Array): NodeHead | undefined {
  const read = record(parsed(bytes));
  if (read['version'] !== VERSION) return undefined;
  const kind = (['all', ...KINDS] as const).find((one) => one === read['kind']);
  if (kind === undefined) throw new Damaged('kind');
  return {
    ...{ kind, level: number(read['level']) },
    segments: list(read['segments']).map((one) => {
      const [id, sha256] = list(one);
      return { id: number(id), sha256: text(sha256) };
    }),
    totals: list(read['totals']).map((one) => {
      const { which, groups, count } = record(one);
      return { which: number(which), groups: number(groups), count: number(count) };
    }),
    frequent: list(read['frequent'] ?? []).map((one) => {
      const { which, third, sections } = record(one);
      return { which: number(which), third: number(third), sections: number(sections) };
    }),
    sections: list(read['sections']).map((one) => {
      const [name, sha256] = list(one);
      return { name: text(name), sha256: text(sha256) };
    }),
  };
}

function parsed(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(bytes).toString('utf8'));
  } catch {
    throw new Damaged('node');
  }
}

function record(value: unknown): Record<string, unknown> {
  if (typeof value !== 'object' || value === null) throw new Damaged('node');
  return { ...value };
}

function list(value: unknown): unknown[] {
  if (!Array.isArray(value)) throw new Damaged('node');
  return value;
}

function number(value: unknown): number {
  if (typeof value !== 'number') throw new Damaged('node');
  return value;
}

function text(value: unknown): string {
  if (typeof value !== 'string') throw new Damaged('node');
  return value;
}
