/** The sample evidence: generated once into the cache folder, then used again. */
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { accessError, diskError } from '../../engine/util/files/files.ts';
import { generateEvidence, type Expected } from '../../fixtures/generate.ts';

/**
 * The folder of the sample, made if need be.
 * @throws DaybookError disk-full, unreadable
 */
export function sampleEvidence(cacheFolder: string): string {
  const folder = join(cacheFolder, 'sample');
  const evidence = join(folder, 'evidence');
  if (isWhole(folder)) return evidence;
  const fresh = `${folder}.${process.pid}`;
  try {
    mkdirSync(dirname(folder), { recursive: true });
    rmSync(fresh, { recursive: true, force: true });
    generateEvidence(fresh);
    rmSync(folder, { recursive: true, force: true });
    renameSync(fresh, folder);
  } catch (error) {
    rmSync(fresh, { recursive: true, force: true });
    throw diskError(error) ?? accessError(error) ?? error;
  }
  return evidence;
}

/** Whether every file is there in its full size. */
function isWhole(folder: string): boolean {
  try {
    const expected = JSON.parse(readFileSync(join(folder, 'expected.json'), 'utf8')) as Expected;
    return Object.entries(expected.sources).every(([name, { bytes }]) => {
      const file = join(folder, 'evidence', name);
      return existsSync(file) && statSync(file).size === bytes;
    });
  } catch {
    return false;
  }
}
