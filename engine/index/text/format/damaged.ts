/** The error for index bytes that no builder wrote. */
import { DaybookError } from '../../../contract/errors.ts';

export function damagedText(): DaybookError {
  return new DaybookError(
    'case-damaged',
    'the text index of a segment is damaged',
    'to rebuild it, run: daybook verify CASE --repair',
  );
}
