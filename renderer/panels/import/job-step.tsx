/** The import while it runs, and its ledger when it has ended. */
import { Alert, Badge, Button, Progress, Text } from '@mantine/core';
import { IconAlertTriangle, IconCircleCheck, IconPlayerPause } from '@tabler/icons-react';
import {
  ALL,
  counted,
  formatBytes,
  formatCount,
  formatMs,
  isRunning,
  showEvidence,
  useAnswer,
  useImportJobs,
  useWorkspace,
  type ImportJob,
  type SourceReport,
} from '../../panel-api.ts';
import { describeDecisions } from '../../../engine/contract/decisions.ts';
import { EventText, visibleText } from '../../widgets/event-text.tsx';
import form from '../../widgets/form.module.css';
import { decisionLine } from '../../widgets/fact-text.ts';
import { formatName } from '../../widgets/format-name.ts';
import { addCounts, eventsOf } from '../../widgets/ledger-sum.ts';
import { Ledger } from '../../widgets/ledger.tsx';
import { Problem } from '../../widgets/problem.tsx';
import { Overlaps } from '../../widgets/overlaps.tsx';
import { SourceName } from '../../widgets/source-name.tsx';
import css from './import.module.css';

interface Props {
  readonly path: string;
  readonly job: ImportJob;
  /** Closes the dialog; a job that has ended is forgotten then. */
  readonly onClose: () => void;
}

const MOST_SHOWN = 400;
/** Of each manifest. */
const MOST_DIFFERING = 20;
const NOT_WHOLE: ReadonlySet<string> = new Set(['failed', 'damaged', 'partial']);

export function JobStep({ path, job, onClose }: Props) {
  const workspace = useWorkspace();
  const jobs = useImportJobs();
  const running = isRunning(job);
  // A window that looked on later has not heard of every source: the case's own ledger has them.
  const stopped = useAnswer(
    'import.list',
    running || job.report !== undefined ? undefined : { case: path },
  ).data?.imports[0];
  const total = job.report?.total ?? addCounts(stopped?.ledger ?? job.sources);
  const importId = job.report?.importId ?? stopped?.id;
  const leftOut = job.sources.filter(({ status }) => status === 'ignored').length;
  const unread = job.sources.filter(({ status }) => NOT_WHOLE.has(status)).length;
  const manifests = job.report?.manifests ?? [];
  const differing = manifests.reduce((sum, { differ }) => sum + differ.count, 0);
  const needsLook = leftOut + unread + total.quarantined + differing > 0;
  const stored = total.stored;
  const derived = eventsOf(job.report?.total.byKind ?? {}) - stored;
  const showQuarantine = (which: { source?: number; import?: number }): void => {
    showEvidence(workspace, { section: 'quarantine', quarantine: which });
    onClose();
  };
  const showEvents = (): void => {
    workspace.views.show({ ...ALL, tab: 'events' });
    onClose();
  };
  return (
    <div className={form['stack']}>
      {running && <Running job={job} />}
      {job.state === 'complete' && job.report !== undefined && (
        <div role="status">
          <div className={css['progressLine']}>
            {needsLook ? (
              <IconAlertTriangle size={20} color="var(--db-warn)" aria-hidden />
            ) : (
              <IconCircleCheck size={20} color="var(--db-ok)" aria-hidden />
            )}
            <span className={css['big']} style={{ color: 'var(--db-text)' }}>
              {counted(eventsOf(job.report.total.byKind), 'event')}
            </span>
            <span>
              from {counted(job.report.total.sources, 'source')},{' '}
              {formatBytes(job.report.total.bytes)} in {formatMs(job.report.elapsedMs)}
            </span>
            {derived > 0 && (
              <span title="Flows and protocol events are made from the packets of captures; they are not records of the evidence">
                {counted(stored, 'record')} + {counted(derived, 'event')} derived
              </span>
            )}
            <span>
              {Object.entries(job.report.total.byKind)
                .map(([kind, n]) => `${formatCount(n)} ${kind}`)
                .join(' · ')}
            </span>
            {unread > 0 && (
              <span className={css['warn']}>
                {counted(unread, 'source was', 'sources were')} not read to the end
              </span>
            )}
            {leftOut > 0 && (
              <span className={css['warn']}>
                {counted(leftOut, 'file was', 'files were')} left out
              </span>
            )}
          </div>
        </div>
      )}
      {differing > 0 && (
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
      )}
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
        <Problem error={job.error} title="The import stopped" />
      )}
      {!running && total.read > 0 && (
        <div>
          <Ledger
            bar
            counts={total}
            onQuarantine={() => showQuarantine(importId === undefined ? {} : { import: importId })}
          />
        </div>
      )}
      {job.messages.length > 0 && (
        <ul className={css['list']}>
          {job.messages.map((message, at) => (
            <li key={at}>
              <EventText text={message} max={500} />
            </li>
          ))}
        </ul>
      )}
      {job.sources.length > 0 && (
        <SourceTable sources={job.sources} onQuarantine={(source) => showQuarantine({ source })} />
      )}
      {job.report !== undefined && (
        <Overlaps
          path={path}
          sources={new Set(job.report.sources.flatMap(({ sourceId }) => sourceId ?? []))}
          heading={css['heading']}
        />
      )}
      <div className={form['actions']}>
        {running ? (
          <>
            <Text size="xs" c="dimmed" className={form['grow']}>
              What has been read can be searched while the import continues. Cancelling keeps what
              has been committed.
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
          </>
        ) : (
          <>
            <Button variant="default" onClick={onClose}>
              Close
            </Button>
            {total.quarantined > 0 && (
              <Button
                variant="default"
                onClick={() => showQuarantine(importId === undefined ? {} : { import: importId })}
              >
                Show quarantined records
              </Button>
            )}
            {job.state !== 'complete' && <Resume path={path} />}
            <Button data-autofocus onClick={showEvents}>
              Show events
            </Button>
          </>
        )}
      </div>
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
      ? 'Stopping at the end of this chunk…'
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
                : `about ${roughly(progress.etaMs)} left`}
          </span>
        </div>
      )}
    </div>
  );
}

