/** The first events of a source, as the case would have them. */
import { cell, type ColumnBatch } from '../../../../engine/contract/wire/column-batch.ts';
import { EventText } from '../../../widgets/texts/event-text.tsx';
import { KindBadge } from '../../../widgets/kind-badge.tsx';
import { TimeText } from '../../../widgets/texts/time-text.tsx';
import css from '../import.module.css';

const MOST_COLUMNS = 60;

export function RecordsTable({ records }: { readonly records: ColumnBatch }) {
  const columns = records.columns.slice(0, MOST_COLUMNS);
  return (
    <div className={css['records']} tabIndex={0} role="region" aria-label="First records">
      <table>
        <thead>
          <tr>
            {columns.map(({ name }, at) => (
              <th key={at} scope="col">
                <EventText text={name === 'ts' ? 'time' : name.replace(/^attrs\./, '')} max={100} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {Array.from({ length: records.rows }, (_, row) => (
            <tr key={row}>
              {columns.map((column, at) => {
                const value = cell(column, row);
                return (
                  <td key={at} className="mono">
                    {column.name === 'ts' ? (
                      <TimeText micros={typeof value === 'number' ? value : undefined} />
                    ) : column.name === 'kind' ? (
                      <KindBadge kind={String(value)} />
                    ) : (
                      value !== null && <EventText text={String(value)} max={300} />
                    )}
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
