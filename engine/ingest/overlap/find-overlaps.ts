/** Finds what a source that was just read shares with others of the case, by its lines. */
import type { Catalog } from '../../catalog/catalog.ts';
import type { OverlapRow } from '../../catalog/tables/overlaps.ts';
import type { SourceRow } from '../../catalog/tables/sources.ts';
import type { EqualStart } from '../worker/protocol.ts';
import type { HashedLines } from './line-hashes.ts';
import { LEAST_RUN, LineIndex } from './line-runs.ts';

export class OverlapFinder {
  private readonly catalog: Catalog;
  private readonly index = new LineIndex();
  /** Sources of the case that were read to their end, by number: read once, since an import may have thousands. */
  private complete: SourceRow[] | undefined;

  constructor(catalog: Catalog) {
    this.catalog = catalog;
  }

  /**
   * Stretches of `source` that others have. Its lines are kept for later sources.
   * @param equal the prefix that equals another source's content and was not stored again
   */
  take(
    source: SourceRow,
    lines: HashedLines,
    equal: EqualStart | undefined,
  ): Omit<OverlapRow, 'id' | 'leftOut'>[] {
    this.complete ??= this.catalog.sources.all().filter(isComplete);
    for (const other of this.complete) {
      if (other.id === source.id || this.index.has(other.id) || !mayOverlap(source, other))
        continue;
      const hashes = this.catalog.overlaps.lineHashes(other.id);
      if (hashes !== undefined) this.index.add(other.id, hashes);
    }
    const offsets = offsetsOf(lines.lengths);
    let first = 0;
    const stored = equal?.extent ?? 0;
    while (first < lines.hashes.length && offsets[first]! < stored) first += 1;
    // Multi-line records (such as indented JSON) share lines without being copies.
    const least =
      LEAST_RUN * Math.max(1, Math.round(lines.hashes.length / Math.max(1, source.read)));
    const isUndated = source.firstTs === undefined;
    const found = this.index
      .runsOf(lines.hashes.subarray(first), isUndated ? this.continued(equal) : undefined)
      .filter((run) => run.lines >= least)
      .map(({ from, lines: n, other }) => ({
        sourceId: source.id,
        from: offsets[first + from]!,
        to: offsets[first + from + n]!,
        otherId: other,
        records: n,
        superseded: false,
      }));
    // Loaded when another source is compared with it: most imports have one source.
    this.catalog.overlaps.setLineHashes(source.id, lines.hashes);
    if (isComplete(source) && !this.complete.some(({ id }) => id === source.id)) {
      const at = this.complete.findLastIndex(({ id }) => id < source.id) + 1;
      this.complete.splice(at, 0, source);
    }
    return found;
  }

  /** The sources whose content it begins with: the rest is in none of them, however similar. */
  private continued(equal: EqualStart | undefined): Set<number> {
    const found = new Set<number>();
    for (let before = equal; before !== undefined && !found.has(before.sourceId);) {
      found.add(before.sourceId);
      const copy = this.catalog.sources.get(before.sourceId);
      before = copy?.metadata['duplicateOf'] as EqualStart | undefined;
    }
    return found;
  }
}

function isComplete({ status }: SourceRow): boolean {
  return status === 'complete';
}

/**
 * Whether two sources, `b` being complete, may have the same records: same importer, and overlapping times as far
 * as they are stated.
 */
function mayOverlap(a: SourceRow, b: SourceRow): boolean {
  if (a.importer !== b.importer) return false;
  const isGuessed = a.decisions.year !== undefined || b.decisions.year !== undefined;
  if (isGuessed || a.decisions.tz !== b.decisions.tz) return true;
  // The times of a source do not cover what is stored for another one.
  if (a.metadata['duplicateOf'] !== undefined || b.metadata['duplicateOf'] !== undefined)
    return true;
  if (a.firstTs === undefined || b.firstTs === undefined) return true;
  return a.firstTs <= b.lastTs! && b.firstTs <= a.lastTs!;
}

function offsetsOf(lengths: Uint32Array): Float64Array {
  const out = new Float64Array(lengths.length + 1);
  for (let i = 0; i < lengths.length; i++) out[i + 1] = out[i]! + lengths[i]!;
  return out;
}
