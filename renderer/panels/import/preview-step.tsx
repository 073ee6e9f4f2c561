/** Every source with what it is taken for; decisions are made here, then the import begins. */
import { Button, Checkbox, SegmentedControl, Text } from '@mantine/core';
import { useState } from 'react';
import { formatBytes, formatCount, useImportJobs, counted, nounOf } from '../../panel-api.ts';
import { ClockInput, mistypedClock } from '../../widgets/clock-input.tsx';
import { EventText, visibleText } from '../../widgets/event-text.tsx';
import form from '../../widgets/form.module.css';
import { Loading } from '../../widgets/loading.tsx';
import { Problem } from '../../widgets/problem.tsx';
import { mistypedYear, YearInput } from '../../widgets/year-input.tsx';
import type { Typing } from '../../widgets/typed-input.tsx';
import { ZoneSelect } from '../../widgets/zone-select.tsx';
import { importItems, type Preview } from './decisions.ts';
import css from './import.module.css';
import { inOrder, lookOf, type Look } from './preview-order.ts';
import { LimitFields, type Limits } from './limit-fields.tsx';
import { SourceRow } from './source-row.tsx';
import { Unlock } from './unlock.tsx';
import { usePreviews } from './use-previews.ts';
import { HASH_LIST, isLocked } from '../../../engine/contract/importer.ts';

const SHOWN = ['all', 'problem', 'guess'] as const;
type Shown = (typeof SHOWN)[number];
const LABELS: Readonly<Record<Shown, string>> = {
  all: 'All',
  problem: 'Needs a look',
  guess: 'Guessed',
};
/** What each source was when all were previewed. */
interface Judged {
  readonly end: NonNullable<ReturnType<typeof usePreviews>['end']>;
  readonly looks: ReadonlyMap<string, Look>;
}

function keyOf({ path, members }: Preview): string {
  return `${path}\n${members.join('\n')}`;
}

/** What was typed and is no value, by the path of the file. */
type Mistyped = Readonly<Record<'clock' | 'year', ReadonlyMap<string, string>>>;

/** What a decision about the whole import is kept under, beside the files that have their own. */
const WHOLE = '';

/** So many sources are seen at a glance. */
const FEW = 8;

interface Props {
  readonly path: string;
  readonly paths: readonly string[];
  /** Why the import cannot begin now. */
  readonly blocked: string | undefined;
  readonly onStarted: () => void;
  readonly onClose: () => void;
}

