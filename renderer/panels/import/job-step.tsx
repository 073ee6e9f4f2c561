/** The running import, and its ledger once it has ended. */
import { Alert, Button, Progress, Text } from '@mantine/core';
import { IconAlertTriangle, IconCircleCheck, IconPlayerPause } from '@tabler/icons-react';
import {
  ALL,
  counted,
  formatBytes,
  formatCount,
  formatMs,
  formatRemaining,
  isRunning,
  showEvidence,
  useAnswer,
  useImportJobs,
  useWorkspace,
  type ImportJob,
} from '../../panel-api.ts';
import { EventText } from '../../widgets/texts/event-text.tsx';
import form from '../../widgets/inputs/form.module.css';
import { addCounts, eventsOf } from '../../widgets/sources/ledger-sum.ts';
import { Ledger } from '../../widgets/sources/ledger.tsx';
import { Problem } from '../../widgets/problem.tsx';
import { Overlaps } from '../../widgets/sources/overlaps.tsx';
import { inWindow } from '../../widgets/texts/window-words.ts';
import { notRead } from '../../widgets/sources/read-status.ts';
import css from './import.module.css';
import { ReportTable } from './report-table.tsx';

interface Props {
  readonly path: string;
  readonly job: ImportJob;
  /** Closes the dialog; a job that has ended is forgotten then. */
  readonly onClose: () => void;
}

/** Of each manifest. */
const MOST_DIFFERING = 20;

export function JobStep({ path, job, onClose }: Props) {
  const workspace = useWorkspace();
  const running = isRunning(job);
  // A window opened later has not heard of every source: the case's ledger has them all.
  const stopped = useAnswer(
    'import.list',
    running || job.report !== undefined ? undefined : { case: path },
  ).data?.imports[0];
  const total = job.report?.total ?? addCounts(stopped?.ledger ?? job.sources);
  const importId = job.report?.importId ?? stopped?.id;
  const showQuarantine = (which: { source?: number; import?: number }): void => {
    showEvidence(workspace, { section: 'quarantine', quarantine: which });
    onClose();
  };
  const showAllQuarantined = (): void =>
    showQuarantine(importId === undefined ? {} : { import: importId });
  return (
    <div className={form['stack']}>
      {running && <Running job={job} />}
      {job.state === 'complete' && job.report !== undefined && (
        <Outcome job={job} report={job.report} />
      )}
      <Differing manifests={job.report?.manifests ?? []} />
      {job.state === 'cancelled' && (
        <Alert
          role="status"
          variant="default"
          icon={<IconPlayerPause size={18} color="var(--db-warn)" aria-hidden />}
          title="The import was cancelled"
        >
          Everything that was committed is in the case and can be searched. Nothing is stored twice
          when it is resumed, now or later (Sources &amp; imports → Imports).
        </Alert>
      )}
      {job.state === 'failed' && job.error !== undefined && (
        <Problem margin={0} error={job.error} title="The import stopped" />
      )}
      {!running && total.read > 0 && (
        <div>
          <Ledger bar counts={total} onQuarantine={showAllQuarantined} />
        </div>
      )}
      {job.messages.length > 0 && (
        <ul className={css['list']}>
          {job.messages.map((message, at) => (
            <li key={at}>
              <EventText text={inWindow(message)} max={500} />
            </li>
          ))}
        </ul>
      )}
      {job.sources.length > 0 && (
        <ReportTable sources={job.sources} onQuarantine={(source) => showQuarantine({ source })} />
      )}
      {job.report !== undefined && (
        <Overlaps
          path={path}
          sources={new Set(job.report.sources.flatMap(({ sourceId }) => sourceId ?? []))}
          heading={css['heading']}
        />
      )}
      <Actions
        path={path}
        job={job}
        onClose={onClose}
        onQuarantine={total.quarantined > 0 ? showAllQuarantined : undefined}
      />
    </div>
  );
}

type Report = NonNullable<ImportJob['report']>;

function differingHashes(manifests: Report['manifests']): number {
  return manifests.reduce((sum, { differ }) => sum + differ.count, 0);
}

/** The ledger in a line, and whether something needs a look. */
function Outcome({ job, report }: { readonly job: ImportJob; readonly report: Report }) {
  const { total, manifests, elapsedMs } = report;
  const { unread, leftOut } = notRead(job.sources);
  const needsLook = leftOut + unread + total.quarantined + differingHashes(manifests) > 0;
  const derived = eventsOf(total.byKind) - total.stored;
  return (
    <div role="status">
      <div className={css['progressLine']}>
        {needsLook ? (
          <IconAlertTriangle size={20} color="var(--db-warn)" aria-hidden />
        ) : (
          <IconCircleCheck size={20} color="var(--db-ok)" aria-hidden />
        )}
        <span className={css['big']} style={{ color: 'var(--db-text)' }}>
          {counted(eventsOf(total.byKind), 'event')}
        </span>
        <span>
          from {counted(total.sources, 'source')}, {formatBytes(total.bytes)} in{' '}
          {formatMs(elapsedMs)}
        </span>
        {derived > 0 && (
          <span title="Flows and protocol events are made from the packets of captures; they are not records of the evidence">
            {counted(total.stored, 'record')} + {counted(derived, 'event')} derived
          </span>
        )}
        <span>
          {Object.entries(total.byKind)
            .map(([kind, n]) => `${formatCount(n)} ${kind}`)
            .join(' · ')}
        </span>
        {unread > 0 && (
          <span className={css['warn']}>
            {counted(unread, 'source was', 'sources were')} not read to the end
          </span>
        )}
        {leftOut > 0 && (
          <span className={css['warn']}>{counted(leftOut, 'file was', 'files were')} left out</span>
        )}
      </div>
    </div>
  );
}

