/** Changes what was decided about the times of a source, and of others like it. Stated times stay. */
import { Button, Select, Text } from '@mantine/core';
import { useState } from 'react';
import {
  DATE_ORDERS,
  isDateOrder,
  ORDER_NAMES,
  type DateOrder,
} from '../../../engine/contract/decisions.ts';
import {
  counted,
  notifyDone,
  notifyPartly,
  useCase,
  useRefusal,
  useSubmit,
  useWorkspace,
} from '../../panel-api.ts';
import { ClockInput, mistypedClock } from '../../widgets/clock-input.tsx';
import { visibleText } from '../../widgets/event-text.tsx';
import form from '../../widgets/form.module.css';
import { Form } from '../../widgets/form.tsx';
import { mistypedYear, YearInput } from '../../widgets/year-input.tsx';
import { ZoneSelect } from '../../widgets/zone-select.tsx';
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

interface Props {
  readonly source: Source;
  /** All of the case. */
  readonly sources: readonly Source[];
}

export function Retime({ source, sources }: Props) {
  const { connection } = useWorkspace();
  const { case: path, readOnly } = useCase();
  const refused = useRefusal('source.retime');
  const { tz, year, dateOrder, clock } = source.decisions;
  const [next, setNext] = useState<Next>({});
  const [scope, setScope] = useState('0');
  const [clockMistyped, setClockMistyped] = useState<string>();
  const [yearMistyped, setYearMistyped] = useState<string>();
  const decided = Object.entries(next).filter(([, value]) => value !== undefined);
  const scopes = sourcesNear(source, sources);
  const chosen = scopes[Number(scope)] ?? scopes[0]!;
  const { busy, run } = useSubmit(async () => {
    const { changed, notes } = await connection.call('source.retime', {
      ...{ case: path, sources: chosen.sources.map(({ id }) => id) },
      ...Object.fromEntries(decided),
    });
    // Of several sources, what is said names those that stay as they are.
    const notify = chosen.sources.length > 1 && notes.length > 0 ? notifyPartly : notifyDone;
    notify(notesText(notes), `${counted(changed, 'event has', 'events have')} new times`);
    setNext({});
  }, 'The times were not changed');
  if (refused !== undefined) return <p className={form['muted']}>{refused}</p>;
  const isRead = source.status === 'complete' || source.broken !== undefined;
  if (source.first === undefined || !isRead) return null;
  const wrong =
    yearMistyped !== undefined
      ? mistypedYear('the last record', yearMistyped)
      : clockMistyped !== undefined
        ? mistypedClock('the clock', clockMistyped)
        : undefined;
  return (
    <div>
      <h3 className={css['heading']}>Change the times</h3>
      <Form isRow onSubmit={run}>
        {tz !== undefined && (
          <ZoneSelect
            aria-label="Another zone"
            width={170}
            placeholder={String(tz)}
            value={next.tz ?? ''}
            onZone={(zone) => setNext({ ...next, tz: zone === '' ? undefined : zone })}
          />
        )}
        {typeof year === 'number' && (
          <YearInput
            label="Another year of the last record"
            placeholder={String(year)}
            value={next.year}
            onYear={(value) => setNext({ ...next, year: value })}
            mistyped={yearMistyped}
            onMistyped={setYearMistyped}
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
              setNext({ ...next, dateOrder: isDateOrder(order) ? order : undefined })
            }
          />
        )}
        <span className={form['muted']}>The clock was</span>
        <ClockInput
          label="How wrong the clock was"
          placeholder={clock === undefined ? 'right' : String(clock)}
          value={next.clock}
          onClock={(error) => setNext({ ...next, clock: error })}
          mistyped={clockMistyped}
          onMistyped={setClockMistyped}
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
