/**
 * The verdicts on a verified case in words, for the command line and the window. Without schemas: the window must
 * not load zod, which tests whether it may evaluate code.
 */
import { counted } from './counted.ts';
import type { VerifyReport } from '../verify-report.ts';

/** The verdict on the case: a sentence without its full stop. */
export function caseVerdict({ case: { intact }, findings }: VerifyReport): string {
  if (intact) return 'The case is intact';
  const errors = findings.filter(({ about, level }) => about === 'case' && level === 'error');
  return `The case is damaged: ${counted(errors.length, 'error')}`;
}

/** The verdict on the evidence. */
export function evidenceVerdict({ evidence }: VerifyReport): string {
  const { state, files, changed, missing, notChecked, unfinished } = evidence;
  if (files === 0) return 'There is no evidence to check';
  if (state === 'unchanged') return `The evidence is unchanged: ${counted(files, 'file')}`;
  const parts = [
    changed > 0 ? `${counted(changed, 'file')} changed` : '',
    missing > 0 ? `${counted(missing, 'file')} missing` : '',
    notChecked > 0 ? `${counted(notChecked, 'file')} not checked` : '',
    unfinished > 0 ? `${counted(unfinished, 'source')} not read to the end` : '',
  ].filter((part) => part !== '');
  const head =
    state === 'changed'
      ? 'The evidence is not what was imported'
      : 'The evidence is not fully checked';
  return `${head}: ${parts.join(', ')}, of ${counted(files, 'file')}`;
}

/** The verdict on the sample: how much was compared with the evidence. */
export function sampleVerdict({ sample }: VerifyReport): string {
  const { perSource, sources, compared, differing, notCompared } = sample;
  if (perSource === 0) return 'No events were compared with the evidence';
  const left =
    notCompared.length === 0
      ? ''
      : `; ${counted(notCompared.length, 'source')} not compared, or only in part`;
  const counts = `${counted(compared, 'event')} of ${counted(sources, 'source')}`;
  return differing === 0
    ? `${counts} ${compared === 1 ? 'equals' : 'equal'} the evidence in every field${left}`
    : `${counted(differing, 'event')} of ${counts} differ from the evidence${left}`;
}
