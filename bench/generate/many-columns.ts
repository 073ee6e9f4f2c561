/** Tables of one day, each with its own text columns: the mixed bundle of an incident has thousands of names. */
import { join } from 'node:path';
import { ByteFile } from '../../fixtures/evidence/byte-file.ts';

const DAY = Date.UTC(2026, 10, 2);
const DAY_MS = 86_400_000;

interface ManyColumns {
  readonly tables: number;
  readonly columns: number;
  readonly rows: number;
}

/** Writes the tables into `folder`; rows of each are spread over the day. */
export function writeManyColumns(folder: string, { tables, columns, rows }: ManyColumns): void {
  for (let table = 0; table < tables; table++) {
    const file = new ByteFile(join(folder, `table-${table}.csv`));
    const names = Array.from({ length: columns }, (_, i) => `t${table}_${i}`);
    file.text(`ts,${names.join(',')}\n`);
    for (let row = 0; row < rows; row++) {
      const at = new Date(DAY + Math.floor(((row + table / tables) * DAY_MS) / rows)).toISOString();
      file.text(at);
      for (let column = 0; column < columns; column++)
        file.text(`,value ${column}-${(row * 31 + column) % 300}`);
      file.text('\n');
    }
    file.close();
  }
}
