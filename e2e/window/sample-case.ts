/** A case of the repository's own sample evidence, small, made by the command line. */
import path from 'node:path';
import { daybook, generateEvidence } from '../harness.ts';

/** Makes `office.daybook` in `folder` and gives its path. `scale`: 1 is about half a million events. */
export async function sampleCase(folder: string, scale = 0.1): Promise<string> {
  const made = path.join(folder, 'made');
  await generateEvidence(made, '--scale', String(scale));
  const target = path.join(folder, 'office.daybook');
  const run = await daybook(['import', target, path.join(made, 'evidence'), '--recursive']);
  if (run.status !== 0) throw new Error(`the sample could not be imported: ${run.err}`);
  return target;
}
