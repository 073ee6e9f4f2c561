/**
 * Adds evidence to the case: choose, receive, preview and decide, import, read the ledger. The import itself is
 * independent of this dialog, which can be closed and opened at any time.
 */
import { Modal } from '@mantine/core';
import { useState } from 'react';
import {
  isRunning,
  useDialog,
  useImportJob,
  useImportJobs,
  useSession,
  useWorkspace,
} from '../../panel-api.ts';
import { ChooseStep } from './choose-step.tsx';
import { JobStep } from './job-step.tsx';
import { PreviewStep } from './preview/preview-step.tsx';
import { ReceiveStep } from './receive-step.tsx';

/** Each opening starts from the beginning. */
const keys = new WeakMap<object, number>();
let nextKey = 1;

function keyOf(opening: object): number {
  let key = keys.get(opening);
  if (key === undefined) {
    key = nextKey++;
    keys.set(opening, key);
  }
  return key;
}

export function ImportDialog() {
  const opening = useDialog('import');
  const path = useSession((session) => session.openCase?.case);
  if (opening === undefined || path === undefined) return null;
  return (
    <ImportWindow
      key={keyOf(opening)}
      path={path}
      given={opening.paths}
      givenFiles={opening.files}
    />
  );
}

interface Props {
  readonly path: string;
  readonly given: readonly string[] | undefined;
  readonly givenFiles: readonly File[] | undefined;
}

function ImportWindow({ path, given, givenFiles }: Props) {
  const { dialogs } = useWorkspace();
  const jobs = useImportJobs();
  const job = useImportJob(path);
  const readOnly = useSession((session) => session.openCase?.readOnly === true);
  const writer = useSession((session) => session.openCase?.writer);
  const [paths, setPaths] = useState(given);
  const [files, setFiles] = useState(givenFiles);
  const [started, setStarted] = useState(false);
  const asksForJob = paths === undefined && files === undefined;
  const showsJob = job !== undefined && (started || asksForJob);

  const close = (): void => {
    dialogs.close();
    // An end that was seen needs no line in the status.
    if (showsJob) jobs.dismiss(path);
  };
  const blocked = readOnly
    ? 'The case is open read-only.'
    : isRunning(job)
      ? 'Another import is running: wait until it ends.'
      : writer !== undefined
        ? `Another process is changing the case (${writer.operation}): wait until it has finished.`
        : undefined;
  const title = showsJob
    ? isRunning(job)
      ? 'Importing'
      : 'Ledger of the import'
    : paths !== undefined
      ? 'Review before import'
      : 'Add evidence';
  return (
    <Modal
      opened
      onClose={close}
      title={title}
      size={showsJob || paths !== undefined ? 'min(1360px, 92vw)' : 'lg'}
      // A click or drop next to the dialog must not lose decisions.
      closeOnClickOutside={showsJob || paths === undefined}
    >
      {showsJob ? (
        <JobStep path={path} job={job} onClose={close} />
      ) : paths !== undefined ? (
        <PreviewStep
          path={path}
          paths={paths}
          blocked={blocked}
          onStarted={() => setStarted(true)}
          onClose={close}
        />
      ) : files !== undefined ? (
        <ReceiveStep path={path} files={files} onPaths={setPaths} onClose={close} />
      ) : (
        <ChooseStep onPaths={setPaths} onFiles={setFiles} onClose={close} />
      )}
    </Modal>
  );
}