/** Files whose hashes differ from those delivered with the evidence. */
function Differing({ manifests }: { readonly manifests: Report['manifests'] }) {
  const differing = differingHashes(manifests);
  if (differing === 0) return null;
  return (
    <Alert
      role="alert"
      color="red"
      icon={<IconAlertTriangle size={18} aria-hidden />}
      title={`${counted(differing, 'hash differs', 'hashes differ')} from what came with the evidence`}
    >
      <ul className={css['list']}>
        {manifests.flatMap(({ manifest, differ }) =>
          differ.first.slice(0, MOST_DIFFERING).map(({ file, line }) => (
            <li key={`${manifest}:${line}`}>
              <EventText text={`${file}: ${manifest}, line ${line}`} max={300} />
            </li>
          )),
        )}
      </ul>
    </Alert>
  );
}

function Actions({
  path,
  job,
  onClose,
  onQuarantine,
}: Props & {
  /** Undefined: nothing was quarantined. */
  readonly onQuarantine: (() => void) | undefined;
}) {
  const { views } = useWorkspace();
  const jobs = useImportJobs();
  if (isRunning(job)) {
    return (
      <div className={form['actions']}>
        <Text size="xs" c="dimmed" className={form['grow']}>
          What has been read can be searched while the import continues. Cancelling keeps what has
          been committed.
        </Text>
        <Button
          variant="default"
          loading={job.state === 'cancelling'}
          onClick={() => jobs.cancel(path)}
        >
          Cancel the import
        </Button>
        <Button data-autofocus onClick={onClose}>
          Continue in background
        </Button>
      </div>
    );
  }
  const showEvents = (): void => {
    views.show({ ...ALL, tab: 'events' });
    onClose();
  };
  return (
    <div className={form['actions']}>
      <Button variant="default" onClick={onClose}>
        Close
      </Button>
      {onQuarantine !== undefined && (
        <Button variant="default" onClick={onQuarantine}>
          Show quarantined records
        </Button>
      )}
      {job.state !== 'complete' && <Resume path={path} />}
      <Button data-autofocus onClick={showEvents}>
        Show events
      </Button>
    </div>
  );
}

function Running({ job }: { readonly job: ImportJob }) {
  const { progress } = job;
  const share =
    progress === undefined || progress.totalBytes === 0
      ? 0
      : Math.min(1, progress.bytes / progress.totalBytes);
  const doing =
    job.state === 'cancelling'
      ? 'Stopping once what has been read is stored…'
      : progress?.phase === 'compacting'
        ? 'Joining small segments…'
        : progress?.phase === 'reading'
          ? 'Reading'
          : 'Listing the evidence…';
  const isRead = share >= 0.999;
  return (
    <div className={form['tight']}>
      <Text size="sm" truncate>
        {doing}{' '}
        {progress?.phase === 'reading' && job.state === 'running' && (
          <EventText text={progress.source} max={300} />
        )}
      </Text>
      <Progress aria-label="Import" value={share * 100} size="md" color="teal" />
      {progress !== undefined && progress.totalBytes > 0 && (
        <div className={css['progressLine']}>
          <span>
            <b>{Math.floor(share * 100)} %</b>
          </span>
          <span>
            {formatBytes(progress.bytes)} of {formatBytes(progress.totalBytes)}
          </span>
          <span>
            <b>{formatBytes(progress.bytesPerSecond)}/s</b>
          </span>
          <span>{counted(progress.rows, 'record')}</span>
          <span>{formatCount(Math.round(progress.rowsPerSecond))}/s</span>
          <span>
            {progress.etaMs === undefined
              ? ''
              : isRead || progress.phase !== 'reading'
                ? 'indexing what was read…'
                : `about ${formatRemaining(progress.etaMs)} left`}
          </span>
        </div>
      )}
    </div>
  );
}

/** Goes on with the newest import that can be started again. */
function Resume({ path }: { readonly path: string }) {
  const jobs = useImportJobs();
  const { data } = useAnswer('import.list', { case: path });
  const last = data?.imports.find((one) => one.resumable);
  if (last === undefined) return null;
  return (
    <Button variant="light" onClick={() => jobs.resume(path, last.id)}>
      Resume
    </Button>
  );
}
