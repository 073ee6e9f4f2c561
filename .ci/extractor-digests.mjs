/** Records the fields that each version of an extractor extracts (engine/fields/testing/extractor-digest.ts). */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { DOCUMENTS } from '../engine/fields/cutting/extractors.ts';
import { digestsOf, unraised } from '../engine/fields/testing/extractor-digest.ts';

const file = path.resolve(import.meta.dirname, '../engine/fields/extractor-digests.json');
const recorded = JSON.parse(readFileSync(file, 'utf8'));
const problems = Object.entries(DOCUMENTS)
  .map(([name, document]) => unraised(name, document, recorded))
  .filter((problem) => problem !== undefined);
if (problems.length > 0) {
  process.stderr.write(`${problems.join('\n')}\n`);
  process.exitCode = 1;
} else {
  writeFileSync(file, `${JSON.stringify(digestsOf(DOCUMENTS), undefined, 2)}\n`);
}
