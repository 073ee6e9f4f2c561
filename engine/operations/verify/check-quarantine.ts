/**
 * Checks that the quarantine files contain what was committed: by the hash of each in the catalog, and by the
 * number of their records, which must equal that of the sources' ledgers.
 */
import { constants } from 'node:fs';
import { counted } from '../../contract/words/counted.ts';
import { openCaseHandle, quarantineFile } from '../../util/files/case-files.ts';
import { FileProblem, fileProblem, hashHandle } from '../../util/files/regular-file.ts';
import type { ImportRow, SourceRow } from '../../catalog/index.ts';
import { DaybookError } from '../../contract/errors.ts';
import { linesOf, sourceIdOf } from '../evidence/quarantine.ts';
import { type Findings, type Progress, reasonOf } from './findings.ts';

const RESTORE =
  'restore the file from a copy of the case; the records themselves are in the evidence';

/** @returns how many records are in quarantine */
export async function checkQuarantine(
  folder: string,
  { imports, sources }: { imports: readonly ImportRow[]; sources: readonly SourceRow[] },
  findings: Findings,
  progress: Progress,
  signal: AbortSignal,
): Promise<number> {
  const bySource = new Map<number, number>();
  let total = 0;
  let sound = true;
  for (const { id, status, quarantineBytes, quarantineSha256 } of imports) {
    if (quarantineBytes === 0) continue;
    const file = quarantineFile(id);
    progress.at('segments', file);
    const say = (message: string): void => {
      sound = false;
      findings.damage('quarantine', file, `${file} ${message}`, RESTORE);
    };
    try {
      const handle = await openCaseHandle(folder, file, constants.O_RDONLY);
      try {
        const { bytes, sha256, prefixes } = await hashHandle(handle, {
          ...{ prefixes: [quarantineBytes], signal, onBytes: progress.onBytes },
        });
        const committed =
          prefixes.get(quarantineBytes) ?? (bytes === quarantineBytes ? sha256 : '');
        if (bytes < quarantineBytes)
          say(`is shorter than what was committed: ${bytes} of ${quarantineBytes} bytes`);
        else if (quarantineSha256 === undefined)
          findings.ofCase(
            'note',
            'not-covered',
            file,
            `${file} was written by an earlier Daybook, which kept no hash of it: its records were only counted`,
          );
        else if (committed !== quarantineSha256) say('differs from what was written (SHA-256)');
        if (bytes > quarantineBytes && status !== 'running')
          findings.ofCase(
            'warning',
            'quarantine',
            file,
            `${file} has ${counted(bytes - quarantineBytes, 'byte')} that no import committed`,
            'the next import removes them',
          );
        for await (const { head } of linesOf(handle, 0, quarantineBytes, signal)) {
          const source = sourceIdOf(head);
          bySource.set(source, (bySource.get(source) ?? 0) + 1);
          total += 1;
        }
      } finally {
        await handle.close();
      }
    } catch (error) {
      if (error instanceof DaybookError) say(`cannot be read: ${reasonOf(error)}`);
      else {
        const problem = error instanceof FileProblem ? error : fileProblem(error);
        say(problem.kind === 'missing' ? 'is missing' : problem.message);
      }
    }
  }
  for (const { id, name, quarantined } of sources) {
    const found = bySource.get(id) ?? 0;
    // If a file is damaged, only that is reported.
    if (sound && found !== quarantined)
      findings.damage(
        'quarantine',
        name,
        `${counted(found, 'record')} of ${name} ${found === 1 ? 'is' : 'are'} in quarantine, its ledger says ${quarantined}`,
        RESTORE,
      );
  }
  return total;
}
