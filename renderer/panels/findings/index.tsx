/** Findings: tags and notes in the order of the report, with how bad each is, and the colour of a tag. */
import { Button, NativeSelect, SegmentedControl, Tooltip } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { arrangedFindings, SEVERITIES } from '../../../engine/contract/findings.ts';
import {
  counted,
  formatCount,
  notifyError,
  useAnswer,
  useCase,
  useRefusal,
  useWorkspace,
} from '../../panel-api.ts';
import {
  ColumnWidths,
  figuresWidth,
  leastWidth,
  numberWidth,
} from '../../widgets/column-widths.tsx';
import { Empty } from '../../widgets/empty.tsx';
import { Loading } from '../../widgets/loading.tsx';
import { Problem } from '../../widgets/problem.tsx';
import table from '../../widgets/result-table.module.css';
import css from './findings.module.css';
import { FindingRow, type Finding } from './row.tsx';

/** Rows that are shown until the user asks for more. */
const SHOWN = 200;
/** Widths of the columns, in pixels. */
const MOVERS = 80;
const SEVERITY = 112;
const COLOR = 100;
const TIME = 164;
const ALL = '';

export function FindingsPanel() {
  const { connection, dialogs } = useWorkspace();
  const { case: path, readOnly: isReadOnly } = useCase();
  const [noOrder, noReport] = [useRefusal('finding.set'), useRefusal('report.write')];
  const readOnly = isReadOnly || noOrder !== undefined;
  const orders = [
    { value: 'place', label: noReport === undefined ? 'Order of the report' : 'Chosen order' },
    { value: 'severity', label: 'Most severe first' },
  ];
  const [least, setLeast] = useState<string>(ALL);
  const [order, setOrder] = useState<'place' | 'severity'>('place');
  const { data, error } = useAnswer('finding.list', { case: path });
  const findings = data?.findings ?? [];
  const severity = SEVERITIES.find((one) => one === least);
  const shown = arrangedFindings(findings, severity, order);
  const reset = (): void => {
    connection
      .call('finding.reset-order', { case: path })
      .catch((problem: unknown) => notifyError(problem, 'The order was not changed'));
  };
  return (
    <div className={table['column']}>
      <div className={table['toolbar']}>
        <LeastSeverity least={least} onLeast={setLeast} />
        <SegmentedControl
          aria-label="Order of the list"
          data={orders}
          value={order}
          onChange={(next) => setOrder(next === 'severity' ? next : 'place')}
        />
        <Tooltip
          label={
            noOrder ??
            `Undoes every move: the most severe come first again, ${noReport === undefined ? 'in the report as well' : 'for everybody'}`
          }
        >
          <Button variant="default" disabled={readOnly || findings.length < 2} onClick={reset}>
            Reset order
          </Button>
        </Tooltip>
        <Button
          variant="default"
          disabled={noReport !== undefined}
          title={noReport}
          onClick={() => dialogs.open({ dialog: 'report' })}
        >
          Write a report…
        </Button>
        {data !== undefined && (
          <span className={css['summary']}>
            {shown.length < findings.length && `${formatCount(shown.length)} of `}
            {counted(findings.length, 'finding')}
          </span>
        )}
      </div>
      <div className={table['rest']}>
        {error !== undefined ? (
          <Problem title="The findings cannot be shown" error={error} />
        ) : data === undefined ? (
          <Loading />
        ) : findings.length === 0 ? (
          <Empty
            title="No findings"
            text={`Tag events (T), or write a note on one in its details. Each tag and each note is a finding${noReport === undefined ? ', and appears in the report' : ''}.`}
          />
        ) : shown.length === 0 ? (
          <Empty title="No finding is that severe" />
        ) : (
          <FindingTable shown={shown} canMove={!readOnly && order === 'place'} />
        )}
      </div>
    </div>
  );
}

function LeastSeverity({
  least,
  onLeast,
}: {
  readonly least: string;
  readonly onLeast: (least: string) => void;
}) {
  return (
    <NativeSelect
      size="xs"
      aria-label="Which severities"
      data={[
        { value: ALL, label: 'All severities' },
        ...SEVERITIES.map((value) => ({
          value,
          label: value === 'critical' ? value : `${value} or more severe`,
        })),
      ]}
      value={least}
      onChange={({ currentTarget }) => onLeast(currentTarget.value)}
    />
  );
}

