/** Every source with its detected format; decisions are made here, then the import starts. */
import { Button, Checkbox, Text } from '@mantine/core';
import { useState } from 'react';
import { isLocked } from '../../../../engine/contract/left-out.ts';
import { counted, nounOf, useImportJobs } from '../../../panel-api.ts';
import { ClockInput } from '../../../widgets/inputs/clock-input.tsx';
import { EventText } from '../../../widgets/texts/event-text.tsx';
import form from '../../../widgets/inputs/form.module.css';
import { Form } from '../../../widgets/inputs/form.tsx';
import { Loading } from '../../../widgets/loading.tsx';
import { Problem } from '../../../widgets/problem.tsx';
import { inWindow } from '../../../widgets/texts/window-words.ts';
import { importItems, type Preview } from '../decisions.ts';
import css from '../import.module.css';
import { LimitFields, type Limits } from '../limit-fields.tsx';
import { PreviewList } from './preview-list.tsx';
import { PreviewSummary } from './preview-summary.tsx';
import { Unlock } from '../unlock.tsx';
import { useMistyped, WHOLE } from '../use-mistyped.ts';
import { usePreviews, type Previews } from './use-previews.ts';

/** Number of files left out that are named. */
const MOST_IGNORED = 200;

/** Options for the whole import. */
interface Choices {
  readonly packets: boolean;
  readonly flows: boolean;
  readonly leaveOutOverlap: boolean;
}

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
  const [choices, setChoices] = useState<Choices>({
    packets: true,
    flows: true,
    leaveOutOverlap: false,
  });
  const [limits, setLimits] = useState<Limits>({});
  const { list, end, error, shared, perFile } = previews;
  // A file is decided only once, at the first of its members.
  const deciding = new Map<string, Preview>();
  for (const one of list) if (!deciding.has(one.path)) deciding.set(one.path, one);
  const { typing, problem } = useMistyped(deciding, list.filter((one) => one.asks.year).length);
  const makesNothing = !choices.packets && !choices.flows;
  const warnings = [
    ...(blocked === undefined ? [] : [{ text: blocked }]),
    ...(problem === undefined ? [] : [{ text: problem, role: 'alert' }]),
    ...(makesNothing
      ? [{ text: 'Without packets or flows, nothing of a capture is imported.' }]
      : []),
  ];
  const isEmpty = end !== undefined && list.length === 0;

  const start = (): void => {
    jobs.start({
      ...{ case: path, items: importItems(paths, shared, perFile), ...choices },
      ...(Object.keys(limits).length === 0 ? {} : { limits }),
    });
    onStarted();
  };
  return (
    <Form
      onSubmit={() => {
        if (warnings.length === 0) start();
      }}
    >
      <PreviewSummary previews={previews} typing={typing} />
      {error !== undefined && (
        <Problem margin={0} error={error} title="This could not be previewed" />
      )}
      {list.length === 0 && end === undefined && error === undefined && (
        <Loading label="Reading the first records…" />
      )}
      <PreviewList previews={previews} deciding={deciding} typing={typing} />
      {end !== undefined && <Unseen end={end} isEmpty={isEmpty} onUnlocked={previews.refresh} />}
      <div className={form['row']}>
        <LimitFields limits={limits} onLimits={setLimits} />
        <span className={form['grow']} />
        <ClockOfAll previews={previews} typing={typing} />
      </div>
      <div className={`${form['row']} ${form['bottom']}`}>
        <ChoiceBoxes
          choices={choices}
          onChoices={setChoices}
          hasCaptures={list.some((one) => one.format === 'pcap')}
        />
        <span className={form['grow']} />
        {warnings.map(({ text, role }) => (
          <Text key={text} size="xs" className={css['warn']} role={role}>
            {text}
          </Text>
        ))}
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
        <Button
          type="submit"
          data-autofocus
          disabled={warnings.length > 0 || (isEmpty && end.left === 0)}
        >
          {end === undefined ? 'Import now, skip preview' : 'Import'}
        </Button>
      </div>
    </Form>
  );
}

function ClockOfAll({
  previews: { list, shared, decideAll },
  typing,
}: {
  readonly previews: Previews;
  readonly typing: ReturnType<typeof useMistyped>['typing'];
}) {
  if (list.every((one) => one.problem !== undefined)) return null;
  return (
    <div className={css['pair']}>
      <Text size="xs">The clock of all sources was</Text>
      <ClockInput
        label="Clock of all"
        value={shared.clock}
        onClock={(clock) => decideAll({ clock })}
        {...typing('clock', WHOLE)}
      />
    </div>
  );
}

/** Evidence without a row: encrypted archives, files left out, and files beyond the preview's limit. */
function Unseen({
  end,
  isEmpty,
  onUnlocked,
}: {
  readonly end: NonNullable<Previews['end']>;
  /** Whether nothing has a row. */
  readonly isEmpty: boolean;
  readonly onUnlocked: () => void;
}) {
  const locked = end.ignored.filter(({ reason }) => isLocked(reason));
  return (
    <>
      {isEmpty && locked.length === 0 && (
        <Text size="sm">Nothing here can be read as evidence.</Text>
      )}
      {end.left > 0 && (
        <Text size="xs" c="dimmed">
          {counted(end.left, 'more file', 'more files')} {nounOf(end.left, 'is', 'are')} imported
          without a preview, with the decisions for all sources.
        </Text>
      )}
      {locked.length > 0 && <Unlock locked={locked} onUnlocked={onUnlocked} />}
      {end.ignored.length > 0 && (
        <details>
          <summary className={form['muted']}>
            {counted(end.ignored.length, 'file is', 'files are')} left out
          </summary>
          <ul className={css['list']}>
            {end.ignored.slice(0, MOST_IGNORED).map((one, at) => (
              <li key={at}>
                <EventText text={one.name} max={300} /> —{' '}
                <EventText text={inWindow(one.reason)} max={300} />
              </li>
            ))}
          </ul>
        </details>
      )}
    </>
  );
}

function ChoiceBoxes({
  choices,
  onChoices,
  hasCaptures,
}: {
  readonly choices: Choices;
  readonly onChoices: (choices: Choices) => void;
  readonly hasCaptures: boolean;
}) {
  const box = (name: keyof Choices, label: string, title?: string) => (
    <Checkbox
      label={label}
      title={title}
      checked={choices[name]}
      onChange={(event) => onChoices({ ...choices, [name]: event.currentTarget.checked })}
    />
  );
  return (
    <>
      {box(
        'leaveOutOverlap',
        'Leave out lines already in another source',
        'Their events are hidden, not removed; the ledger can show them again',
      )}
      {hasCaptures && box('packets', 'Every packet as an event')}
      {hasCaptures && box('flows', 'Flows from packets')}
    </>
  );
}
