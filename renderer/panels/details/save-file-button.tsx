/** Saves a file that a connection carried, out of the capture. */
import { Button } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { useState } from 'react';
import {
  formatBytes,
  notifyDone,
  notifyError,
  saveFile,
  useCase,
  useWorkspace,
} from '../../panel-api.ts';
import type { EventInfo } from './fields-tab.tsx';
import css from './details.module.css';

export function SaveFileButton({ info }: { readonly info: EventInfo }) {
  const { connection } = useWorkspace();
  const folder = useCase().case;
  const [busy, setBusy] = useState(false);
  const value = (name: string): string | undefined => {
    const found = info.fields.find((field) => field.name === name)?.value;
    return found === null || found === undefined ? undefined : String(found);
  };
  const save = async (): Promise<void> => {
    setBusy(true);
    try {
      const written = await saveFile(
        value('filename') ?? `event-${info.event.replace(':', '-')}`,
        [],
        'application/octet-stream',
        (path, onPart) =>
          connection.call('event.file', { case: folder, event: info.event, path }, { onPart }),
      );
      if (written !== undefined)
        notifyDone(
          `${formatBytes(written.bytes)}, SHA-256 ${written.sha256}${written.missing > 0 ? `; ${formatBytes(written.missing)} of it were not captured, and are zeros` : ''}`,
        );
    } catch (error) {
      notifyError(error, 'The file could not be saved');
    } finally {
      setBusy(false);
    }
  };
  return (
    <div className={css['box']}>
      <div className={css['boxTitle']}>
        <span>The file itself</span>
        <Button
          variant="subtle"
          size="compact-xs"
          loading={busy}
          onClick={() => void save()}
          rightSection={<IconDownload size={13} />}
        >
          Save the file…
        </Button>
      </div>
      <p className={css['note']}>
        It is read from the capture and saved as it was sent. It may be malware.
      </p>
    </div>
  );
}
