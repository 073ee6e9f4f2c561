/**
 * A bundle of real evidence of many products in one case (../shared/data2, which is not part of the repository):
 * file sizes and the speed of workers determine which records share a batch, so every value is compared.
 */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { daybook, json, ledgerLines, scratch } from './harness.ts';

const SHARED =
  process.env['DAYBOOK_SHARED'] ?? path.resolve(import.meta.dirname, '../../../shared');
const DATA = path.join(SHARED, 'data2');
const FOLDERS = ['cloud', 'web'];

const { folder, remove } = scratch();
afterAll(remove);

describe.skipIf(!existsSync(path.join(DATA, 'cloud')))(
  'a bundle of real evidence (skipped without ../shared/data2)',
  () => {
    it('is what the case holds, in every field of every event', async () => {
      const name = path.join(folder, 'bundle.daybook');
      const folders = FOLDERS.map((one) => path.join(DATA, one));
      const { sources } = ledgerLines(
        await daybook(['import', name, '--recursive', '--json', ...folders]),
      );
      expect(sources.length).toBeGreaterThan(400);
      const stored = sources.reduce((sum, source) => sum + source.stored, 0);
      const verified = await daybook(['verify', name, '--sample', 'all', '--json']);
      expect(json<object>(verified)).toMatchObject({
        case: { intact: true },
        sample: { differing: 0, compared: stored },
        evidence: { changed: 0, missing: 0, notChecked: 0 },
      });
    });
  },
);
