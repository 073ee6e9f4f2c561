/** The outline of a table for a person who maps its columns. */
import type { ColumnMapping, TableOutline } from '../../engine/evidence/importer.ts';
import { DialectFinder } from '../../engine/fields/registry/meanings.ts';
import { sampleRows } from './detect.ts';
import type { Detected } from './detected.ts';
import { SETTER_NAMES } from './fields.ts';
import { listedMapping, tableMapping } from './guess.ts';
import { SetterChooser, uniqueNames } from './plan.ts';

const MOST_COLUMNS = 500;
const SAMPLES = 5;
const SAMPLE_CHARACTERS = 200;

/** Undefined if there are no columns to map: Zeek's logs, nfdump's text, known JSON. */
export function outlineOf(
  detected: Detected,
  head: Uint8Array,
  complete: boolean,
  mapping: ColumnMapping | undefined,
): TableOutline | undefined {
  const { dialect, shape } = detected;
  if (shape !== 'table' && (dialect !== undefined || !shape.startsWith('json'))) return undefined;
  const names = uniqueNames(detected.columns).slice(0, MOST_COLUMNS);
  const rows = sampleRows(head, complete, detected);
  const columns = names.map((name, i) => ({
    name,
    samples: rows
      .map((row) => (row[i] ?? '').trim())
      .filter((cell) => cell !== '')
      .slice(0, SAMPLES)
      .map((cell) => cell.slice(0, SAMPLE_CHARACTERS)),
  }));
  const fields = SETTER_NAMES.filter((field) => field !== 'attr');
  return { columns, mapping: meaningsOf(detected, names, mapping), fields };
}

function meaningsOf(
  { dialect, columns, sample, shape }: Detected,
  names: readonly string[],
  mapping: ColumnMapping | undefined,
): Record<string, string> {
  if (dialect === undefined) {
    if (mapping !== undefined) return { ...mapping.fields };
    if (shape !== 'table') {
      return listedMapping(columns, new DialectFinder().find(columns), sample).fields;
    }
    return tableMapping(columns.slice(0, 2000), sample).fields;
  }
  const out: Record<string, string> = { ...mapping?.fields };
  const chooser = new SetterChooser(dialect, mapping);
  for (const name of names) {
    const { setter } = chooser.choose(name);
    if (setter !== 'attr' && !Object.hasOwn(out, setter)) out[setter] = name;
  }
  return out;
}
