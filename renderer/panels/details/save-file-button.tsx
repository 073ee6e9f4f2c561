/** Saves a file that was transferred in a connection, from the capture. */
import { Button } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import {
  formatBytes,
  notifyDone,
  saveFile,
  useCase,
  useSubmit,
  useWorkspace,
} from '../../panel-api.ts';
import type { EventInfo } from './fields-tab.tsx';
import css from './details.module.css';

export function SaveFileButton({ info }: { readonly info: EventInfo }) {
  const { connection } = useWorkspace();
  const folder = useCase().case;
  const value = (name: string): string | undefined => {
    const found = info.fields.find((field) => field.name === name)?.value;
    return found === null || found === undefined ? undefined : String(found);
  };
  const { busy, run } = useSubmit(async () => {
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
  }, 'The file could not be saved');
  return (
    <div className={css['box']}>
      <div className={css['boxTitle']}>
        <span>The file itself</span>
        <Button
          variant="subtle"
          size="compact-xs"
          loading={busy}
          onClick={run}
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
