/** The running import in the status bar: what is being read, progress and speed. */
import { ActionIcon, Progress, Tooltip, UnstyledButton } from '@mantine/core';
import { IconX } from '@tabler/icons-react';
import {
  formatBytes,
  formatCount,
  formatRemaining,
  formatTime,
  useCase,
  useFollowedImport,
  useImportJobs,
  useWorkspace,
  useZone,
  counted,
} from '../../panel-api.ts';
import { EventText } from '../../widgets/texts/event-text.tsx';
import { eventsOf } from '../../widgets/sources/ledger-sum.ts';
import css from './import-status.module.css';

export function ImportStatus() {
  const workspace = useWorkspace();
  const info = useCase();
  const jobs = useImportJobs();
  const job = useFollowedImport();
  const zone = useZone();
  const open = (): void => workspace.dialogs.open({ dialog: 'import' });

  if (job === undefined) {
    if (info.writer === undefined) return null;
    return (
      <Tooltip
        label={`Process ${info.writer.pid}, since ${formatTime(Date.parse(info.writer.since) * 1000, zone, 0)}`}
      >
        <span>Another process is changing the case: {info.writer.operation}</span>
      </Tooltip>
    );
  }
  if (job.state === 'running' || job.state === 'cancelling') {
    const { progress } = job;
    const share =
      progress === undefined || progress.totalBytes === 0
        ? undefined
        : Math.min(1, progress.bytes / progress.totalBytes);
    const name = progress?.source.split(/[/!]/).pop() ?? '';
    return (
      <Tooltip label="Show the import">
        <UnstyledButton className={css['job']} onClick={open} aria-live="off">
          <span className={css['name']}>
            {job.state === 'cancelling'
              ? 'cancelling'
              : progress?.phase === 'compacting'
                ? 'joining small segments'
                : progress?.phase === 'reading'
                  ? 'importing '
                  : 'preparing the import'}
            {job.state === 'running' && progress?.phase === 'reading' && (
              <EventText text={name} max={60} />
            )}
          </span>
          <Progress
            className={css['bar']}
            aria-label="Import"
            color="teal"
            size={5}
            value={(share ?? 0) * 100}
          />
          {progress !== undefined && share !== undefined && (
            <span>
              {Math.floor(share * 100)} % · {formatBytes(progress.bytesPerSecond)}/s
              {progress.etaMs !== undefined && ` · about ${formatRemaining(progress.etaMs)} left`}
            </span>
          )}
        </UnstyledButton>
      </Tooltip>
    );
  }
  const text = {
    complete: `imported ${counted(eventsOf(job.report?.total.byKind ?? {}), 'event')}`,
    cancelled: 'import cancelled',
    failed: 'import failed',
  }[job.state];
  return (
    <span className={css['job']}>
      <UnstyledButton className={css['link']} data-state={job.state} onClick={open}>
        {text}
        {(job.report?.total.quarantined ?? 0) > 0 &&
          `, ${formatCount(job.report?.total.quarantined ?? 0)} quarantined`}
      </UnstyledButton>
      <ActionIcon size={24} aria-label="Dismiss" onClick={() => jobs.dismiss(info.case)}>
        <IconX size={12} />
      </ActionIcon>
    </span>
  );
}
