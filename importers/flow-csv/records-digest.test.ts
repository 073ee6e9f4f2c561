/**
 * Records that are read otherwise than before have a higher version of the importer: `daybook verify` reads evidence again
 * and compares, and takes a value that the same version reads otherwise for damage.
 */
import { createHash } from 'node:crypto';
import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { importers } from '../registry.ts';
import recorded from './records-digest.json' with { type: 'json' };

const FIELDS = path.resolve(import.meta.dirname, '../../engine/fields');
/** Texts for people do not affect events. */
const TOLD = new Set(['for', 'leavesOut', 'samples']);

function digest(): string {
  const files = readdirSync(path.join(FIELDS, 'dialects')).sort();
  const general = ['general-names.json', 'outcome-words.json'];
  const documents = [...files.map((name) => `dialects/${name}`), ...general].map((name) =>
    Object.entries(
      JSON.parse(readFileSync(path.join(FIELDS, name), 'utf8')) as Record<string, unknown>,
    ).filter(([key]) => !TOLD.has(key)),
  );
  return createHash('sha256').update(JSON.stringify(documents)).digest('hex').slice(0, 16);
}

it('dialects and general names are those of this version of the importer', () => {
  const version = importers.find(({ id }) => id === 'flow-csv')?.version;
  // If they differ: raise "version" in importers/flow-csv/index.ts, and write both here. Raise that of evtx, too, if
  // windows-event.json changed: its records are read by the same dialect.
  expect(recorded).toEqual({ version, digest: digest() });
});
