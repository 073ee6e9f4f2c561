/** Makes a segment of a draft: its file's end, its sums, and where in it what lies. */
import { diskError } from '../base/files.ts';
import { type BuiltSegment, fileSha256 } from './segment-builder.ts';
import { PageSums, packMap } from './segment-file/segment-map.ts';
import { type SegmentDraft, eventColumns } from './segment-file/write/draft.ts';
import { mapOfDraft } from './segment-file/write/draft-map.ts';
import { shiftColumn } from './segment-file/write/shift-column.ts';
import { finishFile } from './segment-file/write/segment-end.ts';

/**
 * @param known of its rows
 * @param recordShift what is added to the numbers of its records
 * @throws DaybookError disk-full
 */
export async function finishSegment(
  unshifted: SegmentDraft,
  known: Pick<BuiltSegment, 'minTs' | 'maxTs' | 'sources'>,
  recordShift = 0,
): Promise<BuiltSegment> {
  try {
    const draft = recordShift === 0 ? unshifted : shiftColumn(unshifted, 'seq', recordShift);
    const bytes = finishFile(draft);
    const sums = new PageSums();
    const sha256 = await fileSha256(draft.path, undefined, sums);
    return {
      path: draft.path,
      durable: false,
      rows: draft.groups.reduce((sum, rows) => sum + rows, 0),
      bytes,
      sha256,
      ...known,
      columns: eventColumns(draft).map(({ name }) => name),
      shapes: draft.shapes?.length ?? 0,
      map: packMap(mapOfDraft(draft, sums.sums)),
    };
  } catch (error) {
    throw diskError(error) ?? error;
  }
}
