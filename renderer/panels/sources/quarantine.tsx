/** Records that could not be parsed, page by page, with why and their first bytes. */
import { Button, Pagination, SegmentedControl, Text } from '@mantine/core';
import { useState } from 'react';
import type { Result } from '../../../engine/contract/operations.ts';
import {
  formatBytes,
  formatCount,
  nounOf,
  showEvidence,
  useAnswer,
  useCase,
  useEvidenceView,
  useWorkspace,
} from '../../panel-api.ts';
import { Empty } from '../../widgets/empty.tsx';
import { EventText, visibleText } from '../../widgets/texts/event-text.tsx';
import { Loading } from '../../widgets/loading.tsx';
import { Problem } from '../../widgets/problem.tsx';
import table from '../../widgets/result-table.module.css';
import { bytesText, hexLines } from '../../../engine/contract/words/bytes-text.ts';
import css from './sources.module.css';

const PAGE = 100;
/** Of a record's bytes as hex. */
const MOST_HEX = 512;

export function Quarantine() {
  const workspace = useWorkspace();
  const { case: path } = useCase();
  const { quarantine } = useEvidenceView();
  const [page, setPage] = useState(1);
  const [form, setForm] = useState<BytesForm>('text');
  const { data, error, stale } = useAnswer('quarantine.list', {
    case: path,
    offset: (page - 1) * PAGE,
    limit: PAGE,
    ...(quarantine.source === undefined ? {} : { sourceId: quarantine.source }),
    ...(quarantine.import === undefined ? {} : { importId: quarantine.import }),
  });
  if (error !== undefined) return <Problem error={error} title="The quarantine cannot be read" />;
  if (data === undefined) return <Loading />;
  const of = ofText(quarantine);
  const showAll = (
    <Button
      size="compact-xs"
      variant="default"
      onClick={() => showEvidence(workspace, { quarantine: {} })}
    >
      Of all sources
    </Button>
  );
  if (data.total === 0) {
    return (
      <Empty
        title={`No quarantined records ${of}`}
        text="Records that an importer cannot parse are kept here byte for byte, so that nothing is lost silently."
        actions={of === '' ? undefined : showAll}
      />
    );
  }
  return (
    <div className={table['column']}>
      <div className={table['toolbar']}>
        <Text size="sm">
          <b>{formatCount(data.total)}</b> {nounOf(data.total, 'quarantined record')} {of}
        </Text>
        {of !== '' && showAll}
        <span style={{ flex: '1 1 auto' }} />
        <SegmentedControl
          aria-label="Bytes as"
          value={form}
          data={[
            { value: 'text', label: 'Text' },
            { value: 'hex', label: 'Hex' },
          ]}
          onChange={(value) => setForm(value === 'hex' ? 'hex' : 'text')}
        />
        {data.total > PAGE && (
          <Pagination
            size="xs"
            total={Math.ceil(data.total / PAGE)}
            value={page}
            onChange={setPage}
            getControlProps={(control) => ({ 'aria-label': `${control} page` })}
          />
        )}
      </div>
      <div className={`${table['rest']} ${table['scroll']} ${stale ? table['dim'] : ''}`}>
        <Records records={data.records} form={form} />
      </div>
    </div>
  );
}

/** Names the source or import whose records are listed; empty for all. */
function ofText({ source, import: run }: ReturnType<typeof useEvidenceView>['quarantine']): string {
  if (source !== undefined) return `of source ${source}`;
  return run === undefined ? '' : `of import ${run}`;
}

type Quarantined = Result<'quarantine.list'>['records'][number];
/** How their bytes are shown. */
type BytesForm = 'text' | 'hex';

function Records({
  records,
  form,
}: {
  readonly records: readonly Quarantined[];
  readonly form: BytesForm;
}) {
  return (
    <table className={table['table']} aria-label="Quarantined records">
      <thead>
        <tr>
          <th scope="col">Why</th>
          <th scope="col">Source</th>
          <th scope="col" className={table['number']}>
            Line
          </th>
          <th scope="col" className={table['number']}>
            Byte
          </th>
          <th scope="col">Record</th>
        </tr>
      </thead>
      <tbody>
        {records.map((record) => (
          <Row
            key={`${record.importId}/${record.source}/${record.offset}`}
            record={record}
            form={form}
          />
        ))}
      </tbody>
    </table>
  );
}

function Row({ record, form }: { readonly record: Quarantined; readonly form: BytesForm }) {
  return (
    <tr>
      <td style={{ whiteSpace: 'normal', minWidth: 180, verticalAlign: 'top' }}>
        <EventText text={record.reason} max={400} />
      </td>
      <td style={{ verticalAlign: 'top' }} title={visibleText(record.source)}>
        <EventText text={record.source} max={200} />
      </td>
      <td className={table['number']} style={{ verticalAlign: 'top' }}>
        {record.line === undefined ? '' : formatCount(record.line)}
      </td>
      <td className={table['number']} style={{ verticalAlign: 'top' }}>
        {formatCount(record.offset)}
      </td>
      <td style={{ maxWidth: 760 }}>
        <pre className={`${css['raw']} mono`}>
          {form === 'hex' ? (
            hexLines(record.raw.subarray(0, MOST_HEX)).join('\n')
          ) : (
            <EventText text={bytesText(record.raw)} max={4096} />
          )}
        </pre>
        {record.size > record.raw.length && (
          <Text size="xs" c="dimmed">
            the first {formatBytes(record.raw.length)} of {formatBytes(record.size)}
          </Text>
        )}
      </td>
    </tr>
  );
}
