/** `count`: one number. */
import type { TableColumn } from '../../query/relation.ts';
import type { ScanStage } from './stage.ts';

export function countStage(columns: readonly TableColumn[]): ScanStage {
  let count = 0;
  return {
    scoped: () => (_, n) => {
      count += n;
    },
    finish: () => ({
      table: { columns, rows: [[count]], order: [{ alias: 'n', descending: false }] },
    }),
  };
}
