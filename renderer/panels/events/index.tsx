/** The events of the view: a table, or the reason why there is none. */
import { Button } from '@mantine/core';
import { useElementSize } from '@mantine/hooks';
import { IconFileImport, IconSearchOff } from '@tabler/icons-react';
import { Fragment, useEffect, useMemo, useRef } from 'react';
import type { Result } from '../../../engine/contract/operations.ts';
import {
  counted,
  formatCount,
  showEvidence,
  useAnswer,
  useCase,
  useParsedQuery,
  useQuestion,
  useResultList,
  useView,
  useWorkspace,
  useZone,
} from '../../panel-api.ts';
import { Empty } from '../../widgets/empty.tsx';
import {
  columnLabel,
  SUMMARY,
  useEventColumns,
  type EventColumns,
} from '../../widgets/event-columns.ts';
import { Loading } from '../../widgets/loading.tsx';
import { Problem } from '../../widgets/problem.tsx';
import { useTagColors } from '../../widgets/tag-colors.ts';
import { useSearchedWords } from '../../widgets/query/searched-words.ts';
import { sentence } from '../../widgets/texts/sentence.ts';
import {
  contentLengths,
  eventColumn,
  fieldsShown,
  fieldsToRead,
  fittingWidth,
  isWhole,
  STRIPES,
} from './columns/event-column.ts';
import { EventGrid } from './event-grid.tsx';
import { cellOf } from './event-row.tsx';
import css from './events.module.css';
import type { Page } from './rows/page-cache.ts';
import { timeCharacters, timeHeading, timeStyle } from './time-style.ts';
import { useEventList, type EventList } from './rows/use-event-list.ts';

/** Columns that every event has something for. */
const ALWAYS: ReadonlySet<string> = new Set(['ts', 'kind', SUMMARY]);

export function EventsPanel() {
  const workspace = useWorkspace();
  const { case: path, first, last, events } = useCase();
  const zone = useZone();
  const { query, from, to, sort } = useView();
  const { error, loading } = useResultList();
  const chosen = useEventColumns();
  const parsed = useParsedQuery(query);

  const fields = useMemo(() => fieldsToRead(chosen.shown), [chosen.shown]);
  const projected = parsed?.stages.some(({ name }) => name === 'fields') === true;
  const list = useEventList(fields, projected);
  const known = list?.opened?.fields;
  const namesKey = columnsOf(chosen, known, projected).join('\n');
  const names = useMemo(() => namesKey.split('\n'), [namesKey]);
  const words = useSearchedWords();
  const days = list?.opened?.days.used ?? 2;
  const { ref, width } = useElementSize();
  // In steps, so that columns do not change with every pixel.
  const narrow = width === 0 ? undefined : Math.floor((width - STRIPES) / 20) * 20;
  const times = useMemo(
    () => timeStyle({ from: from ?? first, to: to ?? last, days }, zone),
    [from, to, first, last, days, zone],
  );
  const firstTime = cellOf(list?.pages.page(0), 0, 'ts');
  const heading = timeHeading(times, typeof firstTime === 'number' ? firstTime : undefined);
  const lengths = useContentLengths(list);
  const columns = useMemo(() => {
    const characters = Math.max(timeCharacters(times, 6), heading.length + 2);
    const all = names.map((name) => eventColumn(name, characters, lengths?.get(name)));
    return chosen.chosen || projected || narrow === undefined
      ? all
      : fittingWidth(all, narrow, sort?.field);
  }, [names, times, heading, lengths, chosen.chosen, projected, narrow, sort]);
  useEffect(() => {
    workspace.session.setState({ shownColumns: fieldsShown(columns, names) });
  }, [workspace, columns, names]);
  const colors = useTagColors();

  if (error !== undefined) return <Problem title="This view cannot be shown" error={error} />;
  if (list === undefined) return loading ? <Loading label="Searching…" /> : null;
  if (list.opened?.total === 0 && !loading) {
    return events === 0 ? <NoEvidence /> : <NothingFound />;
  }
  return (
    <div className={css['panel']} ref={ref}>
      <CappedNotice list={list} />
      {list.pageError !== undefined && (
        <Problem
          title="Some rows could not be read"
          error={list.pageError}
          onRetry={() => workspace.views.run()}
        />
      )}
      <EventGrid
        key={path}
        list={list}
        columns={columns}
        sizes={chosen.sizes}
        onSizes={chosen.size}
        times={times}
        timeHeading={heading}
        tags={colors}
        words={words}
      />
    </div>
  );
}

/** Sorted by anything but the time, a list has only a limited number of rows. */
function CappedNotice({ list: { opened } }: { readonly list: EventList }) {
  const { views } = useWorkspace();
  const { sort } = useView();
  if (opened?.capped === undefined || sort === undefined) return null;
  return (
    <div className={css['notice']} role="note">
      <span>
        By {columnLabel(sort.field)}, the first {formatCount(opened.capped)} of{' '}
        {counted(opened.total, 'event')} are listed.
      </span>
      <Button size="compact-xs" variant="default" onClick={() => views.show({ sort: undefined })}>
        Sort by time to see all
      </Button>
    </div>
  );
}

interface Measured {
  readonly of: string;
  readonly pages: WeakSet<Page>;
  lengths: ReadonlyMap<string, number>;
}

/**
 * The longest texts of each column: in the first rows of a list, and for columns shown in full, in any rows seen so
 * far. They stay the same until a longer one is seen or the query changes.
 */
