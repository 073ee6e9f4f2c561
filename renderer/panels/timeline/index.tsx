/** Events of the view over time: stacked, brushed to zoom, also a table. */
import { ActionIcon, Tooltip, UnstyledButton, useComputedColorScheme } from '@mantine/core';
import { useElementSize } from '@mantine/hooks';
import { IconChartBar, IconTable } from '@tabler/icons-react';
import {
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
  type KeyboardEvent,
  type PointerEvent,
} from 'react';
import { KINDS } from '../../../engine/contract/event.ts';
import {
  counted,
  formatCount,
  formatRange,
  timeParts,
  useAnswer,
  useCase,
  useParsedQuery,
  usePreference,
  useQuestion,
  useSession,
  useView,
  useWorkspace,
  withTerm,
} from '../../panel-api.ts';
import { REST_COLOR, seriesColor } from '../../widgets/series-color.ts';
import { visibleText } from '../../widgets/visible-text.ts';
import { BucketTable } from './bucket-table.tsx';
import { peakOf, seriesKey, stacked, stageStack, type Series } from './stacks.ts';
import { StackSelect } from './stack-select.tsx';
import { durationWords, roughDuration } from './time-axis.ts';
import { createChart, type Chart } from './timeline-chart.ts';
import css from './timeline.module.css';

/** Pixels for one bucket. */
const BUCKET_PIXELS = 8;
const LEAST_HEIGHT = 70;
const MOST_HEIGHT = 420;
const USUAL_HEIGHT = 112;
/** Below this width of the panel the heading says less. */
const NARROW = 760;

/** Events within less than this are seen as one instant. */
const INSTANT = 1e6;
const AROUND_INSTANT = 60e6;

/** Every kind has a colour of its own. */
const ALL_KINDS = { most: KINDS.length };

const isBoolean = (value: unknown): value is boolean => typeof value === 'boolean';
const isHeight = (value: unknown): value is number =>
  typeof value === 'number' && value >= LEAST_HEIGHT && value <= MOST_HEIGHT;
const NONE: readonly Series[] = [];
const NO_STARTS = new Float64Array(0);

interface Range {
  readonly from: number;
  readonly to: number;
}

