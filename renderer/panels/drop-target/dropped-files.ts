/**
 * The files of a drop in a browser, those in folders included, each with its path inside the dropped item. Entries
 * must be taken while the drop is handled; their contents may be read later.
 */

/** Beyond this a path on the engine's machine is the better way. */
const MOST_FILES = 10_000;
const MOST_DEPTH = 64;

interface Dropped {
  readonly files: readonly File[];
  /** Whether there were more files than are taken. */
  readonly cut: boolean;
  /** Names of unreadable entries. */
  readonly unreadable: readonly string[];
}

/** The entries of a drop: call it while the event is handled. */
export function takeEntries(transfer: DataTransfer): { entries: FileSystemEntry[]; files: File[] } {
  const entries: FileSystemEntry[] = [];
  const files: File[] = [];
  for (const item of Array.from(transfer.items)) {
    if (item.kind !== 'file') continue;
    const entry = item.webkitGetAsEntry();
    const file = entry === null ? item.getAsFile() : null;
    if (entry !== null) entries.push(entry);
    else if (file !== null) files.push(file);
  }
  return { entries, files };
}

/** Every file below the entries. */
export async function filesBelow(entries: readonly FileSystemEntry[]): Promise<Dropped> {
  const files: File[] = [];
  const unreadable: string[] = [];
  let cut = false;
  const walk = async (entry: FileSystemEntry, prefix: string, depth: number): Promise<void> => {
    if (files.length >= MOST_FILES || depth > MOST_DEPTH) {
      cut = true;
      return;
    }
    const name = `${prefix}${entry.name}`;
    try {
      if (isFile(entry)) {
        const file = await new Promise<File>((resolve, reject) => entry.file(resolve, reject));
        files.push(depth === 0 ? file : withPath(file, name));
      } else if (isDirectory(entry)) {
        for (const child of await childrenOf(entry)) await walk(child, `${name}/`, depth + 1);
      }
    } catch {
      unreadable.push(name);
    }
  };
  for (const entry of entries) await walk(entry, '', 0);
  return { files, cut, unreadable };
}

function isFile(entry: FileSystemEntry): entry is FileSystemFileEntry {
  return entry.isFile;
}

function isDirectory(entry: FileSystemEntry): entry is FileSystemDirectoryEntry {
  return entry.isDirectory;
}

/** A reader returns up to a hundred entries at a time, and none at the end. */
async function childrenOf(folder: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = folder.createReader();
  const all: FileSystemEntry[] = [];
  for (;;) {
    const batch = await new Promise<FileSystemEntry[]>((resolve, reject) =>
      reader.readEntries(resolve, reject),
    );
    if (batch.length === 0) return all.sort((a, b) => (a.name < b.name ? -1 : 1));
    all.push(...batch);
  }
}

/** A dropped file does not know its folder; a chosen one does, by this property. */
function withPath(file: File, path: string): File {
  return Object.defineProperty(file, 'webkitRelativePath', { value: path });
}
