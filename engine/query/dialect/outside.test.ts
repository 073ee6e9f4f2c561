/**
 * SQL that only DuckDB understands is confined to this folder and `engine/store`: queries can have a second dialect, and
 * a change in DuckDB affects two folders.
 */
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const ENGINE = join(import.meta.dirname, '../..');
const OWN =
  /\b(?:unnest|list_\w+|epoch_us|make_timestamp|from_json|string_split|regexp_\w+|json_\w+|to_microseconds|array_to_string|starts_with|get_bit|bitstring_agg)\(|\browid\b|'UUID'|\blambda \w+:|\bQUALIFY\b/;

/** Sources without their comments. */
function code(text: string): string {
  return text.replace(/\/\*[^]*?\*\/|^\s*\/\/.*$/gm, '');
}

it.each(['query', 'search', 'ingest', 'operations'])(
  'engine/%s has no SQL of the dialect outside of it',
  (module) => {
    const folder = join(ENGINE, module);
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
      (file) => /\.ts$/.test(file) && !/\.test\.ts$|^dialect\b|\btesting\b/.test(file),
    );
    expect(files.length).toBeGreaterThan(40);
    const outside = files.flatMap((file) => {
      const found = OWN.exec(code(readFileSync(join(folder, file), 'utf8')));
      return found === null ? [] : `${file}: ${found[0]}`;
    });
    expect(outside).toEqual([]);
  },
);
