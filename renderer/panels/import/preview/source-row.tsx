/** One previewed source: its detected format, the decisions it needs, its first records. */
import { Badge, Loader, Select, Text, UnstyledButton } from '@mantine/core';
import { IconChevronDown, IconChevronRight } from '@tabler/icons-react';
import { memo, useState } from 'react';
import { counted, formatBytes, formatCount, useSession } from '../../../panel-api.ts';
import {
  basisOf,
  DATE_ORDERS,
  describeDecisions,
  GIVEN,
  isDateOrder,
  isGuess,
  ORDER_NAMES,
  type TimeDecision,
} from '../../../../engine/contract/time/decisions.ts';
import { cell, columnOf } from '../../../../engine/contract/wire/column-batch.ts';
import { ClockInput } from '../../../widgets/inputs/clock-input.tsx';
import { EventText, visibleText } from '../../../widgets/texts/event-text.tsx';
import { decisionLine } from '../../../widgets/texts/fact-text.ts';
import { formatName } from '../../../widgets/texts/format-name.ts';
import { SourceName } from '../../../widgets/sources/source-name.tsx';
import { TimeText } from '../../../widgets/texts/time-text.tsx';
import type { Typing } from '../../../widgets/inputs/typed-input.tsx';
import { YearInput } from '../../../widgets/inputs/year-input.tsx';
import { ZoneSelect } from '../../../widgets/inputs/zone-select.tsx';
import { inWindow } from '../../../widgets/texts/window-words.ts';
import type { Decision, Preview } from '../decisions.ts';
import { HASH_LIST } from '../../../../engine/contract/left-out.ts';
import css from '../import.module.css';
import { MappingEditor } from '../mapping-editor.tsx';
import { RecordsTable } from './records-table.tsx';

interface Props {
  readonly preview: Preview;
  /** Decisions for this file alone. */
  readonly fileDecision: Decision | undefined;
  readonly busy: boolean;
  /** Whether decisions are made here: once per file, at the first of its members. */
  readonly decides: boolean;
  /** The same function in every render, as are those below. */
  readonly onDecide: (decision: Decision) => void;
  /** Mistyped text for its clock. */
  readonly clockTyping: Typing;
  readonly yearTyping: Typing;
}

/** Previews arrive one by one: memoized, so that existing rows are not rendered for each. */
export const SourceRow = memo(
  Row,
  (before, now) =>
    before.preview === now.preview &&
    before.fileDecision === now.fileDecision &&
    before.busy === now.busy &&
    before.decides === now.decides &&
    before.clockTyping.mistyped === now.clockTyping.mistyped &&
    before.yearTyping.mistyped === now.yearTyping.mistyped,
);

function Row(props: Props) {
  const { preview, fileDecision, busy, decides, onDecide, clockTyping } = props;
  const { source, asks } = preview;
  const [open, setOpen] = useState(asks.mapping);
  const Caret = open ? IconChevronDown : IconChevronRight;
  return (
    <>
      <tr className={busy ? css['dim'] : undefined}>
        <td>
          <UnstyledButton
            className={css['source']}
            aria-expanded={open}
            // As two elements, it would be read out with a pause.
            aria-label={nameOf(preview)}
            title={`${visibleText(preview.path)}${preview.members.map((one) => ` › ${visibleText(one)}`).join('')}`}
            onClick={() => setOpen(!open)}
          >
            <Caret size={14} aria-hidden />
            <SourceName name={source} />
          </UnstyledButton>
        </td>
        <td className={css['number']}>
          {preview.bytes === undefined ? '' : formatBytes(preview.bytes)}
        </td>
        <td>
          <FormatSelect
            preview={preview}
            fileDecision={fileDecision}
            decides={decides}
            onDecide={onDecide}
          />
        </td>
        <td>
          <ZoneDecision {...props} />
        </td>
        <td>
          <YearDecision {...props} />
          {asks.dateOrder && <DateOrderDecision {...props} />}
        </td>
        <td>
          {busy ? (
            <Loader role="img" size={14} aria-label="Updating the preview" />
          ) : (
            <FirstRecord preview={preview} />
          )}{' '}
          <Badges preview={preview} />
        </td>
      </tr>
      {open && (
        <tr>
          <td colSpan={6}>
            <Detail
              preview={preview}
              clock={decides ? (fileDecision?.clock ?? '') : undefined}
              onDecide={onDecide}
              clockTyping={clockTyping}
            />
          </td>
        </tr>
      )}
    </>
  );
}

