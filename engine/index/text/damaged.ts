/** What is thrown when an index's bytes are not what a builder wrote. */
import { DaybookError } from '../../contract/errors.ts';

export function damagedText(): DaybookError {
  return new DaybookError(
    'case-damaged',
    'the text index of a segment is damaged',
    'run: daybook verify CASE --repair, which makes it again',
  );
}
