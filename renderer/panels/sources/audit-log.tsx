/** The append-only audit log of the case, newest first. */
import { Text } from '@mantine/core';
import { formatCount, useAnswer, useCase, useZone, counted } from '../../panel-api.ts';
import { EventText } from '../../widgets/texts/event-text.tsx';
import { Loading } from '../../widgets/loading.tsx';
import { Problem } from '../../widgets/problem.tsx';
import table from '../../widgets/result-table.module.css';
import { TimeText } from '../../widgets/texts/time-text.tsx';
import { detailLines } from './detail-text.ts';
import css from './sources.module.css';

const MOST_LINES = 60;

export function AuditLog() {
  const { case: path } = useCase();
  const zone = useZone();
  const { data, error } = useAnswer('case.audit', { case: path });
  if (error !== undefined) return <Problem error={error} title="The audit log cannot be read" />;
  if (data === undefined) return <Loading />;
  return (
    <div className={table['scroll']}>
      <table className={table['table']} aria-label="Audit log">
        <thead>
          <tr>
            <th scope="col">Time</th>
            <th scope="col">What</th>
            <th scope="col">Who</th>
            <th scope="col">Details</th>
          </tr>
        </thead>
        <tbody>
          {data.entries.map((entry, at) => (
            <tr key={data.total - at}>
              <td className="mono" style={{ verticalAlign: 'top' }}>
                <TimeText micros={Date.parse(entry.at) * 1000} digits={0} />
              </td>
              <td style={{ verticalAlign: 'top' }}>{entry.operation}</td>
              <td style={{ verticalAlign: 'top' }}>
                <EventText text={entry.who} max={200} />
              </td>
              <td style={{ maxWidth: 900, whiteSpace: 'normal' }}>
                <pre className={`${css['json']} mono`} tabIndex={0}>
                  {detailLines(entry.detail, zone)
                    .slice(0, MOST_LINES)
                    .map((line, at) => (
                      <div key={at}>
                        <EventText text={line} max={1200} />
                      </div>
                    ))}
                </pre>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {data.total > data.entries.length && (
        <Text size="xs" c="dimmed" p={10}>
          The newest {formatCount(data.entries.length)} of {counted(data.total, 'entry', 'entries')}
          ; the report has all of them.
        </Text>
      )}
    </div>
  );
}