function nameOf({ source }: Preview): string {
  return visibleText(source, 200);
}

function ZoneDecision({ preview, fileDecision, decides, onDecide }: Props) {
  const { asks, decisions } = preview;
  if (!asks.zone || !decides) return <Decided preview={preview} name="tz" />;
  return (
    <>
      <ZoneSelect
        aria-label={`Time zone of ${nameOf(preview)}`}
        width={130}
        inputClass={css['decision']}
        placeholder={String(decisions['tz'] ?? 'UTC')}
        value={fileDecision?.tz ?? ''}
        onZone={(tz) => onDecide({ tz: tz === '' ? undefined : tz })}
      />
      <Basis decisions={decisions} name="tz" />
    </>
  );
}

function YearDecision({ preview, fileDecision, decides, onDecide, yearTyping }: Props) {
  const { asks, decisions } = preview;
  if (!asks.year || !decides) return <Decided preview={preview} name="year" />;
  return (
    <>
      <YearInput
        label={`Year of ${nameOf(preview)}`}
        placeholder={String(decisions['year'] ?? '')}
        inputClass={css['decision']}
        value={fileDecision?.year}
        onYear={(year) => onDecide({ year })}
        {...yearTyping}
      />
      <Basis decisions={decisions} name="year" />
    </>
  );
}

function DateOrderDecision({ preview, fileDecision, decides, onDecide }: Props) {
  const { decisions } = preview;
  return (
    <>
      {decides ? (
        <Select
          aria-label={`Order of the dates of ${nameOf(preview)}`}
          w={140}
          classNames={{ input: css['decision'] ?? '' }}
          placeholder={orderName(decisions['dateOrder'])}
          clearable
          data={DATE_ORDERS.map((order) => ({ value: order, label: ORDER_NAMES[order] }))}
          value={fileDecision?.dateOrder ?? null}
          onChange={(order) => onDecide({ dateOrder: isDateOrder(order) ? order : undefined })}
        />
      ) : (
        <Text size="xs">{orderName(decisions['dateOrder'])}</Text>
      )}
      <Basis decisions={decisions} name="dateOrder" />
    </>
  );
}

/** The time of the first record, or why there is none. */
function FirstRecord({ preview: { records, problem } }: Pick<Props, 'preview'>) {
  if (problem === HASH_LIST) return 'list of hashes';
  if (problem !== undefined) return <span className={css['bad']}>cannot be read</span>;
  if (records.rows === 0) return <span className={css['warn']}>no records</span>;
  const times = columnOf(records, 'ts');
  const first = times === undefined ? null : cell(times, 0);
  if (typeof first !== 'number') return 'no time';
  return (
    <span className={css['nowrap']}>
      <TimeText micros={first} digits={0} />
    </span>
  );
}

function Badges({ preview: { already, quarantined, notes } }: Pick<Props, 'preview'>) {
  return (
    <>
      {already !== undefined && (
        <Badge color="blue" title={`As source ${already.sourceId}: ${visibleText(already.name)}`}>
          in the case
        </Badge>
      )}{' '}
      {quarantined.length > 0 && (
        <Badge color="orange">{formatCount(quarantined.length)} unreadable</Badge>
      )}{' '}
      {notes.length > 0 && (
        <Badge color="yellow" title={visibleText(notes.map(inWindow).join('\n'), 1000)}>
          {counted(notes.length, 'note')}
        </Badge>
      )}
    </>
  );
}

function orderName(order: unknown): string {
  return isDateOrder(order) ? ORDER_NAMES[order] : '';
}

function FormatSelect({
  preview,
  fileDecision,
  decides,
  onDecide,
}: Pick<Props, 'preview' | 'fileDecision' | 'decides' | 'onDecide'>) {
  const formats = useSession((session) => session.info?.formats) ?? [];
  const { format, dialect } = preview;
  const found = format === undefined ? 'not recognised' : formatName(format, dialect);
  if (!decides) return <Text size="xs">{found}</Text>;
  return (
    <Select
      aria-label={`Format of ${nameOf(preview)}`}
      w={165}
      classNames={{ input: css['decision'] ?? '' }}
      placeholder={found}
      searchable
      clearable
      data={formats.map((value) => ({ value, label: formatName(value, undefined) }))}
      value={fileDecision?.format ?? null}
      onChange={(next) => onDecide({ format: next ?? undefined })}
    />
  );
}

