/** `count`: one number. */
import type { TableColumn } from '../../query/relation.ts';
import type { ScanStage } from './stage.ts';

export function countStage(columns: readonly TableColumn[]): ScanStage {
  let count = 0;
  return {
    scoped: () => (_, n) => {
      count += n;
    },
    parts: {
      part: () => ({ count }),
      merge: (part) => {
        count += part.count ?? 0;
      },
    },
    finish: () => ({
      table: { columns, rows: [[count]], order: [{ alias: 'n', descending: false }] },
    }),
  };
}
