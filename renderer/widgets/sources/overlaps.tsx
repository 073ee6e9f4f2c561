/** Lines that a source has in common with others, shown twice or left out: a switch that can be reversed. */
import { Switch, Text } from '@mantine/core';
import type { Result } from '../../../engine/contract/operations.ts';
import { counted } from '../../../engine/contract/words/counted.ts';
import { useAnswer } from '../../state/answer.ts';
import { useSession, useWorkspace } from '../../state/context.ts';
import { notifyDone } from '../../state/notify.ts';
import { useSubmit } from '../../state/submit.ts';
import { formatCount } from '../../state/view/time.ts';
import { EventText, visibleText } from '../texts/event-text.tsx';
import form from '../inputs/form.module.css';

type Overlap = Result<'overlap.list'>['overlaps'][number];

/** Pairs of sources that are listed; a switch for all of them is above. */
const MOST_SHOWN = 50;

/**
 * @param path of the case
 * @param sources those whose events can be left out
 */
export function Overlaps({
  path,
  sources,
  heading,
}: {
  readonly path: string;
  readonly sources: ReadonlySet<number>;
  readonly heading?: string | undefined;
}) {
  const readOnly = useSession(({ openCase }) => openCase?.readOnly === true);
  const { connection } = useWorkspace();
  const { busy, run: set } = useSubmit(async (overlaps: readonly Overlap[], leftOut: boolean) => {
    const { events } = await connection.call('overlap.set', {
      ...{ case: path, overlaps: overlaps.map(({ id }) => id), leftOut },
    });
    notifyDone(
      leftOut ? 'They can be shown again here.' : 'They are counted again.',
      `${counted(events, 'event')} ${leftOut ? 'left out' : 'shown again'}`,
    );
  }, 'The events were not changed');
  const { data } = useAnswer('overlap.list', { case: path });
  const found = (data?.overlaps ?? []).filter(({ sourceId }) => sources.has(sourceId));
  if (found.length === 0) return null;
  const pairs = [...grouped(found)];
  return (
    <section aria-label="Lines in other sources">
      <h3 className={heading}>Lines in other sources</h3>
      {pairs.length > 1 && (
        <Choice label="Leave out all of them" of={found} disabled={readOnly || busy} onSet={set} />
      )}
      {pairs.slice(0, MOST_SHOWN).map((pair) => {
        const [{ source, other, superseded } = { source: '', other: '', superseded: false }] = pair;
        const lines = pair.reduce((sum, { records }) => sum + records, 0);
        return (
          <div key={pair[0]?.id} className={form['row']}>
            <span className={form['grow']}>
              {sources.size > 1 && (
                <>
                  <EventText text={source} max={200} />:{' '}
                </>
              )}
              {superseded ? 'all ' : ''}
              {counted(lines, 'line')} {lines === 1 ? 'is' : 'are'} in{' '}
              <EventText text={other} max={200} />, too
            </span>
            <Choice
              label="Leave out"
              name={`Leave out lines of ${visibleText(source, 200)} that are in ${visibleText(other, 200)}`}
              of={pair}
              disabled={readOnly || busy}
              onSet={set}
            />
          </div>
        );
      })}
      {pairs.length > MOST_SHOWN && (
        <Text size="xs" c="dimmed">
          {formatCount(pairs.length - MOST_SHOWN)} more
        </Text>
      )}
      <Text size="xs" c="dimmed">
        Shown lines are counted in both sources. Nothing is removed; each change is recorded in the
        audit log.
      </Text>
    </section>
  );
}

/** Electron 9 has no `Map.groupBy`. */
function grouped(overlaps: readonly Overlap[]): Iterable<Overlap[]> {
  const pairs = new Map<string, Overlap[]>();
  for (const one of overlaps) {
    const key = `${one.sourceId}/${one.otherId}`;
    const pair = pairs.get(key);
    if (pair === undefined) pairs.set(key, [one]);
    else pair.push(one);
  }
  return pairs.values();
}

function Choice({
  label,
  name,
  of,
  disabled,
  onSet,
}: {
  readonly label: string;
  readonly name?: string;
  readonly of: readonly Overlap[];
  readonly disabled: boolean;
  readonly onSet: (overlaps: readonly Overlap[], leftOut: boolean) => void;
}) {
  return (
    <Switch
      label={label}
      aria-label={name ?? label}
      checked={of.every(({ leftOut }) => leftOut)}
      disabled={disabled}
      onChange={({ currentTarget }) => onSet(of, currentTarget.checked)}
    />
  );
}
