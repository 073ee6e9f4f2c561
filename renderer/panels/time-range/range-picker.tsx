/** Chooses the range of time: presets, two fields, and a calendar that marks days with events. */
import { ActionIcon, Button, Popover, TextInput, Tooltip, UnstyledButton } from '@mantine/core';
import { DatePicker } from '@mantine/dates';
import { IconChevronDown, IconChevronLeft, IconChevronRight } from '@tabler/icons-react';
import { useEffect, useMemo, useState, type FormEvent } from 'react';
import {
  formatRange,
  formatTime,
  timeParts,
  useAnswer,
  useCase,
  useCommands,
  useView,
  useWorkspace,
  useZone,
  counted,
  nounOf,
} from '../../panel-api.ts';
import { readRange, shifted, spanOf, writeTime, type Range } from './range-text.ts';
import { useDayCounts } from './use-day-counts.ts';
import css from './time-range.module.css';

const MINUTE = 60e6;
const PRESETS = [
  { label: 'Last 15 minutes', width: 15 * MINUTE },
  { label: 'Last hour', width: 60 * MINUTE },
  { label: 'Last 6 hours', width: 360 * MINUTE },
  { label: 'Last 24 hours', width: 1440 * MINUTE },
  { label: 'Last 7 days', width: 7 * 1440 * MINUTE },
  { label: 'Last 30 days', width: 30 * 1440 * MINUTE },
] as const;

export function RangePicker() {
  const { views } = useWorkspace();
  const { from, to } = useView();
  const { first, last } = useCase();
  const zone = useZone();
  const [opened, setOpened] = useState(false);
  const isAll = from === undefined && to === undefined;
  const label = isAll ? 'All time' : rangeLabel({ from, to }, { first, last }, zone);
  const isWhole = from !== undefined && to !== undefined;
  const move = (steps: number): void => {
    const next = shifted({ from, to }, steps);
    if (next !== undefined) views.show(next);
  };
  useRangeCommands(isWhole, setOpened);
  return (
    <div className={css['group']} role="group" aria-label="Time range">
      {isWhole && (
        <Tooltip label="Previous range of this length">
          <ActionIcon aria-label="Previous range of this length" onClick={() => move(-1)}>
            <IconChevronLeft size={15} />
          </ActionIcon>
        </Tooltip>
      )}
      <Popover
        opened={opened}
        onChange={setOpened}
        position="bottom-end"
        shadow="lg"
        trapFocus
        returnFocus
      >
        <Popover.Target>
          <Button
            variant="default"
            size="xs"
            h={30}
            px={10}
            fw={500}
            rightSection={<IconChevronDown size={13} aria-hidden />}
            onClick={() => setOpened(!opened)}
          >
            {label}
          </Button>
        </Popover.Target>
        <Popover.Dropdown>
          {opened && (
            <RangeForm
              onDone={(range) => {
                setOpened(false);
                views.show({ from: range.from, to: range.to });
              }}
            />
          )}
        </Popover.Dropdown>
      </Popover>
      {isWhole && (
        <Tooltip label="Next range of this length">
          <ActionIcon aria-label="Next range of this length" onClick={() => move(1)}>
            <IconChevronRight size={15} />
          </ActionIcon>
        </Tooltip>
      )}
    </div>
  );
}

function useRangeCommands(isWhole: boolean, setOpened: (opened: boolean) => void): void {
  const { views } = useWorkspace();
  const commands = useMemo(() => {
    const step = (steps: number) => (): void => {
      const next = shifted(views.store.getState().view, steps);
      if (next !== undefined) views.show(next);
    };
    const disabled = isWhole ? undefined : 'no time range is set';
    return [
      {
        id: 'time.range',
        title: 'Choose a time range…',
        group: 'View',
        hotkey: 'alt+R',
        run: () => setOpened(true),
      },
      {
        id: 'time.before',
        title: 'Previous range of this length',
        group: 'View',
        hotkey: 'alt+PageUp',
        disabled,
        run: step(-1),
      },
      {
        id: 'time.after',
        title: 'Next range of this length',
        group: 'View',
        hotkey: 'alt+PageDown',
        disabled,
        run: step(1),
      },
    ];
  }, [views, isWhole, setOpened]);
  useCommands(commands);
}

function rangeLabel(
  { from, to }: Range,
  { first, last }: { first?: number | undefined; last?: number | undefined },
  zone: string,
): string {
  if (from !== undefined && to !== undefined) return formatRange(from, to, zone);
  if (from !== undefined) return `from ${formatRange(from, last ?? from, zone).split(' – ')[0]}`;
  if (to !== undefined) return `until ${formatRange(to, first ?? to, zone).split(' – ')[0]}`;
  return 'All time';
}

