/** Sources of an import with their ledgers, decisions and notes, those that need a look first. */
import { Badge, Text } from '@mantine/core';
import { describeDecisions } from '../../../engine/contract/time/decisions.ts';
import { formatBytes, formatCount, type SourceReport } from '../../panel-api.ts';
import { EventText, visibleText } from '../../widgets/texts/event-text.tsx';
import { decisionLine } from '../../widgets/texts/fact-text.ts';
import form from '../../widgets/inputs/form.module.css';
import { formatName } from '../../widgets/texts/format-name.ts';
import { Ledger } from '../../widgets/sources/ledger.tsx';
import { problemsFirst, readStatus } from '../../widgets/sources/read-status.ts';
import { SourceName } from '../../widgets/sources/source-name.tsx';
import { inWindow } from '../../widgets/texts/window-words.ts';
import css from './import.module.css';

const MOST_SHOWN = 400;
export function ReportTable({
  sources,
  onQuarantine,
}: {
  readonly sources: readonly SourceReport[];
  readonly onQuarantine: (source: number) => void;
}) {
  const ordered = problemsFirst(sources);
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
            <SourceRow key={at} report={one} onQuarantine={onQuarantine} />
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

function SourceRow({
  report,
  onQuarantine,
}: {
  readonly report: SourceReport;
  readonly onQuarantine: (source: number) => void;
}) {
  const { sourceId, status, message } = report;
  const state = readStatus(status);
  const isBad = status === 'failed' || status === 'damaged';
  return (
    <tr>
      <td>
        <div className={css['source']}>
          <span className={css['sourceName']} title={visibleText(report.source)}>
            <SourceName name={report.source} />
          </span>
        </div>
        {status !== 'complete' && <Badge color={state.color}>{state.label}</Badge>}{' '}
        <Text span size="xs" c="dimmed">
          {status === 'ignored' ? '' : formatBytes(report.bytes)}
        </Text>
      </td>
      <td className={css['nowrap']}>
        {report.format === undefined ? '' : formatName(report.format, report.dialect)}
      </td>
      <td>
        {message !== undefined && (
          <div className={isBad ? css['bad'] : form['muted']}>
            <EventText text={inWindow(message)} max={500} />
          </div>
        )}
        {report.read > 0 && (
          <Ledger
            brief
            counts={report}
            onQuarantine={sourceId === undefined ? undefined : () => onQuarantine(sourceId)}
          />
        )}
        {Object.entries(report.skippedReasons).map(([reason, n]) => (
          <div key={reason} className={form['muted']}>
            {formatCount(n)} skipped: <EventText text={inWindow(reason)} max={200} />
          </div>
        ))}
      </td>
      <td>
        {describeDecisions(report.decisions)
          .filter(({ name }) => name !== 'mapping')
          .map((decision) => (
            <div key={decision.name}>
              <EventText text={decisionLine(decision)} max={300} />
            </div>
          ))}
        {notesOf(report).map((note) => (
          <div key={note} className={form['muted']}>
            <EventText text={inWindow(note)} max={400} />
          </div>
        ))}
      </td>
    </tr>
  );
}

/** The reason why a source was not read to its end is shown next to its ledger. */
function notesOf({ notes, message }: SourceReport): readonly string[] {
  return message === undefined ? notes : notes.filter((note) => !message.startsWith(note));
}