export function TimelinePanel() {
  const { views } = useWorkspace();
  const { events } = useCase();
  const { stack } = useView();
  const question = useQuestion();
  const { query, from, to, zone } = question;
  const scheme = useComputedColorScheme();
  const { ref: measure, width } = useElementSize();
  const [height, setHeight] = usePreference('timeline.height', USUAL_HEIGHT, isHeight);
  const [logarithmic, setLogarithmic] = usePreference('timeline.log', false, isBoolean);
  const [asTable, setAsTable] = usePreference('timeline.table', false, isBoolean);
  const [dragged, setDragged] = useState<number>();
  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set());

  const parsed = useParsedQuery(query);
  const stated = parsed === undefined ? undefined : stageStack(parsed.stages);
  const by = stated ?? stack;
  // In steps, so that not every pixel of a new width asks again.
  const buckets = Math.min(400, Math.max(20, Math.round(width / BUCKET_PIXELS / 10) * 10));
  const { data, error, loading } = useAnswer(
    'timeline.run',
    width === 0
      ? undefined
      : { ...question, buckets, ...(by === '' ? {} : { by }), ...(by === 'kind' ? ALL_KINDS : {}) },
  );
  // What is only brought up to date while the case changes is not of another view.
  const view = JSON.stringify([question, by]);
  const answeredView = useRef(view);
  if (!loading) answeredView.current = view;
  const stale =
    data !== undefined && (error !== undefined || (loading && answeredView.current !== view));
  const series: readonly Series[] = data?.series ?? NONE;
  const starts = data?.starts ?? NO_STARTS;
  const bucket = data?.width ?? 1;
  // The series of the last answer are of the field that it was asked by.
  const answeredBy = useRef(by);
  if (!loading) answeredBy.current = by;
  const field = answeredBy.current;

  const { stacks, sums } = useMemo(
    () =>
      stacked(series, starts.length, hidden, (one, at) =>
        one.rest ? REST_COLOR : seriesColor(field, one.value, at),
      ),
    [series, starts, hidden, field],
  );
  const range = useMemo((): readonly [number, number] => {
    const first = starts[0];
    const last = starts[starts.length - 1];
    const low = from ?? first ?? 0;
    const high = to ?? (last === undefined ? undefined : last + bucket) ?? low + 1e6;
    // One instant would fill the chart from side to side: it is shown with the minutes around it.
    if (from === undefined && to === undefined && high - low < INSTANT) {
      return [low - AROUND_INSTANT, high + AROUND_INSTANT];
    }
    return high > low ? [low, high] : [low, low + 1];
  }, [starts, bucket, from, to]);

  useEffect(() => setHidden(new Set()), [by]);
  const selected = useSelectedTime();

  // -- chart -----------------------------------------------------------------------------------
  const [into, setInto] = useState<HTMLDivElement | null>(null);
  const chart = useRef<Chart>(undefined);
  const [hover, setHover] = useState<{ bucket: number; left: number }>();
  const [brushing, setBrushing] = useState<Range>();
  const [cursor, setCursor] = useState<number>();
  const [mark, setMark] = useState<number>();
  const zooms = useRef<(Range | undefined)[]>([]);

  const zoom = (next: Range): void => {
    zooms.current.push(from === undefined || to === undefined ? undefined : { from, to });
    setCursor(undefined);
    setMark(undefined);
    views.show({ from: next.from, to: next.to });
  };
  const reset = (): void => {
    const before = zooms.current.pop();
    setCursor(undefined);
    views.show({ from: before?.from, to: before?.to });
  };
  const handlers = useRef({ zoom, reset });
  handlers.current = { zoom, reset };

  const shownHeight = dragged ?? height;
  useLayoutEffect(() => {
    if (into === null) return undefined;
    const made = createChart(into, Math.max(50, into.clientWidth), USUAL_HEIGHT, {
      onBrush: (low, high) => handlers.current.zoom({ from: low, to: high }),
      onBrushing: setBrushing,
      onReset: () => handlers.current.reset(),
      onBar: (low, high) => handlers.current.zoom({ from: low, to: high }),
      onHover: (at, left) => setHover(at === undefined ? undefined : { bucket: at, left }),
    });
    chart.current = made;
    return () => {
      chart.current = undefined;
      made.destroy();
    };
  }, [into]);
  useLayoutEffect(() => {
    if (width > 0) chart.current?.setSize(width, shownHeight);
  }, [into, width, shownHeight]);
  useLayoutEffect(() => {
    chart.current?.setData({
      ...{ starts, width: bucket, stacks, sums, range, logarithmic, zone },
      marked: selected,
    });
  }, [into, starts, bucket, stacks, sums, range, logarithmic, zone, selected]);
  useLayoutEffect(() => chart.current?.redraw(), [scheme]);
  useLayoutEffect(() => {
    const other = mark ?? cursor;
    if (cursor === undefined || other === undefined) {
      chart.current?.setCursor(undefined, undefined);
    } else chart.current?.setCursor(Math.min(cursor, other), Math.max(cursor, other));
  }, [cursor, mark, starts]);

  // -- words -----------------------------------------------------------------------------------
  const name = (one: Series): string => {
    if (one.rest) return 'all others';
    if (one.value === null) return field === '' ? 'events' : `no ${visibleText(field, 40)}`;
    return visibleText(String(one.value), 40);
  };
  const rangeOf = (at: number): string => {
    const start = starts[at] ?? 0;
    if (bucket >= 60e6) return formatRange(start, start + bucket, zone);
    const digits = bucket >= 1e6 ? 0 : bucket >= 1e3 ? 3 : 6;
    const low = timeParts(start, zone, digits);
    return `${low.date} ${low.time} – ${timeParts(start + bucket, zone, digits).time}`;
  };
  const countsOf = (at: number): { one: Series; n: number }[] =>
    series
      .map((one) => ({ one, n: hidden.has(seriesKey(one)) ? 0 : (one.counts[at] ?? 0) }))
      .filter(({ n }) => n > 0);
  const saidOf = (at: number): string =>
    [
      rangeOf(at),
      counted(sums[at] ?? 0, 'event'),
      ...(series.length > 1 ? countsOf(at).map(({ one, n }) => `${name(one)} ${n}`) : []),
    ].join(', ');
  const peak = peakOf(sums);
  const narrow = width < NARROW;

  const onKeyDown = (event: KeyboardEvent): void => {
    const last = starts.length - 1;
    if (last < 0 || event.altKey || event.ctrlKey || event.metaKey) return;
    const at = cursor ?? peak ?? 0;
    const moves: Partial<Record<string, number>> = {
      ArrowLeft: cursor === undefined ? at : at - 1,
      ArrowRight: cursor === undefined ? at : at + 1,
      PageUp: at - 10,
      PageDown: at + 10,
      Home: 0,
      End: last,
    };
    const to = moves[event.key];
    if (to !== undefined) {
      if (!event.shiftKey) setMark(undefined);
      else if (mark === undefined) setMark(at);
      setCursor(Math.min(last, Math.max(0, to)));
    } else if (event.key === 'Enter' && cursor !== undefined) {
      const [low, high] = [Math.min(cursor, mark ?? cursor), Math.max(cursor, mark ?? cursor)];
      zoom({ from: starts[low] ?? 0, to: (starts[high] ?? 0) + bucket });
    } else if (event.key === 'Escape') {
      if (cursor !== undefined) {
        setCursor(undefined);
        setMark(undefined);
      } else reset();
    } else return;
    event.preventDefault();
  };

  const marking =
    cursor !== undefined && mark !== undefined && mark !== cursor
      ? {
          from: starts[Math.min(cursor, mark)] ?? 0,
          to: (starts[Math.max(cursor, mark)] ?? 0) + bucket,
        }
      : undefined;
  const shownRange = brushing ?? marking;
  const tipAt = hover?.bucket ?? cursor;
  const tipLeft =
    hover?.left ?? (cursor === undefined ? 0 : (chart.current?.left(starts[cursor] ?? 0) ?? 0));
  return (
    <div className={css['panel']} ref={measure}>
      <div className={css['head']}>
        <span>
          <b>{data === undefined ? '… events' : counted(data.total, 'event')}</b>
        </span>
        {data !== undefined && data.total > 0 && <span>buckets of {durationWords(bucket)}</span>}
        {!narrow && peak !== undefined && bucket < 86_400e6 && (
          <span>
            peak {formatCount(sums[peak] ?? 0)} at {rangeOf(peak)}
          </span>
        )}
        {data !== undefined && data.undated > 0 && (
          <Tooltip label="Events without a time are not in the chart and come last in the table; click to show only these">
            <UnstyledButton
              className={css['series']}
              onClick={() => views.show({ query: withTerm(query, 'day:undated') })}
            >
              +{formatCount(data.undated)} undated
            </UnstyledButton>
          </Tooltip>
        )}
        <span className={css['grow']} />
        {(series.length > 1 || field !== '') && (
          <div className={css['legend']} role="group" aria-label="Series of the timeline">
            {series.map((one, at) => {
              const key = seriesKey(one);
              const on = !hidden.has(key);
              return (
                <UnstyledButton
                  key={key}
                  className={on ? css['series'] : `${css['series']} ${css['off']}`}
                  aria-pressed={on}
                  title={`${name(one)}: ${formatCount(one.total)} — click to ${on ? 'hide' : 'show'}`}
                  onClick={() => {
                    const next = new Set(hidden);
                    if (!next.delete(key)) next.add(key);
                    setHidden(next);
                  }}
                >
                  <i
                    className={css['swatch']}
                    style={{
                      background: one.rest ? REST_COLOR : seriesColor(field, one.value, at),
                    }}
                  />
                  <span className={css['seriesName']}>{name(one)}</span>
                </UnstyledButton>
              );
            })}
          </div>
        )}
        <div className={css['tools']}>
          <StackSelect
            value={by}
            fixed={stated !== undefined}
            onChange={(next) => views.show({ stack: next })}
          />
          <Tooltip
            label={logarithmic ? 'Logarithmic: switch to linear' : 'Linear: switch to logarithmic'}
          >
            <UnstyledButton
              className={logarithmic ? `${css['log']} ${css['logOn']}` : css['log']}
              aria-label="Log scale"
              aria-pressed={logarithmic}
              onClick={() => setLogarithmic(!logarithmic)}
            >
              Log scale
            </UnstyledButton>
          </Tooltip>
          <Tooltip label={asTable ? 'Show the chart' : 'Show as a table'}>
            <ActionIcon
              aria-label="Timeline as a table"
              aria-pressed={asTable}
              onClick={() => setAsTable(!asTable)}
            >
              {asTable ? (
                <IconChartBar size={14} aria-hidden />
              ) : (
                <IconTable size={14} aria-hidden />
              )}
            </ActionIcon>
          </Tooltip>
        </div>
      </div>
      {asTable ? (
        <BucketTable
          {...{ starts, width: bucket, series, name, sums, zone, height: shownHeight }}
          onShow={(low, high) => zoom({ from: low, to: high })}
        />
      ) : (
        <div
          ref={setInto}
          className={stale ? `${css['chart']} ${css['stale']}` : css['chart']}
          style={{ height: shownHeight }}
          role="slider"
          tabIndex={0}
          aria-label="Timeline: arrows move over buckets, Shift extends, Enter zooms, Escape goes back"
          aria-valuemin={0}
          aria-valuemax={Math.max(0, starts.length - 1)}
          aria-valuenow={cursor ?? 0}
          aria-valuetext={
            cursor === undefined
              ? [
                  counted(data?.total ?? 0, 'event'),
                  ...(starts.length === 0 ? [] : [formatRange(range[0], range[1], zone)]),
                ].join(', ')
              : saidOf(cursor)
          }
          onKeyDown={onKeyDown}
          onBlur={() => setCursor(undefined)}
        >
          {error !== undefined ? (
            <div className={css['nothing']} role="status">
              No timeline: {visibleText(error.message, 200)}
            </div>
          ) : (
            data?.total === 0 &&
            !loading && (
              <div className={css['nothing']}>
                {events === 0 ? 'Events over time appear here' : 'No dated events in this view'}
              </div>
            )
          )}
          {shownRange !== undefined ? (
            <div className={css['tip']} style={tipStyle(tipLeft, width)}>
              <b>{formatRange(shownRange.from, shownRange.to, zone)}</b>
              <div>{roughDuration(shownRange.to - shownRange.from)}</div>
            </div>
          ) : (
            tipAt !== undefined &&
            tipAt < starts.length && (
              <div className={css['tip']} style={tipStyle(tipLeft, width)}>
                <b>{rangeOf(tipAt)}</b>
                <div>{counted(sums[tipAt] ?? 0, 'event')}</div>
                {(series.length > 1 || field !== '') && (
                  <table>
                    <tbody>
                      {countsOf(tipAt).map(({ one, n }) => (
                        <tr key={seriesKey(one)}>
                          <td>
                            <span className={css['tipName']}>
                              <i
                                className={css['swatch']}
                                style={{
                                  background: one.rest
                                    ? REST_COLOR
                                    : seriesColor(field, one.value, series.indexOf(one)),
                                }}
                              />
                              {name(one)}
                            </span>
                          </td>
                          <td>{formatCount(n)}</td>
                        </tr>
                      ))}
                    </tbody>
                  </table>
                )}
              </div>
            )
          )}
        </div>
      )}
      <HeightHandle
        height={shownHeight}
        onDrag={setDragged}
        onEnd={(next) => {
          setDragged(undefined);
          setHeight(next);
        }}
      />
    </div>
  );
}

