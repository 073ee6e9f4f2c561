/** Which previews want a person first: what cannot be read or would be quarantined, then what was guessed. */
import { basisOf, isGuess, type TimeDecision } from '../../../engine/contract/decisions.ts';
import { HASH_LIST } from '../../../engine/contract/left-out.ts';
import type { Preview } from './decisions.ts';

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

/** Those that want a person first, each kind in the order in which it was found. */
export function inOrder<P>(previews: readonly P[], look: (preview: P) => Look): P[] {
  return LOOKS.flatMap((one) => previews.filter((preview) => look(preview) === one));
}
