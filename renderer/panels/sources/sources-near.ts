/** The sources that a decision about one of them may apply to: itself, those next to it, all of the case. */
import { counted } from '../../panel-api.ts';
import type { Source } from './source-state.tsx';

interface Scope {
  readonly label: string;
  readonly sources: readonly Source[];
}

export function sourcesNear(source: Source, all: readonly Source[]): Scope[] {
  const place = placeOf(source);
  const beside = all.filter((one) => placeOf(one) === place);
  const scopes: Scope[] = [{ label: 'this source', sources: [source] }];
  if (beside.length > 1 && beside.length < all.length)
    scopes.push({
      label: `${counted(beside.length, 'source')} in ${lastPartOf(place)}`,
      sources: beside,
    });
  if (all.length > 1)
    scopes.push({ label: `${counted(all.length, 'source')} of the case`, sources: all });
  return scopes;
}

/** The folder of a source, with the separator at its end, or its archive. */
function placeOf({ path, members }: Pick<Source, 'path' | 'members'>): string {
  if (members.length > 0) return path;
  return path.slice(0, path.length - lastPartOf(path).length);
}

/** A path of Windows has either separator; in others a backslash is part of a name. */
function lastPartOf(path: string): string {
  const last = path.startsWith('/') ? /[^/]*\/?$/ : /[^/\\]*[/\\]?$/;
  return last.exec(path)![0];
}
