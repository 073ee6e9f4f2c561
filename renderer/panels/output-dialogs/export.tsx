/**
 * Exports what the view finds, in its order: events as shown or with every field, or the table that answers the
 * query.
 */
import { Button, Modal, NumberInput, SegmentedControl, Text } from '@mantine/core';
import { useState } from 'react';
import {
  saveFile,
  useCase,
  useParsedQuery,
  useQuestion,
  useResultList,
  useSession,
  useView,
  useWorkspace,
  counted,
} from '../../panel-api.ts';
import { EventText } from '../../widgets/texts/event-text.tsx';
import { useEventColumns } from '../../widgets/event-columns.ts';
import form from '../../widgets/inputs/form.module.css';
import { Form } from '../../widgets/inputs/form.tsx';
import { hiddenPackets } from '../../widgets/texts/hidden-packets.ts';
import { Outcome } from './outcome.tsx';
import { WritingActions } from './writing-actions.tsx';
import { useWriting } from './written.ts';

const FORMATS = {
  csv: {
    label: 'CSV',
    type: 'text/csv',
    note: 'For spreadsheets; formulas are neutralised.',
  },
  ndjson: {
    label: 'NDJSON',
    type: 'application/x-ndjson',
    note: 'One JSON object per line; numbers stay numbers.',
  },
  parquet: {
    label: 'Parquet',
    type: 'application/vnd.apache.parquet',
    note: 'Typed columns for analysis tools.',
  },
} as const;
type Format = keyof typeof FORMATS;
const NAMES: readonly Format[] = ['csv', 'ndjson', 'parquet'];

export function ExportDialog() {
  const workspace = useWorkspace();
  const info = useCase();
  const view = useView();
  const question = useQuestion();
  const { opened } = useResultList();
  const { shown } = useEventColumns();
  const [format, setFormat] = useState<Format>('csv');
  const [columns, setColumns] = useState<Columns>('shown');
  const [limit, setLimit] = useState<number>();
  const writing = useWriting();
  // Columns hidden for lack of room are not exported either.
  const chosen = useSession((session) => session.shownColumns) ?? shown;
  const { label, type } = FORMATS[format];
  const shape = useParsedQuery(view.query)?.shape ?? 'rows';
  const isTable = shape !== 'rows';
  const fields = isTable || columns === 'all' ? undefined : [...chosen];
  const sort = isTable ? undefined : view.sort;

  const start = (): void =>
    writing.start((signal, onPart) =>
      saveFile(
        `${info.name.replace(/[^\w.-]+/g, '-')}-${isTable ? 'answer' : 'events'}.${format}`,
        [{ name: label, extensions: [format] }],
        type,
        (path, onPiece) =>
          workspace.connection.call(
            'export.rows',
            {
              ...question,
              format,
              ...{ sort, fields, limit },
              ...(path === undefined ? {} : { path }),
            },
            {
              signal,
              onPart: (part) => {
                onPiece(part);
                const total = isTable ? undefined : opened?.total;
                onPart({ of: Math.min(total ?? Infinity, limit ?? Infinity), ...part });
              },
            },
          ),
      ),
    );
  return (
    <Modal
      opened
      onClose={workspace.dialogs.close}
      title={isTable ? 'Export the answer' : 'Export events'}
      size="md"
    >
      <Form onSubmit={start}>
        {isTable ? <WhichAnswer /> : <WhichEvents />}
        <FormatChoice format={format} onFormat={setFormat} />
        {!isTable && <ColumnsChoice columns={columns} onColumns={setColumns} shown={chosen} />}
        <NumberInput
          label="Row limit"
          placeholder="all"
          min={1}
          thousandSeparator=","
          value={limit ?? ''}
          onChange={(value) => setLimit(typeof value === 'number' ? value : undefined)}
        />
        <Outcome writing={writing} label="The export" />
        <WritingActions writing={writing} cancel="Cancel the export">
          <Button type="submit" data-autofocus loading={writing.running}>
            Export
          </Button>
        </WritingActions>
      </Form>
    </Modal>
  );
}

function FormatChoice({
  format,
  onFormat,
}: {
  readonly format: Format;
  readonly onFormat: (format: Format) => void;
}) {
  return (
    <div className={form['tight']}>
      <SegmentedControl
        aria-label="Format"
        value={format}
        data={NAMES.map((value) => ({ value, label: FORMATS[value].label }))}
        onChange={(value) => onFormat(NAMES.find((one) => one === value) ?? 'csv')}
      />
      <Text size="xs" c="dimmed">
        {FORMATS[format].note}
      </Text>
    </div>
  );
}

type Columns = 'shown' | 'all';

function ColumnsChoice({
  columns,
  onColumns,
  shown,
}: {
  readonly columns: Columns;
  readonly onColumns: (columns: Columns) => void;
  readonly shown: readonly string[];
}) {
  return (
    <div className={form['tight']}>
      <SegmentedControl
        aria-label="Columns"
        value={columns}
        data={[
          { value: 'shown', label: 'Columns as shown' },
          { value: 'all', label: 'Every field' },
        ]}
        onChange={(value) => onColumns(value === 'all' ? 'all' : 'shown')}
      />
      <Text size="xs" c="dimmed" className="mono">
        {columns === 'shown' ? shown.join(', ') : 'every field that any of these events has'}
      </Text>
    </div>
  );
}

function Query() {
  const { query } = useView();
  return (
    <span className="mono">
      <EventText text={query} max={300} />
    </span>
  );
}

function GivenList() {
  const { list } = useView();
  if (list === undefined) return undefined;
  return (
    <>
      {' '}
      and the list <EventText text={list.name} max={100} />
    </>
  );
}

function WhichAnswer() {
  return (
    <Text size="sm">
      The table that answers <Query />
      <GivenList />
    </Text>
  );
}

function WhichEvents() {
  const { query } = useView();
  const { opened } = useResultList();
  const hidden = hiddenPackets(opened);
  return (
    <Text size="sm">
      {opened === undefined ? 'The events found' : <b>{counted(opened.total, 'event')}</b>}{' '}
      {query.trim() === '' ? (
        'without a filter'
      ) : (
        <>
          matching <Query />
        </>
      )}
      <GivenList />
      {hidden !== undefined && (
        <>
          ; not included: {hidden} (<span className="mono">kind:*</span> adds them)
        </>
      )}
    </Text>
  );
}
