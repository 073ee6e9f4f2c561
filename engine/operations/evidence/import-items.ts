/**
 * The items of an import: paths with a person's decisions for each, and the files found below them. A file is read
 * once, however many paths lead to it.
 */
import { canonicalClockError } from '../../contract/time/clock.ts';
import type { ReadLimits } from '../../contract/left-out.ts';
import type { FoundFile, ImportOptions, WorkItem } from '../../ingest/index.ts';

/** A file, folder or archive, and how to read it. */
export interface ImportItem {
  readonly path: string;
  readonly options: ImportOptions;
  /** Its name in the ledger if it has no path (standard input). */
  readonly name?: string;
}

/** A file, and which of the listed paths it was found below. */
export interface ListedFile extends FoundFile {
  readonly argument: number;
}

/** The options of an import in one order of keys: they are compared as text. */
export function importOptions(given: Partial<ImportOptions>): ImportOptions {
  return {
    format: given.format,
    timeZone: given.timeZone,
    year: given.year,
    dateOrder: given.dateOrder,
    clock: given.clock === undefined ? undefined : canonicalClockError(given.clock),
    packets: given.packets ?? true,
    flows: given.flows ?? true,
    protocols: given.protocols ?? true,
    mapping: given.mapping,
  };
}

/**
 * Each file once, at its first occurrence. It gets the decisions of the most specific path: its own, or that of the
 * nearest folder.
 * @param paths of the arguments, absolute
 */
export function oncePerFile(files: readonly ListedFile[], paths: readonly string[]): ListedFile[] {
  const found = new Map<string, ListedFile>();
  for (const file of files) {
    const before = found.get(file.path);
    if (before === undefined) found.set(file.path, file);
    else if (paths[file.argument]!.length > paths[before.argument]!.length)
      found.set(file.path, { ...before, argument: file.argument });
  }
  return [...found.values()];
}

/** The work of an import, in the order of its ledger. */
export function workItems(
  files: readonly ListedFile[],
  items: readonly ImportItem[],
  limits: ReadLimits = {},
): WorkItem[] {
  return files.map(({ argument, ...file }, ordinal) => ({
    ...file,
    name: items[argument]!.name ?? file.name,
    ordinal,
    options: items[argument]!.options,
    limits,
  }));
}
