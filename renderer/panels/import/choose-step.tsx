/** Chooses the evidence if nothing was dropped. */
import { Button, FileButton, Text } from '@mantine/core';
import { IconFileImport, IconFolderPlus, IconUpload } from '@tabler/icons-react';
import { useRef, useState } from 'react';
import { counted, useSession, useWorkspace, type Workspace } from '../../panel-api.ts';
import { FileBrowser } from '../../widgets/inputs/file-browser.tsx';
import form from '../../widgets/inputs/form.module.css';
import { Form } from '../../widgets/inputs/form.tsx';

interface Props {
  readonly onPaths: (paths: readonly string[]) => void;
  readonly onFiles: (files: readonly File[]) => void;
  readonly onClose: () => void;
}

export function ChooseStep({ onPaths, onFiles, onClose }: Props) {
  const { shell } = useWorkspace();
  return shell === undefined ? (
    <BrowseStep onPaths={onPaths} onFiles={onFiles} onClose={onClose} />
  ) : (
    <ShellStep shell={shell} onPaths={onPaths} onClose={onClose} />
  );
}

/** The shell has native dialogs. */
function ShellStep({
  shell,
  onPaths,
  onClose,
}: Omit<Props, 'onFiles'> & { readonly shell: NonNullable<Workspace['shell']> }) {
  const choose = async (kind: 'files' | 'folder'): Promise<void> => {
    const paths = await shell.chooseEvidence(kind);
    if (paths.length > 0) onPaths(paths);
  };
  return (
    <div className={form['stack']}>
      <Text size="sm" c="dimmed">
        Captures (pcap, pcapng), syslog, flow records and tables (Zeek, Suricata, CSV, NDJSON),
        compressed or in archives. You see a preview before anything is imported; the files are only
        read.
      </Text>
      <div className={form['row']}>
        <Button
          data-autofocus
          leftSection={<IconFileImport size={15} aria-hidden />}
          onClick={() => void choose('files')}
        >
          Choose files…
        </Button>
        <Button
          variant="default"
          leftSection={<IconFolderPlus size={15} aria-hidden />}
          onClick={() => void choose('folder')}
        >
          Choose a folder…
        </Button>
      </div>
      <div className={form['actions']}>
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
      </div>
    </div>
  );
}

/** In a browser, lists the folders of the engine's machine. */
function BrowseStep({ onPaths, onFiles, onClose }: Props) {
  const home = useSession((session) => session.info?.home);
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const toggle = (path: string, on: boolean): void => {
    const next = new Set(chosen);
    if (on) next.add(path);
    else next.delete(path);
    setChosen(next);
  };
  return (
    <Form
      onSubmit={() => {
        if (chosen.size > 0) onPaths([...chosen]);
      }}
    >
      <Text size="sm" c="dimmed">
        Tick files or whole folders on the machine where Daybook runs. You see a preview before
        anything is imported; the files stay where they are and are only read.
      </Text>
      <FileBrowser
        key={home}
        focused
        start={home}
        chosen={chosen}
        onChoose={toggle}
        shows={(entry) => entry.type !== 'case'}
        onPick={(entry) => toggle(entry.path, !chosen.has(entry.path))}
      />
      <Upload onFiles={onFiles} />
      <div className={form['actions']}>
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
        <Button type="submit" disabled={chosen.size === 0}>
          {chosen.size === 0 ? 'Preview' : `Preview ${counted(chosen.size, 'item')}`}
        </Button>
      </div>
    </Form>
  );
}

/** Files of the browser's machine. */
function Upload({ onFiles }: Pick<Props, 'onFiles'>) {
  const folderInput = useRef<HTMLInputElement>(null);
  return (
    <div className={form['row']}>
      <Text size="xs" c="dimmed">
        From elsewhere, copied into the case:
      </Text>
      <FileButton multiple onChange={(files) => files.length > 0 && onFiles(files)}>
        {(props) => (
          <Button
            {...props}
            size="compact-xs"
            variant="default"
            leftSection={<IconUpload size={13} aria-hidden />}
          >
            Upload files…
          </Button>
        )}
      </FileButton>
      <Button
        size="compact-xs"
        variant="default"
        leftSection={<IconFolderPlus size={13} aria-hidden />}
        onClick={() => folderInput.current?.click()}
      >
        Upload a folder…
      </Button>
      <input
        ref={(input) => {
          folderInput.current = input;
          input?.setAttribute('webkitdirectory', '');
        }}
        type="file"
        multiple
        hidden
        aria-label="Upload a folder"
        onChange={(event) => {
          const files = Array.from(event.currentTarget.files ?? []);
          if (files.length > 0) onFiles(files);
        }}
      />
      <Text size="xs" c="dimmed">
        or drop them on the window.
      </Text>
    </div>
  );
}