/** Beside the pointer, on the side where there is room. */
function tipStyle(left: number, width: number): { left?: number; right?: number } {
  return left > width / 2 ? { right: width - left + 12 } : { left: left + 12 };
}

/** The time of the event in the details. */
function useSelectedTime(): number | undefined {
  const { case: path } = useCase();
  const event = useSession((session) => session.selected);
  const { data } = useAnswer('event.get', event === undefined ? undefined : { case: path, event }, {
    live: false,
  });
  return event === undefined || data?.event !== event ? undefined : data.ts;
}

const clamped = (height: number): number =>
  Math.round(Math.min(MOST_HEIGHT, Math.max(LEAST_HEIGHT, height)));

function HeightHandle({
  height,
  onDrag,
  onEnd,
}: {
  readonly height: number;
  readonly onDrag: (height: number) => void;
  readonly onEnd: (height: number) => void;
}) {
  const start = useRef<{ y: number; height: number }>(undefined);
  const at = (event: PointerEvent): number | undefined =>
    start.current && clamped(start.current.height + event.clientY - start.current.y);
  return (
    <div
      className={css['handle']}
      role="separator"
      aria-orientation="horizontal"
      aria-label="Height of the timeline"
      aria-valuenow={height}
      aria-valuemin={LEAST_HEIGHT}
      aria-valuemax={MOST_HEIGHT}
      tabIndex={0}
      onPointerDown={(event) => {
        start.current = { y: event.clientY, height };
        event.currentTarget.setPointerCapture(event.pointerId);
      }}
      onPointerMove={(event) => {
        const next = at(event);
        if (next !== undefined) onDrag(next);
      }}
      onPointerUp={(event) => {
        const next = at(event);
        start.current = undefined;
        if (next !== undefined) onEnd(next);
      }}
      onKeyDown={(event) => {
        if (event.key !== 'ArrowUp' && event.key !== 'ArrowDown') return;
        event.preventDefault();
        onEnd(clamped(height + (event.key === 'ArrowDown' ? 12 : -12)));
      }}
    />
  );
}
