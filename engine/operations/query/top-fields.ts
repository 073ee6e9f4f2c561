/** Fields that are given next to a query, not in it. */
import { DaybookError } from '../../contract/errors.ts';
import { parseQuery } from '../../query/index.ts';

/** Whether `text` reads as the fields of a `top`, be they there or not. */
export function areFields(text: string): boolean {
  try {
    return parseQuery(`* | top 1 ${text}`).stages.length === 1;
  } catch (error) {
    if (error instanceof DaybookError) return false;
    throw error;
  }
}
