/** Every source with what it is taken for; decisions are made here, then the import begins. */
import { Button, Checkbox, SegmentedControl, Text } from '@mantine/core';
import { useState } from 'react';
import { formatBytes, formatCount, useImportJobs, counted, nounOf } from '../../panel-api.ts';
import { ClockInput, mistypedText } from '../../widgets/clock-input.tsx';
import { EventText, visibleText } from '../../widgets/event-text.tsx';
import form from '../../widgets/form.module.css';
import { Loading } from '../../widgets/loading.tsx';
import { Problem } from '../../widgets/problem.tsx';
import { ZoneSelect } from '../../widgets/zone-select.tsx';
import { importItems, type Preview } from './decisions.ts';
import css from './import.module.css';
import { inOrder, lookOf, type Look } from './preview-order.ts';
import { LimitFields, type Limits } from './limit-fields.tsx';
import { SourceRow } from './source-row.tsx';
import { YearInput } from './year-input.tsx';
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
  /** What was typed for a clock and is no error of one, by the path of the file. */
  const [mistyped, setMistyped] = useState<ReadonlyMap<string, string>>(new Map());
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

  const setMistypedOf = (of: string, text: string | undefined): void =>
    setMistyped((before) => {
      const others = [...before].filter(([other]) => other !== of);
      return new Map(text === undefined ? others : [...others, [of, text]]);
    });
  const wrongClock = wrongClockText(mistyped, deciding);

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
        if (blocked === undefined && wrongClock === undefined && (packets || flows)) start();
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
              value={shared.year}
              onYear={(year) => previews.decideAll({ year })}
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
                    mistypedClock={mistyped.get(preview.path)}
                    onMistypedClock={(text) => setMistypedOf(preview.path, text)}
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
          without a preview; what was decided for all holds for {nounOf(end.left, 'it', 'them')}.
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
          <Text size="xs">The clock that dated all of this was</Text>
          <ClockInput
            label="Clock of all"
            value={shared.clock}
            onClock={(clock) => previews.decideAll({ clock })}
            mistyped={mistyped.get(WHOLE)}
            onMistyped={(text) => setMistypedOf(WHOLE, text)}
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
        {wrongClock !== undefined && (
          <Text size="xs" className={css['warn']} role="alert">
            {wrongClock}
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
            wrongClock !== undefined ||
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

/** Which clock must be typed again before an import; a file that has no field for its clock any more does not count. */
function wrongClockText(
  mistyped: ReadonlyMap<string, string>,
  files: ReadonlyMap<string, Preview>,
): string | undefined {
  for (const [path, text] of mistyped) {
    if (path === WHOLE) return mistypedText('the clock of all', text);
    const file = files.get(path);
    if (file !== undefined && file.problem === undefined)
      return mistypedText(`the clock of ${visibleText(file.source, 80)}`, text);
  }
  return undefined;
}
