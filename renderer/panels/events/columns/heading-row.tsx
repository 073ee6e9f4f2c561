/** The heading of the table: names of columns, by which it is sorted, and handles for their widths. */
import { VisuallyHidden } from '@mantine/core';
import type { EventColumn } from './event-column.ts';
import css from '../events.module.css';
import { visibleText } from '../../../widgets/texts/visible-text.ts';
import type { HeadingSort } from './next-sort.ts';

/** The part of TanStack Table's headers that a heading needs. */
interface Header {
  getResizeHandler(): (event: unknown) => void;
}

interface Props {
  readonly id: string;
  readonly headers: readonly Header[];
  readonly columns: readonly EventColumn[];
  readonly sort: HeadingSort;
  /** Day and zone in the heading of the times. */
  readonly times: string;
  /** Column with the keyboard cursor. */
  readonly cursor: number | undefined;
  readonly onSort: (name: string) => void;
}

export function HeadingRow({ id, headers, columns, sort, times, cursor, onSort }: Props) {
  return (
    <div role="rowgroup" className={css['headGroup']}>
      <div role="row" aria-rowindex={1} className={css['head']}>
        <span aria-hidden />
        {columns.map(({ name, label, type, fills }, at) => {
          const sorted = sort.field === name;
          const header = headers[at];
          const classes = [css['heading']];
          if (type === 'number') classes.push(css['headingNumber']);
          if (cursor === at) classes.push(css['cursor']);
          return (
            <span
              key={name}
              id={`${id}-h${at}`}
              role="columnheader"
              aria-colindex={at + 1}
              aria-sort={sorted ? (sort.descending ? 'descending' : 'ascending') : 'none'}
              title={visibleText(label === name ? name : `${label} (${name})`, 300)}
              className={classes.join(' ')}
              onClick={() => onSort(name)}
            >
              {type === 'time' ? <TimeHeading text={times} /> : visibleText(label, 100)}
              {sorted && <span aria-hidden> {sort.descending ? '▾' : '▴'}</span>}
              {!fills && header !== undefined && (
                <span
                  className={css['resizer']}
                  aria-hidden
                  onClick={(event) => event.stopPropagation()}
                  onMouseDown={header.getResizeHandler()}
                  onTouchStart={header.getResizeHandler()}
                />
              )}
            </span>
          );
        })}
      </div>
    </div>
  );
}

/** Its name is `time`, whatever the text says about the day. */
function TimeHeading({ text }: { readonly text: string }) {
  return (
    <>
      {!text.startsWith('time') && <VisuallyHidden>time </VisuallyHidden>}
      {text}
    </>
  );
}
