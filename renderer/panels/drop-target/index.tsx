/** Files and folders can be dropped anywhere on the window; a dialog shows them before they are imported. */
import { IconFileImport } from '@tabler/icons-react';
import { useEffect, useState, type ReactNode } from 'react';
import { notifyError, refusalOf, useWorkspace, type Workspace } from '../../panel-api.ts';
import css from './drop-target.module.css';
import { filesBelow, takeEntries } from './dropped-files.ts';

export function DropTarget({ children }: { readonly children: ReactNode }) {
  const workspace = useWorkspace();
  const [over, setOver] = useState(false);
  useEffect(() => {
    const onOver = (event: DragEvent): void => {
      const transfer = brings(event);
      if (transfer === undefined) return;
      event.preventDefault();
      transfer.dropEffect = 'copy';
      setOver(true);
    };
    const onLeave = (event: DragEvent): void => {
      // Left the window, not one element for another.
      if (event.relatedTarget === null) setOver(false);
    };
    const onDrop = (event: DragEvent): void => {
      const transfer = brings(event);
      setOver(false);
      if (transfer === undefined) return;
      event.preventDefault();
      void take(transfer, workspace).catch((error: unknown) =>
        notifyError(error, 'The dropped items cannot be read'),
      );
    };
    window.addEventListener('dragenter', onOver);
    window.addEventListener('dragover', onOver);
    window.addEventListener('dragleave', onLeave);
    window.addEventListener('drop', onDrop);
    return () => {
      window.removeEventListener('dragenter', onOver);
      window.removeEventListener('dragover', onOver);
      window.removeEventListener('dragleave', onLeave);
      window.removeEventListener('drop', onDrop);
    };
  }, [workspace]);
  return (
    <>
      {children}
      {over && (
        <div className={css['overlay']} role="status" data-testid="drop-overlay">
          <div className={css['frame']} />
          <IconFileImport size={40} aria-hidden color="var(--db-accent)" />
          <div className={css['title']}>Drop to preview before importing</div>
          <div className={css['text']}>Files, folders and archives. Originals are only read.</div>
        </div>
      )}
    </>
  );
}

/** The kind of content that a drag carries, if it carries files. */
function brings({ dataTransfer }: DragEvent): DataTransfer | undefined {
  const hasFiles = dataTransfer !== null && Array.from(dataTransfer.types).includes('Files');
  return hasFiles ? dataTransfer : undefined;
}

/** Opens the dialog for an import, or for a new case, with what was dropped. */
async function take(transfer: DataTransfer, { shell, dialogs, session }: Workspace): Promise<void> {
  const { openCase } = session.getState();
  const isOpen = openCase !== undefined;
  const refused = refusalOf(openCase, 'import.start');
  if (refused !== undefined) throw new Error(refused);
  const open = (dropped: { paths: readonly string[] } | { files: readonly File[] }): void =>
    dialogs.open(isOpen ? { dialog: 'import', ...dropped } : { dialog: 'new-case', ...dropped });
  if (shell !== undefined) {
    const paths = Array.from(transfer.files)
      .map((file) => shell.pathOfFile(file))
      .filter((path) => path !== '');
    if (paths.length > 0) open({ paths });
    return;
  }
  const taken = takeEntries(transfer);
  const { files, cut, unreadable } = await filesBelow(taken.entries);
  if (cut) {
    notifyError(
      new Error(
        'There are more files than a browser can pass on: choose the folder by its path instead.',
      ),
      'Some files were not added',
    );
  }
  if (unreadable.length > 0) {
    notifyError(new Error(unreadable.slice(0, 5).join(', ')), 'The browser could not read');
  }
  const all = [...taken.files, ...files];
  if (all.length > 0) open({ files: all });
}