/** The reason for a decision: a guess must be recognizable as one. */
function Basis({
  decisions,
  name,
}: {
  readonly decisions: Preview['decisions'];
  readonly name: TimeDecision;
}) {
  const basis = basisOf(decisions, name);
  if (basis === undefined || basis === GIVEN) return null;
  return (
    <div className={`${css['basis']} ${isGuess(basis) ? css['warn'] : css['stated']}`}>
      <EventText text={basis} max={200} />
    </div>
  );
}

/** A column's text where the decision is not made here. */
function Decided({ preview, name }: { readonly preview: Preview; readonly name: TimeDecision }) {
  const { decisions, problem, records } = preview;
  const value = decisions[name];
  if (value !== undefined)
    return (
      <>
        <Text size="xs" c="dimmed">
          {String(value)}
        </Text>
        <Basis decisions={decisions} name={name} />
      </>
    );
  const times = columnOf(records, 'ts');
  const rows = Array.from({ length: records.rows }, (_, row) => row);
  const dated = times !== undefined && rows.some((row) => typeof cell(times, row) === 'number');
  return (
    <Text size="xs" c="dimmed">
      {problem === undefined && dated ? 'in the file' : ''}
    </Text>
  );
}

function Detail({
  preview,
  clock,
  onDecide,
  clockTyping,
}: Pick<Props, 'preview' | 'onDecide' | 'clockTyping'> & {
  /** The clock chosen for this file alone; undefined: that is decided elsewhere. */
  readonly clock: string | undefined;
}) {
  const { records, quarantined, problem, table, notes } = preview;
  const skipped = Object.entries(preview.skippedReasons);
  const decided = describeDecisions(preview.decisions).filter(({ name }) => name !== 'mapping');
  return (
    <div className={css['detail']}>
      {problem === HASH_LIST && <EventText text={problem} />}
      {problem !== undefined && problem !== HASH_LIST && (
        <div className={css['bad']} role="alert">
          <EventText text={problem} />
        </div>
      )}
      {table !== undefined && (
        <MappingEditor table={table} onMapping={(mapping) => onDecide({ mapping })} />
      )}
      {clock !== undefined && problem === undefined && (
        <div className={css['pair']}>
          <Text size="xs">The clock of this source was</Text>
          <ClockInput
            label={`Clock of ${visibleText(preview.source, 200)}`}
            placeholder={String(preview.decisions['clock'] ?? 'right')}
            value={clock}
            onClock={(error) => onDecide({ clock: error })}
            {...clockTyping}
          />
        </div>
      )}
      {records.rows > 0 && (
        <div>
          <h4 className={css['heading']}>First {counted(records.rows, 'record')}</h4>
          <RecordsTable records={records} />
        </div>
      )}
      {quarantined.length > 0 && (
        <div>
          <h4 className={css['heading']}>Would be quarantined (of the records previewed)</h4>
          <ul className={css['list']}>
            {quarantined.slice(0, 50).map((one) => (
              <li key={one.offset}>
                byte {formatCount(one.offset)}: <EventText text={one.reason} max={300} />
              </li>
            ))}
          </ul>
        </div>
      )}
      {(skipped.length > 0 || notes.length > 0 || decided.length > 0) && (
        <div>
          <h4 className={css['heading']}>Notes</h4>
          <ul className={css['list']}>
            {decided.map((one) => (
              <li key={one.name}>
                <EventText text={decisionLine(one)} max={400} />
              </li>
            ))}
            {notes.map((note) => (
              <li key={note}>
                <EventText text={inWindow(note)} max={500} />
              </li>
            ))}
            {skipped.map(([reason, n]) => (
              <li key={reason}>
                {formatCount(n)} skipped: <EventText text={reason} max={300} />
              </li>
            ))}
          </ul>
        </div>
      )}
    </div>
  );
}
