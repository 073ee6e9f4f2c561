/** Changes the decisions about the times of a source, and of others like it. Stated times stay. */
import { Button, Select, Text } from '@mantine/core';
import { useState } from 'react';
import {
  DATE_ORDERS,
  isDateOrder,
  ORDER_NAMES,
  type DateOrder,
} from '../../../engine/contract/time/decisions.ts';
import {
  counted,
  notifyDone,
  notifyPartly,
  useCase,
  useRefusal,
  useSubmit,
  useWorkspace,
} from '../../panel-api.ts';
import { ClockInput, mistypedClock } from '../../widgets/inputs/clock-input.tsx';
import { visibleText } from '../../widgets/texts/event-text.tsx';
import form from '../../widgets/inputs/form.module.css';
import { Form } from '../../widgets/inputs/form.tsx';
import { mistypedYear, YearInput } from '../../widgets/inputs/year-input.tsx';
import { ZoneSelect } from '../../widgets/inputs/zone-select.tsx';
import { notesText } from './notes-text.ts';
import { sourcesNear } from './sources-near.ts';
import type { Source } from './source-state.tsx';
import css from './sources.module.css';

interface Next {
  readonly tz?: string | undefined;
  readonly year?: number | undefined;
  readonly dateOrder?: DateOrder | undefined;
  readonly clock?: string | undefined;
}

/** Invalid texts for a year or a clock. */
interface Mistyped {
  readonly year?: string | undefined;
  readonly clock?: string | undefined;
}

interface Props {
  readonly source: Source;
  /** All of the case. */
  readonly sources: readonly Source[];
}

export function Retime({ source, sources }: Props) {
  const { connection } = useWorkspace();
  const { case: path, readOnly } = useCase();
  const refused = useRefusal('source.retime');
  const [next, setNext] = useState<Next>({});
  const [scope, setScope] = useState('0');
  const [mistyped, setMistyped] = useState<Mistyped>({});
  const decided = Object.entries(next).filter(([, value]) => value !== undefined);
  const scopes = sourcesNear(source, sources);
  const chosen = scopes[Number(scope)] ?? scopes[0]!;
  const { busy, run } = useSubmit(async () => {
    const { changed, notes } = await connection.call('source.retime', {
      ...{ case: path, sources: chosen.sources.map(({ id }) => id) },
      ...Object.fromEntries(decided),
    });
    // If several sources are chosen, the message names those that stay as they are.
    const notify = chosen.sources.length > 1 && notes.length > 0 ? notifyPartly : notifyDone;
    notify(notesText(notes), `${counted(changed, 'event has', 'events have')} new times`);
    setNext({});
  }, 'The times were not changed');
  if (refused !== undefined) return <p className={form['muted']}>{refused}</p>;
  const isRead = source.status === 'complete' || source.broken !== undefined;
  if (source.first === undefined || !isRead) return null;
  const wrong =
    mistyped.year !== undefined
      ? mistypedYear('the last record', mistyped.year)
      : mistyped.clock !== undefined
        ? mistypedClock('the clock', mistyped.clock)
        : undefined;
  return (
    <div>
      <h3 className={css['heading']}>Change the times</h3>
      <Form isRow onSubmit={run}>
        <Decisions
          decisions={source.decisions}
          next={next}
          onNext={setNext}
          mistyped={mistyped}
          onMistyped={setMistyped}
        />
        {scopes.length > 1 && (
          <Select
            aria-label="Sources to change"
            w={230}
            allowDeselect={false}
            data={scopes.map((one, i) => ({
              value: String(i),
              label: visibleText(one.label, 80),
            }))}
            value={scopes[Number(scope)] === undefined ? '0' : scope}
            onChange={(value) => setScope(value ?? '0')}
          />
        )}
        <Button
          type="submit"
          size="compact-sm"
          variant="default"
          loading={busy}
          disabled={readOnly || decided.length === 0 || wrong !== undefined}
        >
          Apply
        </Button>
      </Form>
      {wrong !== undefined && (
        <Text size="xs" className={css['warn']} role="alert">
          {wrong}
        </Text>
      )}
      <Text size="xs" c="dimmed">
        The evidence is not read again; the change is recorded in the audit log.
        {wrong === undefined && (
          <>
            {' '}
            A clock is given by how far it was off, such as <i>90s fast</i> or <i>1h2m slow</i>.
          </>
        )}
      </Text>
    </div>
  );
}

/** An input for each decision that can be changed; if empty, it shows the current one as a placeholder. */
function Decisions({
  decisions: { tz, year, dateOrder, clock },
  next,
  onNext,
  mistyped,
  onMistyped,
}: {
  readonly decisions: Source['decisions'];
  readonly next: Next;
  readonly onNext: (next: Next) => void;
  readonly mistyped: Mistyped;
  readonly onMistyped: (mistyped: Mistyped) => void;
}) {
  return (
    <>
      {tz !== undefined && (
        <ZoneSelect
          aria-label="Another zone"
          width={170}
          placeholder={String(tz)}
          value={next.tz ?? ''}
          onZone={(zone) => onNext({ ...next, tz: zone === '' ? undefined : zone })}
        />
      )}
      {typeof year === 'number' && (
        <YearInput
          label="Another year of the last record"
          placeholder={String(year)}
          value={next.year}
          onYear={(value) => onNext({ ...next, year: value })}
          mistyped={mistyped.year}
          onMistyped={(text) => onMistyped({ ...mistyped, year: text })}
        />
      )}
      {isDateOrder(dateOrder) && (
        <Select
          aria-label="Another order of the dates"
          w={150}
          clearable
          placeholder={ORDER_NAMES[dateOrder]}
          data={DATE_ORDERS.map((order) => ({ value: order, label: ORDER_NAMES[order] }))}
          value={next.dateOrder ?? null}
          onChange={(order) =>
            onNext({ ...next, dateOrder: isDateOrder(order) ? order : undefined })
          }
        />
      )}
      <span className={form['muted']}>The clock was</span>
      <ClockInput
        label="How wrong the clock was"
        placeholder={clock === undefined ? 'right' : String(clock)}
        value={next.clock}
        onClock={(error) => onNext({ ...next, clock: error })}
        mistyped={mistyped.clock}
        onMistyped={(text) => onMistyped({ ...mistyped, clock: text })}
      />
    </>
  );
}
