/** Orders previews by the attention they need: first what cannot be read or would be quarantined, then guesses. */
import { basisOf, isGuess, type TimeDecision } from '../../../../engine/contract/time/decisions.ts';
import { HASH_LIST } from '../../../../engine/contract/left-out.ts';
import type { Preview } from '../decisions.ts';

const LOOKS = ['problem', 'guess', 'clear'] as const;
export type Look = (typeof LOOKS)[number];

const TIMES: readonly TimeDecision[] = ['tz', 'year', 'dateOrder'];

type Judged = Pick<Preview, 'problem' | 'format' | 'quarantined' | 'notes' | 'decisions'>;

export function lookOf({ problem, format, quarantined, notes, decisions }: Judged): Look {
  if (problem === HASH_LIST) return 'clear';
  if (problem !== undefined || format === undefined) return 'problem';
  if (quarantined.length > 0 || notes.length > 0) return 'problem';
  return TIMES.some((name) => isGuess(basisOf(decisions, name))) ? 'guess' : 'clear';
}

/** Those that need attention first; equally urgent ones in the order in which they were found. */
export function inOrder<P>(previews: readonly P[], look: (preview: P) => Look): P[] {
  return LOOKS.flatMap((one) => previews.filter((preview) => look(preview) === one));
}