/** `8 s`, `3 min`: no closer than it is known. */
function roughly(ms: number): string {
  const seconds = Math.max(1, Math.round(ms / 1000));
  return seconds < 90 ? `${seconds} s` : `${Math.round(seconds / 60)} min`;
}

const STATUS: Readonly<Record<SourceReport['status'], { color: string; label: string }>> = {
  complete: { color: 'teal', label: 'read' },
  partial: { color: 'orange', label: 'partial' },
  damaged: { color: 'red', label: 'damaged' },
  duplicate: { color: 'blue', label: 'already in the case' },
  failed: { color: 'red', label: 'failed' },
  ignored: { color: 'gray', label: 'left out' },
};

function SourceTable({
  sources,
  onQuarantine,
}: {
  readonly sources: readonly SourceReport[];
  readonly onQuarantine: (source: number) => void;
}) {
  // What needs a look stands first.
  const rank = (one: SourceReport): number =>
    one.status === 'failed' || one.status === 'damaged' || one.status === 'partial'
      ? 0
      : one.quarantined > 0
        ? 1
        : one.status === 'complete'
          ? 2
          : 3;
  const ordered = [...sources].sort((a, b) => rank(a) - rank(b));
  return (
    <div
      className={css['frame']}
      style={{ maxHeight: '44vh' }}
      tabIndex={0}
      role="region"
      aria-label="Sources of the import"
    >
      <table className={css['table']}>
        <thead>
          <tr>
            <th scope="col">Source</th>
            <th scope="col">Format</th>
            <th scope="col">Ledger</th>
            <th scope="col">Decisions and notes</th>
          </tr>
        </thead>
        <tbody>
          {ordered.slice(0, MOST_SHOWN).map((one, at) => (
            <tr key={at}>
              <td>
                <div className={css['source']}>
                  <span className={css['sourceName']} title={visibleText(one.source)}>
                    <SourceName name={one.source} />
                  </span>
                </div>
                {one.status !== 'complete' && (
                  <Badge color={STATUS[one.status].color}>{STATUS[one.status].label}</Badge>
                )}{' '}
                <Text span size="xs" c="dimmed">
                  {one.status === 'ignored' ? '' : formatBytes(one.bytes)}
                </Text>
              </td>
              <td className={css['nowrap']}>
                {one.format === undefined ? '' : formatName(one.format, one.dialect)}
              </td>
              <td>
                {one.message !== undefined && (
                  <div
                    className={
                      one.status === 'failed' || one.status === 'damaged'
                        ? css['bad']
                        : form['muted']
                    }
                  >
                    <EventText text={one.message} max={500} />
                  </div>
                )}
                {one.read > 0 && (
                  <Ledger
                    brief
                    counts={one}
                    onQuarantine={
                      one.sourceId === undefined
                        ? undefined
                        : () => one.sourceId !== undefined && onQuarantine(one.sourceId)
                    }
                  />
                )}
                {Object.entries(one.skippedReasons).map(([reason, n]) => (
                  <div key={reason} className={form['muted']}>
                    {formatCount(n)} skipped: <EventText text={reason} max={200} />
                  </div>
                ))}
              </td>
              <td>
                {describeDecisions(one.decisions)
                  .filter(({ name }) => name !== 'mapping')
                  .map((decision) => (
                    <div key={decision.name}>
                      <EventText text={decisionLine(decision)} max={300} />
                    </div>
                  ))}
                {notesOf(one).map((note) => (
                  <div key={note} className={form['muted']}>
                    <EventText text={note} max={400} />
                  </div>
                ))}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {ordered.length > MOST_SHOWN && (
        <Text size="xs" c="dimmed" p={8}>
          {formatCount(ordered.length - MOST_SHOWN)} more are in Sources &amp; imports.
        </Text>
      )}
    </div>
  );
}

/** Why a source was not read to its end is said beside its ledger. */
function notesOf({ notes, message }: SourceReport): readonly string[] {
  return message === undefined ? notes : notes.filter((note) => !message.startsWith(note));
}

/** Goes on with the newest import that can be told again. */
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