function RangeForm({ onDone }: { readonly onDone: (range: Range) => void }) {
  const { from, to } = useView();
  const info = useCase();
  const zone = useZone();
  const { data } = useAnswer('case.days', { case: info.case });
  const [texts, setTexts] = useState({ from: writeTime(from, zone), to: writeTime(to, zone) });
  const [isTried, setTried] = useState(false);
  // The zone may change while this is open.
  useEffect(() => {
    setTexts({ from: writeTime(from, zone), to: writeTime(to, zone) });
  }, [from, to, zone]);
  const read = readRange(texts.from, texts.to, zone, info.last);
  const wrong = isTried && !read.ok ? read : undefined;
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    setTried(true);
    if (read.ok) onDone(read.range);
  };
  const undated = data?.days.find(({ day }) => day === 'undated')?.events ?? 0;
  return (
    <div className={css['popover']}>
      <Presets onDone={onDone} />
      <form className={css['main']} onSubmit={submit} aria-label="Time range" noValidate>
        <TextInput
          label={`From (${zone})`}
          data-autofocus
          placeholder="the first event, or 24h"
          value={texts.from}
          error={wrong?.from}
          classNames={{ error: css['error'] ?? '' }}
          onChange={({ currentTarget }) => setTexts({ ...texts, from: currentTarget.value })}
        />
        <TextInput
          mt={6}
          label="To (not included)"
          placeholder="the last event"
          value={texts.to}
          error={wrong?.to}
          classNames={{ error: css['error'] ?? '' }}
          onChange={({ currentTarget }) => setTexts({ ...texts, to: currentTarget.value })}
        />
        <Days
          range={read.ok ? read.range : { from: undefined, to: undefined }}
          onPick={(range) =>
            setTexts({ from: writeTime(range.from, zone), to: writeTime(range.to, zone) })
          }
        />
        <div className={css['faint']}>
          {info.first !== undefined && info.last !== undefined && (
            <UnstyledButton
              fz={11}
              c="inherit"
              title="Copy these times into the fields"
              onClick={() =>
                setTexts({
                  from: writeTime(info.first, zone),
                  to: writeTime((info.last ?? 0) + 1, zone),
                })
              }
            >
              Events {formatTime(info.first, zone, 0)} – {formatTime(info.last, zone, 0)}
            </UnstyledButton>
          )}
          {undated > 0 && (
            <div>
              {counted(undated, 'event')} without a time {nounOf(undated, 'is', 'are')} never in a
              range
            </div>
          )}
        </div>
        <div className={css['row']} style={{ justifyContent: 'flex-end' }}>
          <Button type="submit">Apply</Button>
        </div>
      </form>
    </div>
  );
}

/** The look of the presets' buttons. */
const PRESET = { variant: 'subtle', color: 'gray', fw: 500, justify: 'flex-start', px: 8 } as const;

function Presets({ onDone }: { readonly onDone: (range: Range) => void }) {
  const { last } = useCase();
  return (
    <div className={css['presets']}>
      {PRESETS.map(({ label, width }) => (
        <Button
          key={label}
          {...PRESET}
          disabled={last === undefined}
          onClick={() =>
            // The newest event is included.
            last !== undefined && onDone({ from: last - width, to: last + 1 })
          }
        >
          {label}
        </Button>
      ))}
      <Button {...PRESET} onClick={() => onDone({ from: undefined, to: undefined })}>
        All time
      </Button>
      <span className={css['faint']} style={{ padding: '8px 0 0 8px' }}>
        before the newest event
      </span>
    </div>
  );
}

/** A calendar in the window's zone. */
function Days({
  range,
  onPick,
}: {
  readonly range: Range;
  readonly onPick: (range: Range) => void;
}) {
  const { last } = useCase();
  const zone = useZone();
  const [start, setStart] = useState<string | null>(null);
  const dayOf = (micros: number | undefined): string | null =>
    micros === undefined ? null : timeParts(micros, zone).date || null;
  const shown = dayOf(range.from ?? range.to ?? last);
  const [browsed, setBrowsed] = useState<{ from: string | null; month: string }>();
  // The calendar shows the month of a typed range.
  const month = browsed?.from === shown ? browsed.month : shown;
  const counts = useDayCounts(month);
  const most = Math.max(1, ...counts.values());
  return (
    <DatePicker
      type="range"
      size="sm"
      mt={8}
      weekendDays={[]}
      allowSingleDateInRange
      firstDayOfWeek={1}
      {...(month === null ? {} : { date: month })}
      onDateChange={(next) => setBrowsed({ from: shown, month: next })}
      value={
        start === null
          ? [dayOf(range.from), dayOf(range.to === undefined ? undefined : range.to - 1)]
          : [start, null]
      }
      onChange={([a, b]) => {
        if (a === null) return;
        const first = spanOf(a, zone);
        const end = spanOf(b ?? a, zone);
        setStart(b === null ? a : null);
        if (first !== undefined && end !== undefined) onPick({ from: first.from, to: end.to });
      }}
      renderDay={(date) => {
        const events = counts.get(date) ?? 0;
        const width = Math.max(3, Math.round(16 * Math.sqrt(events / most)));
        return (
          <div
            className={`${css['day'] ?? ''} ${events === 0 ? (css['empty'] ?? '') : ''}`}
            title={events === 0 ? 'No events on this day' : counted(events, 'event')}
          >
            {Number(date.slice(8))}
            {events > 0 && (
              <span className={css['dot']} style={{ width, marginLeft: -width / 2 }} />
            )}
          </div>
        );
      }}
    />
  );
}
