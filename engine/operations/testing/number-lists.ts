/**
 * For tests: replaces the segments of a case by segments in the older form with a list for each width of numbers of
 * cut messages (docs/adr/0017).
 */
import { renameSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { CaseWriter } from '../../ingest/case/case-writer.ts';
import { column, sqlOf } from '../../store/expression.ts';
import { BYTES, anyMessage, readShapes } from '../../store/messages/message-columns.ts';
import { bytesIn, numberOf, numberStarts } from '../../store/messages/number-bytes.ts';
import { segmentIdentity } from '../../store/segment-identity.ts';

const LISTS = [
  { width: 0, name: '"message:8"', type: 'UTINYINT[]' },
  { width: 1, name: '"message:16"', type: 'USMALLINT[]' },
  { width: 2, name: '"message:32"', type: 'UINTEGER[]' },
] as const;

/** @returns how many segments there are in that form */
export async function withNumberLists(writer: CaseWriter): Promise<number> {
  const { catalog, builder } = writer;
  const cut = catalog.segments.all().filter(({ shapes }) => shapes > 0);
  for (const segment of cut) {
    const path = join(writer.folder, segment.file);
    const name = await writer.attach(segment);
    const [row] = await builder.rows(
      `SELECT sql, comment FROM duckdb_tables() WHERE database_name = '${name}'`,
    );
    const [table, note] = [text(row?.[0]), text(row?.[1])];
    const stored = (
      await builder.rows(`SELECT DISTINCT column_name FROM pragma_storage_info('${name}.stored')`)
    ).flatMap(([name]) => (name === BYTES ? [] : [`"${text(name)}"`]));
    const shapes = readShapes(note) ?? [];
    const lists = LISTS.map(({ width, type }) => {
      const cases = shapes.map(({ widths }, i) => {
        const start = numberStarts(widths)[width];
        const ofWidth = widths.filter((one) => one === width);
        const numbers = ofWidth.map((_, n) =>
          sqlOf(numberOf(column(BYTES), start + n * bytesIn(width), width)),
        );
        return `WHEN ${i + 1} THEN [${numbers.join(', ')}]::${type}`;
      });
      return `CASE "message:shape" ${cases.join(' ')} ELSE []::${type} END`;
    });
    const definitions = LISTS.map(({ name: list, type }) => `${list} ${type}`).join(', ');
    const shown = segment.columns.map((name) =>
      name === 'message' ? `${sqlOf(anyMessage(shapes, 'widths'))} AS message` : `"${name}"`,
    );
    const into = [...stored, ...LISTS.map((list) => list.name)].join(', ');
    const statements = [
      `ATTACH '${path}.old' AS old (STORAGE_VERSION 'v1.5.0')`,
      'USE old',
      table.replace(`"${BYTES}" UTINYINT[]`, definitions),
      `INSERT INTO stored (${into}) SELECT ${[...stored, ...lists].join(', ')} FROM ${name}.stored ORDER BY rowid`,
      `CREATE VIEW events AS SELECT rowid AS rowid, ${shown.join(', ')} FROM stored`,
      `COMMENT ON TABLE stored IS '${note.replaceAll("'", "''")}'`,
      'USE memory',
      'DETACH old',
    ];
    for (const sql of statements) await builder.rows(sql);
    await builder.detach(name);
    renameSync(`${path}.old`, path);
    catalog.transaction(() => {
      catalog.segments.remove(segment.id);
      catalog.segments.add({
        ...segment,
        ...{ bytes: statSync(path).size, identity: segmentIdentity(path), numberForm: 'widths' },
      });
    });
  }
  return cut.length;
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