/** Moves findings, and keeps the focus on the button that was used. */
function useMoves(shown: readonly Finding[]) {
  const { connection } = useWorkspace();
  const { case: path } = useCase();
  const body = useRef<HTMLTableSectionElement>(null);
  const moving = useRef<{ readonly key: string; readonly by: string; readonly place: number }>(
    undefined,
  );
  // A row that changes its place loses the focus: the button that moved it has it again.
  useEffect(() => {
    const asked = moving.current;
    if (asked === undefined) return;
    const { key, by, place } = asked;
    if (shown.some((one) => keyOf(one) === key && one.place !== place)) return;
    moving.current = undefined;
    const row = [...(body.current?.rows ?? [])].find(({ dataset }) => dataset['key'] === key);
    const button =
      row?.querySelector<HTMLButtonElement>(`button[data-move="${by}"]:not(:disabled)`) ??
      row?.querySelector<HTMLButtonElement>('button[data-move]:not(:disabled)');
    if (document.activeElement === document.body) button?.focus();
  }, [shown]);
  /** To the position of the previous or next shown finding, skipping filtered ones. */
  const move = (at: number, by: 'up' | 'down'): void => {
    const one = shown[at];
    const other = shown[by === 'up' ? at - 1 : at + 1];
    if (one === undefined || other === undefined) return;
    const asked = { key: keyOf(one), by, place: other.place };
    moving.current = asked;
    connection
      .call('finding.set', { case: path, finding: nameOf(one), place: other.place })
      .catch((error: unknown) => {
        if (moving.current === asked) moving.current = undefined;
        notifyError(error, 'The finding was not moved');
      });
  };
  return { body, move };
}

/** @param canMove whether the order shown is that of the report, and may be changed */
function FindingTable({
  shown,
  canMove,
}: {
  readonly shown: readonly Finding[];
  readonly canMove: boolean;
}) {
  const { connection } = useWorkspace();
  const { case: path, readOnly: isReadOnly } = useCase();
  const readOnly = useRefusal('finding.set') !== undefined || isReadOnly;
  const [most, setMost] = useState(SHOWN);
  const { body, move } = useMoves(shown);
  const counts = shown.map((one) => (one.kind === 'tag' ? formatCount(one.count) : ''));
  const widths = [
    MOVERS + figuresWidth(['000', ...shown.map(({ place }) => formatCount(place))]),
    ...[SEVERITY, undefined, COLOR],
    numberWidth(['events', ...counts]),
    TIME,
  ];
  return (
    <div className={table['scroll']}>
      <table
        className={`${table['table']} ${css['table']}`}
        style={{ minWidth: leastWidth(widths) }}
      >
        <ColumnWidths widths={widths} />
        <thead>
          <tr>
            <th className={table['number']}>Place</th>
            <th>Severity</th>
            <th>Finding</th>
            <th>Colour</th>
            <th className={table['number']}>Events</th>
            <th>Time</th>
          </tr>
        </thead>
        <tbody ref={body}>
          {shown.slice(0, most).map((one, at) => (
            <FindingRow
              key={keyOf(one)}
              id={keyOf(one)}
              finding={one}
              readOnly={readOnly}
              canMoveUp={canMove && at > 0}
              canMoveDown={canMove && at < shown.length - 1}
              onMove={(by) => move(at, by)}
              onChange={(change) =>
                connection.call('finding.set', { case: path, finding: nameOf(one), ...change })
              }
            />
          ))}
        </tbody>
      </table>
      {shown.length > most && (
        <Button variant="subtle" size="compact-xs" m={8} onClick={() => setMost(most + SHOWN)}>
          {formatCount(shown.length - most)} more
        </Button>
      )}
    </div>
  );
}

function nameOf(one: Finding): { tag: string } | { event: string } {
  return one.kind === 'tag' ? { tag: one.tag } : { event: one.event };
}

function keyOf(one: Finding): string {
  return one.kind === 'tag' ? `tag ${one.tag}` : `note ${one.event} ${one.user}`;
}
