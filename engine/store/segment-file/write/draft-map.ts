/** The map of a segment that is written here: `mapOf` asks DuckDB for what is known of it. */
import type { Piece, SegmentMap, Stored } from '../segment-map.ts';
import { shapesText } from '../../messages/message-columns.ts';
import {
  type PlacedGroup,
  type PlacedPiece,
  type SegmentDraft,
  elementType,
  isStored,
} from './draft.ts';

export function mapOfDraft(draft: SegmentDraft, sums: Uint32Array): SegmentMap {
  const columns: Record<string, Stored[]> = {};
  const constants: Record<string, string> = {};
  for (const column of draft.columns) {
    const { name, type } = column;
    if (isStored(column)) columns[name] = column.groups.map((group) => storedOf(type, group));
    else if (column.value.kind === 'text') constants[name] = column.value.text;
  }
  const shapes = draft.shapes && shapesText(draft.shapes);
  return { block: draft.block, groups: draft.groups, columns, constants, shapes, sums };
}

function storedOf(type: string, { data, valid, child }: PlacedGroup): Stored {
  const own = { type, data: data.map(pieceOf), valid: valid.map(pieceOf) };
  return child === undefined ? own : { ...own, child: storedOf(elementType(type), child) };
}

function pieceOf({ rows, encoding, block, offset, stats }: PlacedPiece): Piece {
  if (encoding === 'Constant') {
    const value =
      stats.kind === 'validity'
        ? Number(stats.hasNoNull)
        : stats.kind === 'number'
          ? stats.min
          : NaN;
    if (Number.isSafeInteger(value)) return [rows, encoding, block, offset, value];
  }
  return [rows, encoding === 'ALP' ? '?' : encoding, block, offset];
}