export function PreviewStep({ path, paths, blocked, onStarted, onClose }: Props) {
  const jobs = useImportJobs();
  const previews = usePreviews(path, paths);
  const [packets, setPackets] = useState(true);
  const [flows, setFlows] = useState(true);
  const [leaveOutOverlap, setLeaveOutOverlap] = useState(false);
  const [limits, setLimits] = useState<Limits>({});
  const [show, setShow] = useState<Shown>('all');
  const [judged, setJudged] = useState<Judged>();
  const [mistyped, setMistyped] = useState<Mistyped>({ clock: new Map(), year: new Map() });
  const { list, end, error, busy, shared, own } = previews;
  const captures = list.some((one) => one.format === 'pcap');
  const asking = list.filter((one) => one.asks.zone);
  const yearless = list.filter((one) => one.asks.year).length;
  const lists = list.filter((one) => one.problem === HASH_LIST).length;
  const problems = list.filter((one) => one.problem !== undefined).length - lists;
  const already = list.filter((one) => one.already !== undefined).length;
  // A file is decided about once, at the first of its members.
  const deciding = new Map<string, Preview>();
  for (const one of list) if (!deciding.has(one.path)) deciding.set(one.path, one);
  // Rows stay where they are while others come, and when a decision changes what they are.
  if (end !== undefined && judged?.end !== end) {
    setJudged({ end, looks: new Map(list.map((one) => [keyOf(one), lookOf(one)])) });
  }
  const locked = end?.ignored.filter(({ reason }) => isLocked(reason)) ?? [];
  const look = (one: Preview): Look => judged?.looks.get(keyOf(one)) ?? lookOf(one);
  const ordered = end === undefined ? list : inOrder(list, look);
  const seen = ordered.filter((one) => show === 'all' || look(one) === show);

  const typing = (what: keyof Mistyped, of: string): Typing => ({
    mistyped: mistyped[what].get(of),
    onMistyped: (text) =>
      setMistyped((before) => {
        const others = [...before[what]].filter(([other]) => other !== of);
        const next = new Map(text === undefined ? others : [...others, [of, text]]);
        return { ...before, [what]: next };
      }),
  });
  const wrong = wrongText(mistyped, deciding, yearless);

  const start = (): void => {
    jobs.start({
      ...{ case: path, items: importItems(paths, shared, own), packets, flows, leaveOutOverlap },
      ...(Object.keys(limits).length === 0 ? {} : { limits }),
    });
    onStarted();
  };
  return (
    <form
      className={form['stack']}
      onSubmit={(event) => {
        event.preventDefault();
        if (blocked === undefined && wrong === undefined && (packets || flows)) start();
      }}
    >
      <div className={form['row']} role="status">
        <Text size="sm" className={form['grow']}>
          {end === undefined && error === undefined ? (
            `Reading… ${formatCount(list.length)} so far`
          ) : end === undefined ? (
            'Not all could be previewed'
          ) : (
            <>
              <b>{counted(end.sources + end.left, 'source')}</b>, {formatBytes(end.bytes)}
              {lists > 0 && `, ${lists} of them ${nounOf(lists, 'a list', 'lists')} of hashes`}
              {problems > 0 && `, ${problems} cannot be read`}
              {already > 0 && `, ${already} in the case already`}
            </>
          )}
        </Text>
        {asking.length > 0 && (
          <div className={css['pair']}>
            <Text size="xs" id="zone-for-all">
              Time zone for the {asking.length === 1 ? 'source' : counted(asking.length, 'source')}{' '}
              without one
            </Text>
            <ZoneSelect
              aria-label="Time zone for all without one"
              width={170}
              value={shared.tz ?? ''}
              onZone={(tz) => previews.decideAll({ tz: tz === '' ? undefined : tz })}
            />
          </div>
        )}
        {yearless > 0 && (
          <div className={css['pair']}>
            <Text size="xs">
              Year for the {yearless === 1 ? 'source' : counted(yearless, 'source')} without one
            </Text>
            <YearInput
              label="Year for all without one"
              placeholder=""
              value={shared.year}
              onYear={(year) => previews.decideAll({ year })}
              {...typing('year', WHOLE)}
            />
          </div>
        )}
      </div>
      {error !== undefined && <Problem error={error} title="This could not be previewed" />}
      {list.length === 0 && end === undefined && error === undefined && (
        <Loading label="Reading the first records…" />
      )}
      {end !== undefined && list.length > FEW && (
        <div>
          <SegmentedControl
            aria-label="Sources that are listed"
            value={show}
            onChange={(next) => setShow(SHOWN.find((one) => one === next) ?? 'all')}
            data={SHOWN.map((one) => ({
              value: one,
              label: `${LABELS[one]} (${formatCount(
                one === 'all' ? list.length : list.filter((each) => look(each) === one).length,
              )})`,
            }))}
          />
        </div>
      )}
      {list.length > 0 && (
        <div className={css['frame']} tabIndex={0} role="region" aria-label="Sources">
          <table className={css['table']}>
            <thead>
              <tr>
                <th scope="col">Source</th>
                <th scope="col" className={css['number']}>
                  Size
                </th>
                <th scope="col">Format</th>
                <th scope="col">Zone</th>
                <th scope="col">Year</th>
                <th scope="col">First record</th>
              </tr>
            </thead>
            <tbody>
              {seen.map((preview) => {
                const decides = deciding.get(preview.path) === preview;
                return (
                  <SourceRow
                    key={keyOf(preview)}
                    preview={preview}
                    own={own[preview.path]}
                    busy={busy.has(preview.path)}
                    decides={decides}
                    onDecide={(decision) => previews.decide(preview.path, decision)}
                    clockTyping={typing('clock', preview.path)}
                    yearTyping={typing('year', preview.path)}
                  />
                );
              })}
            </tbody>
          </table>
        </div>
      )}
      {end !== undefined && list.length === 0 && locked.length === 0 && (
        <Text size="sm">Nothing here can be read as evidence.</Text>
      )}
      {end !== undefined && end.left > 0 && (
        <Text size="xs" c="dimmed">
          {counted(end.left, 'more file', 'more files')} {nounOf(end.left, 'is', 'are')} imported
          without a preview, with the decisions for all sources.
        </Text>
      )}
      {locked.length > 0 && <Unlock locked={locked} onUnlocked={previews.refresh} />}
      {end !== undefined && end.ignored.length > 0 && (
        <details>
          <summary className={form['muted']}>
            {counted(end.ignored.length, 'file is', 'files are')} left out
          </summary>
          <ul className={css['list']}>
            {end.ignored.slice(0, 200).map((one, at) => (
              <li key={at}>
                <EventText text={one.name} max={300} /> — <EventText text={one.reason} max={300} />
              </li>
            ))}
          </ul>
        </details>
      )}
      <LimitFields limits={limits} onLimits={setLimits} />
      {list.some((one) => one.problem === undefined) && (
        <div className={css['pair']}>
          <Text size="xs">The clock of all sources was</Text>
          <ClockInput
            label="Clock of all"
            value={shared.clock}
            onClock={(clock) => previews.decideAll({ clock })}
            {...typing('clock', WHOLE)}
          />
        </div>
      )}
      <div className={form['row']}>
        <Checkbox
          label="Leave out lines that another source has"
          title="Their events are hidden, not removed; the ledger can show them again"
          checked={leaveOutOverlap}
          onChange={(event) => setLeaveOutOverlap(event.currentTarget.checked)}
        />
        {captures && (
          <>
            <Checkbox
              label="Every packet as an event"
              checked={packets}
              onChange={(event) => setPackets(event.currentTarget.checked)}
            />
            <Checkbox
              label="Flows from packets"
              checked={flows}
              onChange={(event) => setFlows(event.currentTarget.checked)}
            />
          </>
        )}
        <span className={form['grow']} />
        {blocked !== undefined && (
          <Text size="xs" className={css['warn']}>
            {blocked}
          </Text>
        )}
        {wrong !== undefined && (
          <Text size="xs" className={css['warn']} role="alert">
            {wrong}
          </Text>
        )}
        {!packets && !flows && (
          <Text size="xs" className={css['warn']}>
            Without packets or flows, nothing of a capture is imported.
          </Text>
        )}
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
        <Button
          type="submit"
          data-autofocus
          disabled={
            blocked !== undefined ||
            wrong !== undefined ||
            (!packets && !flows) ||
            (end !== undefined && list.length === 0 && end.left === 0)
          }
        >
          {end === undefined ? 'Import now, skip preview' : 'Import'}
        </Button>
      </div>
    </form>
  );
}

/** Which clock or year must be typed again before an import; that of a file that has no field for it any more does not count. */
function wrongText(
  { clock, year }: Mistyped,
  files: ReadonlyMap<string, Preview>,
  yearless: number,
): string | undefined {
  const nameOf = ({ source }: Preview): string => visibleText(source, 80);
  for (const [path, text] of clock) {
    if (path === WHOLE) return mistypedClock('the clock of all sources', text);
    const file = files.get(path);
    if (file !== undefined && file.problem === undefined)
      return mistypedClock(`the clock of ${nameOf(file)}`, text);
  }
  for (const [path, text] of year) {
    if (path === WHOLE && yearless > 0) return mistypedYear('all sources without one', text);
    const file = files.get(path);
    if (file?.asks.year === true) return mistypedYear(nameOf(file), text);
  }
  return undefined;
}
