/** One event as a row of the table. Cells read the page when they are rendered. */
import { memo } from 'react';
import { cell, type CellValue } from '../../../engine/contract/wire/column-batch.ts';
import type { TagColor } from '../../../engine/contract/findings.ts';
import { timeParts } from '../../panel-api.ts';
import { fieldLabel, isToldByEnd, SUMMARY } from '../../widgets/event-columns.ts';
import { EventText, visibleText } from '../../widgets/texts/event-text.tsx';
import { KindBadge } from '../../widgets/kind-badge.tsx';
import { isSearchedColumn, type SearchedWords } from '../../widgets/query/searched-words.ts';
import { TagChip, tagCssColor } from '../../widgets/tag-chip.tsx';
import { placesOf, type TextPattern } from '../../widgets/texts/visible-text.ts';
import type { EventColumn } from './columns/event-column.ts';
import { flagNames } from '../../widgets/texts/tcp-flags.ts';
import css from './events.module.css';
import type { FoundText } from './found-text.ts';
import type { Page } from './rows/page-cache.ts';

export const ROW_HEIGHT = 26;
/** Characters of a cell; wider than any screen. */
export const MOST_TEXT = 400;

/** Printable ASCII: no invisible characters. */
const PRINTABLE = /^[\x20-\x7e]*$/;

const NOTHING: readonly TextPattern[] = [];

function isFound(patterns: readonly TextPattern[], text: string): boolean {
  return patterns.some((one) => placesOf(one, text).next().done !== true);
}

/** How times are written in all rows. */
export interface TimeStyle {
  readonly zone: string;
  /** `full`: with the year; `day`: month and day; `none`: all events are of one day. */
  readonly date: 'full' | 'day' | 'none';
}

/** By the tag's name. */
export type TagColors = ReadonlyMap<string, TagColor>;

interface Props {
  /** In the list, from 0. */
  readonly row: number;
  readonly top: number;
  readonly id: string;
  readonly page: Page | undefined;
  readonly columns: readonly EventColumn[];
  readonly times: TimeStyle;
  /** It is of another day than the row before. */
  readonly newDay: boolean;
  readonly tags: TagColors;
  readonly words: SearchedWords | undefined;
  /** Matches of searched words that no column shows. */
  readonly found: readonly FoundText[];
  /** Shown in the details. */
  readonly current: boolean;
  /** One of those that are marked together. */
  readonly marked: boolean;
  /** Column with the keyboard cursor; undefined in all rows but one. */
  readonly cursor: number | undefined;
}

export function cellOf(page: Page | undefined, row: number, name: string): CellValue | undefined {
  const column = page?.columns.get(name);
  return page === undefined || column === undefined ? undefined : cell(column, row - page.start);
}

export const EventRow = memo(function EventRow(props: Props) {
  const { row, top, id, page, columns, current, marked, cursor } = props;
  const value = (name: string): CellValue | undefined => cellOf(page, row, name);
  const tags = value('tags');
  const classes = [css['row']];
  if (current) classes.push(css['current']);
  if (marked) classes.push(css['marked']);
  if (props.newDay) classes.push(css['newDay']);
  if (cursor !== undefined) classes.push(css['cursorRow']);
  const filled = columns.findIndex(({ fills }) => fills);
  const foundAt = filled < 0 ? columns.length - 1 : filled;
  return (
    <div
      role="row"
      id={id}
      aria-rowindex={row + 2}
      aria-selected={current || marked}
      aria-busy={page === undefined || undefined}
      data-row={row}
      className={classes.join(' ')}
      style={{ transform: `translateY(${top}px)` }}
    >
      <TagStripes names={typeof tags === 'string' ? tags : ''} colors={props.tags} />
      {columns.map((column, at) => (
        <span
          key={column.name}
          role="gridcell"
          aria-colindex={at + 1}
          id={cursor === at ? `${id}-${at}` : undefined}
          data-column={at}
          className={cellClass(column, cursor === at)}
        >
          {column.fills && typeof tags === 'string' && tags !== '' && (
            <TagChips names={tags} colors={props.tags} />
          )}
          {at === foundAt && <FoundTexts found={props.found} words={props.words} />}
          <CellContent
            {...props}
            column={column}
            value={value(column.name)}
            patterns={props.words?.in(column.name, isSearchedColumn(column.name)) ?? NOTHING}
          />
        </span>
      ))}
    </div>
  );
});

