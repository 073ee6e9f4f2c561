/**
 * Decisions of the user before an import: for all files that need one, and for single files. A file inside an
 * archive is decided with its archive: the engine gets paths on disk.
 */
import type { DateOrder } from '../../../engine/contract/time/decisions.ts';
import type { Params, Part } from '../../../engine/contract/operations.ts';

export type Preview = Part<'evidence.preview'>['preview'];

export interface Decision {
  readonly tz?: string | undefined;
  readonly year?: number | undefined;
  readonly dateOrder?: DateOrder | undefined;
  /** How wrong the recording clock was: `90s fast`. */
  readonly clock?: string | undefined;
  readonly format?: string | undefined;
  readonly mapping?: Readonly<Record<string, string>> | undefined;
}

export type OwnDecisions = Readonly<Record<string, Decision | undefined>>;

type ReadOptions = Pick<
  Params<'evidence.preview'>,
  'tz' | 'year' | 'dateOrder' | 'clock' | 'format' | 'mapping'
>;

/** Decisions for a file: its own override those for all. */
function decisionOf(path: string, shared: Decision, bySource: OwnDecisions): ReadOptions {
  const merged = { ...shared, ...defined(bySource[path] ?? {}) };
  const { tz, year, dateOrder, clock, format, mapping } = merged;
  return {
    ...(tz === undefined ? {} : { tz }),
    ...(year === undefined ? {} : { year }),
    ...(dateOrder === undefined ? {} : { dateOrder }),
    ...(clock === undefined ? {} : { clock }),
    ...(format === undefined ? {} : { format }),
    ...(mapping === undefined ? {} : { mapping: { ...mapping } }),
  };
}

function defined(decision: Decision): Decision {
  return Object.fromEntries(Object.entries(decision).filter(([, value]) => value !== undefined));
}

/** The items of an import: the chosen paths, then each file in them with decisions of its own. */
export function importItems(
  paths: readonly string[],
  shared: Decision,
  bySource: OwnDecisions,
): Params<'import.start'>['items'] {
  const decided = Object.keys(bySource).filter(
    (path) => !paths.includes(path) && Object.keys(defined(bySource[path] ?? {})).length > 0,
  );
  return [...paths, ...decided].map((path) => ({ path, ...decisionOf(path, shared, bySource) }));
}

/** Paths of the files that a decision for all changes: those that need it and have none of their own. */
export function undecidedFiles(
  previews: readonly Preview[],
  bySource: OwnDecisions,
  decision: Decision,
): string[] {
  const isOpen = (
    { path, asks }: Preview,
    name: 'tz' | 'year' | 'dateOrder' | 'clock',
  ): boolean => {
    const isAsked = { tz: asks.zone, year: asks.year, dateOrder: asks.dateOrder, clock: true };
    return isAsked[name] && name in decision && bySource[path]?.[name] === undefined;
  };
  const open = previews.filter((one) =>
    (['tz', 'year', 'dateOrder', 'clock'] as const).some((name) => isOpen(one, name)),
  );
  return [...new Set(open.map(({ path }) => path))];
}

/** Files that are previewed with the same decisions, so that one request suffices. */
export function groupsOf(
  paths: readonly string[],
  shared: Decision,
  bySource: OwnDecisions,
): { options: ReadOptions; paths: string[] }[] {
  const groups = new Map<string, { options: ReadOptions; paths: string[] }>();
  for (const path of paths) {
    const options = decisionOf(path, shared, bySource);
    const key = JSON.stringify(options);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, { options, paths: [path] });
    else group.paths.push(path);
  }
  return [...groups.values()];
}

/**
 * Replaces the previews of a file by new ones. A file previewed alone is named by its file name only; it keeps the
 * name that the ledger will show.
 */
export function replacePreviews(
  before: readonly Preview[],
  path: string,
  fresh: readonly Preview[],
): Preview[] {
  const at = before.findIndex((one) => one.path === path);
  const old = before.filter((one) => one.path === path);
  const named = fresh.map((one, i) => {
    const same = old.find((other) => other.members.join('\n') === one.members.join('\n')) ?? old[i];
    return same === undefined ? one : { ...one, source: same.source };
  });
  const rest = before.filter((one) => one.path !== path);
  const place =
    at < 0 ? rest.length : before.slice(0, at).filter((one) => one.path !== path).length;
  return [...rest.slice(0, place), ...named, ...rest.slice(place)];
}

/**
 * The paths to import of received files: a dropped folder counts as one, so that its files keep their names in it.
 */
export function receivedRoots(paths: readonly string[], names: readonly string[]): string[] {
  const roots = new Set<string>();
  for (const [i, path] of paths.entries()) {
    const depth = (names[i] ?? '').split('/').length - 1;
    const parts = path.split(/[\\/]/);
    const kept = parts.slice(0, parts.length - depth).join(path.includes('\\') ? '\\' : '/');
    roots.add(depth <= 0 ? path : kept);
  }
  return [...roots];
}
