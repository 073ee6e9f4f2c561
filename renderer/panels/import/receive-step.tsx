/** Copies files that only the browser can read into the case first. */
import { Button, Progress, Text } from '@mantine/core';
import { useEffect, useState } from 'react';
import {
  formatBytes,
  receiveFiles,
  useWorkspace,
  type Received,
  counted,
} from '../../panel-api.ts';
import { OperationError } from '../../../engine/contract/wire/client.ts';
import type { ErrorInfo } from '../../../engine/contract/wire/frame.ts';
import { EventText } from '../../widgets/texts/event-text.tsx';
import form from '../../widgets/inputs/form.module.css';
import { Problem } from '../../widgets/problem.tsx';
import { receivedRoots } from './decisions.ts';

/** Files that were refused, listed one by one. */
const MOST_SHOWN = 5;

interface Props {
  readonly path: string;
  readonly files: readonly File[];
  readonly onPaths: (paths: readonly string[]) => void;
  readonly onClose: () => void;
}

/** Copies the files and returns the result. */
function useReceiving({ path, files, onPaths }: Omit<Props, 'onClose'>) {
  const { connection } = useWorkspace();
  const [progress, setProgress] = useState({ name: '', bytes: 0, totalBytes: 0 });
  const [error, setError] = useState<ErrorInfo>();
  const [left, setLeft] = useState<Received>();
  const [tries, setTries] = useState(0);
  useEffect(() => {
    const controller = new AbortController();
    setError(undefined);
    receiveFiles(connection, path, files, {
      signal: controller.signal,
      onProgress: (next) => {
        if (!controller.signal.aborted) setProgress(next);
      },
    }).then(
      (received) => {
        if (controller.signal.aborted) return;
        if (received.refused.length > 0) setLeft(received);
        else onPaths(receivedRoots(received.paths, received.names));
      },
      (failure: unknown) => {
        if (controller.signal.aborted) return;
        setError(
          failure instanceof OperationError
            ? failure.info
            : {
                code: 'unreadable',
                message: 'the browser could not read a file',
                hint: String(failure),
              },
        );
      },
    );
    return () => controller.abort();
  }, [connection, path, files, tries, onPaths]);
  return { progress, error, left, retry: () => setTries((n) => n + 1) };
}

export function ReceiveStep({ path, files, onPaths, onClose }: Props) {
  const { progress, error, left, retry } = useReceiving({ path, files, onPaths });
  if (error !== undefined) {
    return (
      <>
        <Problem margin={0} error={error} title="Some files were not copied" onRetry={retry} />
        <div className={form['actions']}>
          <Button variant="default" onClick={onClose}>
            Close
          </Button>
        </div>
      </>
    );
  }
  if (left !== undefined)
    return <Left left={left} of={files.length} onPaths={onPaths} onClose={onClose} />;
  const { bytes, totalBytes, name } = progress;
  return (
    <div className={form['stack']} role="status">
      <Text size="sm">Copying into the case…</Text>
      <Progress
        aria-label="Copied"
        value={totalBytes === 0 ? 0 : (100 * bytes) / totalBytes}
        animated
      />
      <Text size="xs" c="dimmed">
        {formatBytes(bytes)} of {formatBytes(totalBytes)} · <EventText text={name} max={200} />
      </Text>
      <div className={form['actions']}>
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
      </div>
    </div>
  );
}

/** Files that the browser cannot read. */
function Left({
  left: { names, paths, refused },
  of,
  onPaths,
  onClose,
}: Pick<Props, 'onPaths' | 'onClose'> & {
  readonly left: Received;
  /** Total number of files. */
  readonly of: number;
}) {
  return (
    <>
      <Text size="sm">
        {refused.length.toLocaleString('en-US')} of {counted(of, 'file')} cannot be read by a
        browser; the command line reads them in place.
      </Text>
      {refused.slice(0, MOST_SHOWN).map((info, i) => (
        <Problem margin={0} key={i} error={info} title="Not copied" />
      ))}
      {refused.length > MOST_SHOWN && <Text size="sm">… {refused.length - MOST_SHOWN} more</Text>}
      <div className={form['actions']}>
        <Button variant="default" onClick={onClose}>
          Close
        </Button>
        {paths.length > 0 && (
          <Button onClick={() => onPaths(receivedRoots(paths, names))}>
            Continue with the other {paths.length}
          </Button>
        )}
      </div>
    </>
  );
}