function useContentLengths(list: EventList | undefined): ReadonlyMap<string, number> | undefined {
  const held = useRef<Measured>(undefined);
  const page = list?.pages.page(0);
  const of =
    list === undefined
      ? ''
      : `${list.question}\n${page === undefined ? '' : [...page.columns.keys()].join()}`;
  if (page !== undefined && held.current?.of !== of) {
    held.current = { of, pages: new WeakSet([page]), lengths: contentLengths(page) };
  }
  const { current } = held;
  for (const later of list?.pages.loaded() ?? []) {
    if (current === undefined || current.pages.has(later)) continue;
    current.pages.add(later);
    const longer = [...contentLengths(later, isWhole)].filter(
      ([name, length]) => length > (current.lengths.get(name) ?? 0),
    );
    if (longer.length > 0) current.lengths = new Map([...current.lengths, ...longer]);
  }
  return current?.lengths;
}

/** Columns for a list: those the query names, otherwise those shown that its events can have. */
function columnsOf(
  { shown, chosen }: Pick<EventColumns, 'shown' | 'chosen'>,
  known: readonly string[] | undefined,
  projected: boolean,
): readonly string[] {
  if (known === undefined || known.length === 0) return shown;
  if (projected) return known;
  if (chosen) return shown;
  return shown.filter((name) => ALWAYS.has(name) || known.includes(name));
}

function NoEvidence() {
  const { dialogs } = useWorkspace();
  return (
    <Empty
      icon={<IconFileImport size={34} stroke={1.4} aria-hidden />}
      title="This case is empty"
      text="Drop captures, logs, flow exports or archives of them on the window, or choose them. They are read in place and never changed."
      actions={<Button onClick={() => dialogs.open({ dialog: 'import' })}>Add evidence…</Button>}
    />
  );
}

function NothingFound() {
  const { query, from, to, list } = useView();
  const ranged = from !== undefined || to !== undefined;
  const asked = query.trim() !== '';
  const question = useQuestion();
  const { data: left } = useAnswer('query.unsearched', question);
  // The query bar says how the query was read.
  const readings = useParsedQuery(query)?.readings ?? [];
  const notes = (useResultList().opened?.notes ?? []).filter((note) => !readings.includes(note));
  const why =
    list !== undefined
      ? `No event ${ranged || asked ? 'of this query and time range' : 'of this case'} matches any of its ${counted(list.rows, 'line')}.`
      : ranged && asked
        ? 'Both the query and the time range exclude events. Widen the range, or remove terms.'
        : ranged
          ? 'There are no events in this time range.'
          : 'Remove terms, or use wildcards: fail* finds failed and failure.';
  return (
    <Empty
      icon={<IconSearchOff size={34} stroke={1.4} aria-hidden />}
      title={list === undefined ? 'No event matches' : 'Nothing in the list was found'}
      text={
        <>
          {why}
          {[...notes, ...(left?.hints ?? []), ...(left?.lines ?? [])].map((line) => (
            <Fragment key={line}>
              <br />
              {sentence(line)}
            </Fragment>
          ))}
        </>
      }
      actions={<WaysOut left={left} />}
    />
  );
}

/** Buttons that may help: a wider query, or the files that could not be read. */
function WaysOut({ left }: { readonly left: Result<'query.unsearched'> | undefined }) {
  const workspace = useWorkspace();
  const { views, dialogs } = workspace;
  const { query, from, to, list } = useView();
  const ranged = from !== undefined || to !== undefined;
  const asked = query.trim() !== '';
  // Stages follow the filter, so a condition cannot simply be appended.
  const also = (condition: string): string | undefined =>
    query.includes('|') ? undefined : asked ? `(${query}) ${condition}` : condition;
  const [withPackets, withoutTime] = [also('kind:*'), also('day:undated')];
  return (
    <>
      {ranged && (
        <Button
          variant={asked ? 'default' : 'filled'}
          onClick={() => views.show({ from: undefined, to: undefined })}
        >
          Show all time
        </Button>
      )}
      {asked && (
        <Button variant="default" onClick={() => views.show({ query: '' })}>
          Clear the query
        </Button>
      )}
      {(left?.quarantined.count ?? 0) > 0 && (
        <Button
          variant="default"
          onClick={() => showEvidence(workspace, { section: 'quarantine', quarantine: {} })}
        >
          Show the quarantine
        </Button>
      )}
      {(left?.unread.count ?? 0) > 0 && (
        <Button variant="default" onClick={() => showEvidence(workspace, { section: 'imports' })}>
          Show the imports
        </Button>
      )}
      {left?.packetsBeneath !== undefined && withPackets !== undefined && (
        <Button variant="default" onClick={() => views.show({ query: withPackets })}>
          Include packets
        </Button>
      )}
      {ranged && (left?.undated ?? 0) > 0 && withoutTime !== undefined && (
        <Button
          variant="default"
          onClick={() => views.show({ query: withoutTime, from: undefined, to: undefined })}
        >
          Show undated events
        </Button>
      )}
      {list !== undefined && (
        <>
          <Button variant="default" onClick={() => dialogs.open({ dialog: 'match-list' })}>
            Edit list…
          </Button>
          <Button variant="default" onClick={() => views.show({ list: undefined })}>
            Remove list
          </Button>
        </>
      )}
      <Button variant="subtle" onClick={() => workspace.goBack()}>
        Back
      </Button>
    </>
  );
}
