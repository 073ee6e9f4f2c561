/** Which indexes are built beside a segment. */
import type { Kind } from '../contract/event.ts';
import type { IndexBuilder } from './rows.ts';

export function buildersFor(kind: Kind): IndexBuilder[] {
  void kind;
  return [];
}
