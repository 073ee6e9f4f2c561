/** A case of the repository's own sample evidence, small, made by the command line. */
import path from 'node:path';
import { generateEvidence, importInto } from '../harness.ts';

/** Makes `office.daybook` in `folder` and gives its path. `scale`: 1 is about 60,000 records. */
export async function sampleCase(folder: string, scale = 0.1): Promise<string> {
  const made = path.join(folder, 'made');
  await generateEvidence(made, '--scale', String(scale));
  const evidence = path.join(made, 'evidence');
  return importInto(path.join(folder, 'office.daybook'), evidence, '--recursive');
}
