/** How far the files of an import were read, in words, and which need attention first. */

interface Read {
  readonly status: string;
  readonly quarantined: number;
}

const LABELS: ReadonlyMap<string, { readonly color: string; readonly label: string }> = new Map([
  ['complete', { color: 'teal', label: 'read' }],
  ['partial', { color: 'orange', label: 'partial' }],
  ['damaged', { color: 'red', label: 'damaged' }],
  ['duplicate', { color: 'blue', label: 'already in the case' }],
  ['failed', { color: 'red', label: 'failed' }],
  ['ignored', { color: 'gray', label: 'left out' }],
]);
const NOT_WHOLE: ReadonlySet<string> = new Set(['failed', 'damaged', 'partial']);

export function readStatus(status: string): { readonly color: string; readonly label: string } {
  return LABELS.get(status) ?? { color: 'gray', label: status };
}

/** Files that were not read to their end, and files that were left out. */
export function notRead(files: readonly Pick<Read, 'status'>[]): {
  readonly unread: number;
  readonly leftOut: number;
} {
  return {
    unread: files.filter(({ status }) => NOT_WHOLE.has(status)).length,
    leftOut: files.filter(({ status }) => status === 'ignored').length,
  };
}

/** Those that need attention first, those that were already in the case last. */
export function problemsFirst<T extends Read>(files: readonly T[]): T[] {
  return [...files].sort((a, b) => rankOf(a) - rankOf(b));
}

function rankOf({ status, quarantined }: Read): number {
  if (NOT_WHOLE.has(status)) return 0;
  if (quarantined > 0) return 1;
  return { ignored: 2, duplicate: 4 }[status] ?? 3;
}
