/** Every import with its ledger, newest first; those that were cut short can be resumed. */
import { Badge, Button, Text } from '@mantine/core';
import { useState } from 'react';
import {
  formatCount,
  formatMs,
  isRunning,
  showEvidence,
  useAnswer,
  useCase,
  useImportJob,
  useImportJobs,
  useWorkspace,
  counted,
} from '../../panel-api.ts';
import type { Result } from '../../../engine/contract/operations.ts';
import { Empty } from '../../widgets/empty.tsx';
import { EventText, visibleText } from '../../widgets/texts/event-text.tsx';
import { addCounts } from '../../widgets/sources/ledger-sum.ts';
import { Ledger } from '../../widgets/sources/ledger.tsx';
import { notRead, problemsFirst, readStatus } from '../../widgets/sources/read-status.ts';
import { Loading } from '../../widgets/loading.tsx';
import { Problem } from '../../widgets/problem.tsx';
import table from '../../widgets/result-table.module.css';
import { TimeText } from '../../widgets/texts/time-text.tsx';
import css from './sources.module.css';

type Import = Result<'import.list'>['imports'][number];

const COLORS: Readonly<Record<Import['status'], string>> = {
  running: 'blue',
  complete: 'teal',
  cancelled: 'orange',
  failed: 'red',
  interrupted: 'orange',
};
const MOST_ROWS = 500;
const MOST_PATHS = 3;

export function ImportList() {
  const { case: path } = useCase();
  const { data, error } = useAnswer('import.list', { case: path });
  if (error !== undefined) return <Problem error={error} title="The imports cannot be listed" />;
  if (data === undefined) return <Loading />;
  if (data.imports.length === 0) {
    return (
      <Empty
        title="Nothing has been imported yet"
        text="Each import is kept here with its ledger."
      />
    );
  }
  return (
    <div className={table['scroll']}>
      {data.imports.map((one) => (
        <ImportEntry key={one.id} entry={one} path={path} />
      ))}
    </div>
  );
}

function ImportEntry({ entry, path }: { readonly entry: Import; readonly path: string }) {
  const workspace = useWorkspace();
  const jobs = useImportJobs();
  const running = isRunning(useImportJob(path));
  const [open, setOpen] = useState(false);
  const total = addCounts(entry.ledger);
  const { unread, leftOut } = notRead(entry.ledger);
  const started = Date.parse(entry.startedAt);
  return (
    <section className={css['import']} aria-label={`Import ${entry.id}`}>
      <div className={css['importHead']}>
        <b>Import {entry.id}</b>
        <Badge color={COLORS[entry.status]}>{entry.status}</Badge>
        <span>
          <TimeText micros={started * 1000} digits={0} />
        </span>
        {entry.finishedAt !== undefined && (
          <Text span size="xs" c="dimmed">
            {formatMs(Date.parse(entry.finishedAt) - started)}
          </Text>
        )}
        {unread > 0 && (
          <span className={css['warn']}>{formatCount(unread)} not read to the end</span>
        )}
        {leftOut > 0 && <span className={css['warn']}>{formatCount(leftOut)} left out</span>}
        <span style={{ flex: '1 1 auto' }} />
        {entry.status === 'running' && running && (
          <Button
            size="compact-xs"
            variant="default"
            onClick={() => workspace.dialogs.open({ dialog: 'import' })}
          >
            Show progress
          </Button>
        )}
        {entry.resumable && (
          <Button
            size="compact-xs"
            disabled={running}
            onClick={() => {
              jobs.resume(path, entry.id);
              workspace.dialogs.open({ dialog: 'import' });
            }}
          >
            Resume
          </Button>
        )}
        {entry.ledger.length > 0 && (
          <Button
            size="compact-xs"
            variant="default"
            aria-expanded={open}
            onClick={() => setOpen(!open)}
          >
            {open ? 'Hide' : 'Show'} {counted(entry.ledger.length, 'source')}
          </Button>
        )}
      </div>
      <Ledger
        bar
        counts={total}
        onQuarantine={() =>
          showEvidence(workspace, { section: 'quarantine', quarantine: { import: entry.id } })
        }
      />
      <Paths paths={pathsOf(entry.arguments)} />
      {open && <Rows ledger={entry.ledger} />}
    </section>
  );
}

function Rows({ ledger }: { readonly ledger: Import['ledger'] }) {
  return (
    <table className={table['table']}>
      <thead>
        <tr>
          <th scope="col">Source</th>
          <th scope="col">State</th>
          <th scope="col">Ledger</th>
        </tr>
      </thead>
      <tbody>
        {problemsFirst(ledger)
          .slice(0, MOST_ROWS)
          .map((row) => (
            <tr key={row.ordinal}>
              <td title={visibleText(row.name)}>
                <EventText text={row.name} max={300} />
              </td>
              <td>{readStatus(row.status).label}</td>
              <td>
                {row.message !== undefined && (
                  <>
                    <EventText text={row.message} max={300} />{' '}
                  </>
                )}
                {row.read > 0 && <Ledger brief counts={row} />}
              </td>
            </tr>
          ))}
      </tbody>
    </table>
  );
}

/** The first paths; the ledger names every file. */
function Paths({ paths }: { readonly paths: readonly string[] }) {
  return (
    <Text size="xs" c="dimmed" className="mono">
      {paths.slice(0, MOST_PATHS).map((one) => (
        <div key={one} className={css['path']}>
          <EventText text={one} max={1000} />
        </div>
      ))}
      {paths.length > MOST_PATHS && `and ${formatCount(paths.length - MOST_PATHS)} more`}
    </Text>
  );
}

/** Paths of an import, from its recorded arguments. */
function pathsOf(kept: Readonly<Record<string, unknown>>): string[] {
  const items: unknown = kept['items'];
  if (!Array.isArray(items)) return [];
  return items.flatMap((item: unknown) =>
    typeof item === 'object' && item !== null && 'path' in item && typeof item.path === 'string'
      ? [item.path]
      : [],
  );
}
