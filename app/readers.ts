/** Options that name formats, zones and columns. Separate from compose.ts, so that they do not load the engine. */
import { readFileSync, statSync } from 'node:fs';
import { DaybookError, messageOfError } from '../engine/contract/errors.ts';
import { resolveZone } from '../engine/contract/time/zone.ts';
import { importers, isMappable } from '../importers/registry.ts';

/** Values of `--format`: the importers and their dialects. */
export function formats(): string[] {
  return importers.flatMap((importer) => [
    importer.id,
    ...importer.formats.filter((format) => format !== importer.id),
  ]);
}

/** @throws DaybookError usage */
export function checkZone(text: string): void {
  resolveZone(text);
}

/**
 * A mapping of table columns to event fields: `src_ip=Source,dst_ip=Target`, or the path of a JSON
 * file `{"fields": {"src_ip": "Source", …}}`.
 * @throws DaybookError usage
 */
export function readMapping(text: string): Record<string, string> {
  const fields = mappingOf(text);
  // A misspelled field would silently leave its column without a meaning.
  for (const field of Object.keys(fields)) {
    if (!isMappable(field))
      throw new DaybookError(
        'usage',
        `the mapping names an unknown field: ${JSON.stringify(field)}`,
        'fields are src_ip, dst_ip, src_port, dst_port, proto, ts, bytes, packets … (docs/importers/flow-csv.md), or attrs.NAME',
      );
  }
  return fields;
}

function mappingOf(text: string): Record<string, string> {
  if (!text.includes('=')) {
    let parsed: unknown;
    try {
      // A pipe would block the program until somebody writes to it.
      if (!statSync(text).isFile()) throw new Error('it is not a file');
      parsed = JSON.parse(readFileSync(text, 'utf8'));
    } catch (error) {
      throw new DaybookError(
        'usage',
        `the mapping ${text} cannot be read: ${messageOfError(error)}`,
        'give --map FIELD=COLUMN,… or a JSON file {"fields": {"src_ip": "Source"}}',
      );
    }
    const fields =
      typeof parsed === 'object' && parsed !== null && 'fields' in parsed
        ? parsed.fields
        : undefined;
    if (
      typeof fields !== 'object' ||
      fields === null ||
      !Object.values(fields).every((value) => typeof value === 'string')
    ) {
      throw new DaybookError(
        'usage',
        `${text} is not a mapping`,
        'a mapping looks like {"fields": {"src_ip": "Source"}}',
      );
    }
    return fields as Record<string, string>;
  }
  const out: Record<string, string> = {};
  for (const pair of text.split(',')) {
    const at = pair.indexOf('=');
    const field = pair.slice(0, at).trim();
    const column = pair.slice(at + 1).trim();
    if (at < 1 || column === '')
      throw new DaybookError('usage', `--map: ${JSON.stringify(pair)} is not FIELD=COLUMN`);
    out[field] = column;
  }
  return out;
}
