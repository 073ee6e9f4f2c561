/** Progress of writing a file, or its result: size, hash, path. */
import { Alert, Button, Progress } from '@mantine/core';
import { IconCheck } from '@tabler/icons-react';
import { Fragment } from 'react';
import { formatBytes, formatCount, useWorkspace, nounOf } from '../../panel-api.ts';
import { CopiedHash } from '../../widgets/sources/copied-hash.tsx';
import { EventText } from '../../widgets/texts/event-text.tsx';
import form from '../../widgets/inputs/form.module.css';
import { Problem } from '../../widgets/problem.tsx';
import type { Writing, WrittenFile } from './written.ts';

interface Props {
  readonly writing: Writing;
  readonly label: string;
  /** Unit of the progress. */
  readonly unit?: 'row' | 'event';
  /** State after a cancellation, in words. */
  readonly cancelledText?: string;
}

export function Outcome({
  writing,
  label,
  unit = 'row',
  cancelledText = 'Cancelled: no file was written.',
}: Props) {
  const { running, done, written, error, cancelled } = writing;
  if (running) return <Running done={done} label={label} unit={unit} />;
  if (error !== undefined)
    return <Problem margin={0} error={error} title={`${label} was not written`} />;
  if (cancelled) {
    return (
      <div role="status" className={form['muted']}>
        {cancelledText}
      </div>
    );
  }
  if (written === undefined) return null;
  return <Written written={written} label={label} unit={unit} />;
}

interface Words {
  readonly label: string;
  readonly unit: 'row' | 'event';
}

function Running({ done, label, unit }: Words & Pick<Writing, 'done'>) {
  const share = done?.of === undefined || done.of === 0 ? undefined : done.done / done.of;
  return (
    <div role="status">
      <Progress
        aria-label={`${label}: progress`}
        value={share === undefined ? 100 : share * 100}
        animated
        size="sm"
      />
      <div className={form['muted']}>
        {done === undefined
          ? 'Writing…'
          : `${formatCount(done.done)}${done.of === undefined ? '' : ` of ${formatCount(done.of)}`} ${nounOf(done.of ?? done.done, unit)}`}
      </div>
    </div>
  );
}

function Written({ written, label, unit }: Words & { readonly written: WrittenFile }) {
  const { shell } = useWorkspace();
  const { path, rows, facts = [] } = written;
  return (
    <Alert
      role="status"
      variant="default"
      icon={<IconCheck size={18} color="var(--db-ok)" aria-hidden />}
      title={`${label} is written`}
    >
      <dl className={form['facts']}>
        {rows !== undefined && (
          <>
            <dt>{unit === 'row' ? 'Rows' : 'Events'}</dt>
            <dd>{formatCount(rows)}</dd>
          </>
        )}
        <dt>Size</dt>
        <dd>{formatBytes(written.bytes)}</dd>
        <dt>SHA-256</dt>
        <dd>
          <CopiedHash hash={written.sha256} />
        </dd>
        {path !== undefined && (
          <>
            <dt>{unit === 'row' ? 'File' : 'Folder'}</dt>
            <dd className="mono">
              <EventText text={path} />{' '}
              {shell !== undefined && (
                <Button size="compact-xs" variant="default" onClick={() => shell.showFile(path)}>
                  Show
                </Button>
              )}
            </dd>
          </>
        )}
        {facts.map(([name, text]) => (
          <Fragment key={name}>
            <dt>{name}</dt>
            <dd>
              <EventText text={text} />
            </dd>
          </Fragment>
        ))}
      </dl>
    </Alert>
  );
}
