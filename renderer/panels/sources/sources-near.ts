/** Which sources a decision about one of them may be meant for: itself, those beside it, all of the case. */
import { counted } from '../../panel-api.ts';
import type { Source } from './source-state.tsx';

export interface Scope {
  readonly label: string;
  readonly sources: readonly Source[];
}

export function sourcesNear(source: Source, all: readonly Source[]): Scope[] {
  const place = placeOf(source);
  const beside = all.filter((one) => placeOf(one) === place);
  const scopes: Scope[] = [{ label: 'this source', sources: [source] }];
  if (beside.length > 1 && beside.length < all.length)
    scopes.push({
      label: `${counted(beside.length, 'source')} in ${place.slice(place.lastIndexOf('/', place.length - 2) + 1)}`,
      sources: beside,
    });
  if (all.length > 1)
    scopes.push({ label: `${counted(all.length, 'source')} of the case`, sources: all });
  return scopes;
}

/** The folder that a source lies in, or the archive. */
function placeOf({ path, members }: Pick<Source, 'path' | 'members'>): string {
  return members.length > 0 ? path : path.replace(/[^/\\]*$/, '');
}