function cellClass({ name, type, fills }: EventColumn, cursor: boolean): string {
  const classes = [css['cell'], css[type], 'evidence'];
  if (fills) classes.push(css['fills']);
  if (isToldByEnd(name)) classes.push(css['end']);
  if (cursor) classes.push(css['cursor']);
  return classes.join(' ');
}

function CellContent({
  row,
  page,
  column,
  value,
  times,
  patterns,
}: Props & {
  readonly column: EventColumn;
  readonly value: CellValue | undefined;
  readonly patterns: readonly TextPattern[];
}) {
  if (value === undefined) return <span className={css['missing']} aria-hidden />;
  if (column.type === 'time') {
    if (typeof value !== 'number') return <span className={css['faint']}>no time</span>;
    const digits = cellOf(page, row, 'ts_digits');
    const nanos = cellOf(page, row, 'ts_ns');
    const { date, time } = timeParts(
      value,
      times.zone,
      typeof digits === 'number' ? digits : 6,
      typeof nanos === 'number' ? nanos : 0,
    );
    if (times.date === 'none') return time;
    return (
      <>
        <span className={css['faint']}>{times.date === 'day' ? dayOf(date) : date}</span> {time}
      </>
    );
  }
  if (value === null) return null;
  if (column.type === 'kind') return <KindBadge kind={String(value)} />;
  const text =
    column.name === 'tcp_flags' && typeof value === 'number' ? flagNames(value) : String(value);
  const ends = column.ends ? endsOf(page, row) : undefined;
  if (ends !== undefined) {
    return (
      <>
        <span className={css['faint']}>{ends}</span>{' '}
        <EventText text={text} max={MOST_TEXT} highlight={patterns} />
      </>
    );
  }
  // Most cells need no child elements: the cell itself keeps the characters' order (bidi).
  if (
    !isToldByEnd(column.name) &&
    text.length <= MOST_TEXT &&
    PRINTABLE.test(text) &&
    !isFound(patterns, text)
  )
    return text;
  return <EventText text={text} max={MOST_TEXT} highlight={patterns} />;
}

/** `10.0.0.1 → 192.0.2.7:443`; undefined for an event without addresses. */
export function endsOf(page: Page | undefined, row: number): string | undefined {
  const [from, to, port] = ['src_ip', 'dst_ip', 'dst_port'].map((name) => cellOf(page, row, name));
  if (typeof from !== 'string' || typeof to !== 'string') return undefined;
  if (typeof port !== 'number') return `${from} → ${to}`;
  return `${from} → ${to.includes(':') ? `[${to}]` : to}:${port}`;
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** `13 Oct`, always as wide. */
function dayOf(date: string): string {
  const [, month = '', day = ''] = date.split('-');
  return `${String(Number(day)).padStart(2, '\u2007')} ${MONTHS[Number(month) - 1] ?? month}`;
}

/** Excerpts with searched words that no column shows, before the message. */
function FoundTexts({ found, words }: Pick<Props, 'found' | 'words'>) {
  return found.map(({ field, excerpt }) => (
    <span key={`${field} ${excerpt}`} className={css['found']}>
      {field !== undefined && (
        <span className={css['faint']}>{visibleText(fieldLabel(field), 40)} </span>
      )}
      <EventText text={excerpt} highlight={words?.in(field ?? SUMMARY, true)} />
    </span>
  ));
}

/** The names of an event's tags, before its message. */
function TagChips({ names, colors }: { readonly names: string; readonly colors: TagColors }) {
  const each = names.split(',');
  return (
    <span className={css['chips']}>
      {each.slice(0, 3).map((name) => (
        <TagChip key={name} name={name} color={colors.get(name)} max={24} />
      ))}
      {each.length > 3 && <span className={css['faint']}>+{each.length - 3}</span>}
    </span>
  );
}

/** Tags as colours; their names are in the title, and in the column `tag`. */
function TagStripes({ names, colors }: { readonly names: string; readonly colors: TagColors }) {
  if (names === '') return <span className={css['stripes']} aria-hidden />;
  const each = names.split(',');
  return (
    <span
      className={css['stripes']}
      title={visibleText(names)}
      role="gridcell"
      aria-label={`tags: ${visibleText(names)}`}
    >
      {each.slice(0, 3).map((name) => (
        <i
          key={name}
          className={css['stripe']}
          style={{ background: tagCssColor(colors.get(name)) }}
        />
      ))}
    </span>
  );
}
