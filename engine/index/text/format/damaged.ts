/** The error for index bytes that no builder wrote. */
import { DaybookError } from '../../../contract/errors.ts';

export function damagedText(): DaybookError {
  return new DaybookError(
    'case-damaged',
    'the text index of a segment is damaged',
    'run: daybook verify CASE --repair, which makes it again',
  );
}
