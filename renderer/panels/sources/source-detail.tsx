/** All that is known of one source, and what can be changed about its times. */
import {
  DATE_ORDERS,
  describeDecisions,
  isDateOrder,
  ORDER_NAMES,
  type DateOrder,
} from '../../../engine/contract/decisions.ts';
import { listedHashText } from '../../../engine/contract/listed-hash-text.ts';
import { ActionIcon, Button, NumberInput, Select, Text } from '@mantine/core';
import { IconFilter, IconX } from '@tabler/icons-react';
import { useState } from 'react';
import {
  formatBytes,
  formatCount,
  formatMs,
  notifyDone,
  notifyError,
  showEvidence,
  useCase,
  usePivots,
  useWorkspace,
  counted,
} from '../../panel-api.ts';
import { CopiedHash } from '../../widgets/copied-hash.tsx';
import { EventText, visibleText } from '../../widgets/event-text.tsx';
import { decidedText, factName, factText } from '../../widgets/fact-text.ts';
import form from '../../widgets/form.module.css';
import { Ledger } from '../../widgets/ledger.tsx';
import { Overlaps } from '../../widgets/overlaps.tsx';
import { TimeText } from '../../widgets/time-text.tsx';
import { ZoneSelect } from '../../widgets/zone-select.tsx';
import { ByKind } from './by-kind.tsx';
import { State, type Source } from './source-state.tsx';
import css from './sources.module.css';

export function SourceDetail({ source }: { readonly source: Source }) {
  const { case: path } = useCase();
  const workspace = useWorkspace();
  const pivots = usePivots();
  const skipped = Object.entries(source.skippedReasons);
  return (
    <section className={css['detail']} aria-label={`Source ${visibleText(source.name, 200)}`}>
      <div className={css['title']}>
        <EventText text={source.name} max={400} />
        <ActionIcon
          aria-label="Close the details"
          onClick={() => showEvidence(workspace, { source: undefined })}
        >
          <IconX size={15} />
        </ActionIcon>
      </div>
      <div className={form['row']}>
        <Button
          size="compact-sm"
          leftSection={<IconFilter size={14} aria-hidden />}
          onClick={() => {
            pivots.only('source', source.name);
            workspace.views.show({ tab: 'events' });
          }}
        >
          Only events of this source
        </Button>
        <State source={source} />
      </div>
      {source.error !== undefined && (
        <div className={css['bad']}>
          <EventText text={source.error} />
        </div>
      )}
      <div>
        <h3 className={css['heading']}>Ledger</h3>
        <Ledger
          bar
          counts={source}
          onQuarantine={() =>
            showEvidence(workspace, { section: 'quarantine', quarantine: { source: source.id } })
          }
        />
        {skipped.map(([reason, n]) => (
          <div key={reason} className={form['muted']}>
            {formatCount(n)} skipped: <EventText text={reason} max={300} />
          </div>
        ))}
      </div>
      <div>
        <h3 className={css['heading']}>Facts</h3>
        <dl className={form['facts']}>
          <dt>Events</dt>
          <dd>
            <ByKind counts={source.byKind} />
          </dd>
          <dt>First</dt>
          <dd>
            {source.first === undefined ? (
              'no time'
            ) : (
              <TimeText micros={source.first} digits={digitsOf(source.first)} />
            )}
          </dd>
          <dt>Last</dt>
          <dd>
            {source.last === undefined ? (
              'no time'
            ) : (
              <TimeText micros={source.last} digits={digitsOf(source.last)} />
            )}
          </dd>
          <dt>Path</dt>
          <dd className="mono">
            <EventText text={source.path} />
          </dd>
          {source.members.length > 0 && (
            <>
              <dt>In the archive</dt>
              <dd className="mono">
                <EventText text={source.members.join(' › ')} />
              </dd>
            </>
          )}
          {source.bytes !== undefined && (
            <>
              <dt>Size</dt>
              <dd>
                {formatBytes(source.bytes)} ({counted(source.bytes, 'byte')})
              </dd>
            </>
          )}
          {source.sha256 !== undefined && (
            <>
              <dt>SHA-256</dt>
              <dd>
                <CopiedHash hash={source.sha256} />
              </dd>
            </>
          )}
          {source.contentSha256 !== undefined && source.contentSha256 !== source.sha256 && (
            <>
              <dt>Unpacked</dt>
              <dd>
                {source.contentBytes !== undefined && formatBytes(source.contentBytes)}{' '}
                <CopiedHash hash={source.contentSha256} />
              </dd>
            </>
          )}
          {source.listedHashes.length > 0 && (
            <>
              <dt>Manifests</dt>
              <dd>
                {source.listedHashes.map((one) => (
                  <div
                    key={`${one.manifest}:${one.line}`}
                    className={one.state === 'differs' ? css['bad'] : undefined}
                  >
                    <EventText text={listedHashText(one)} max={700} />
                  </div>
                ))}
              </dd>
            </>
          )}
          {source.modifiedMs !== undefined && (
            <>
              <dt>Modified</dt>
              <dd>
                <TimeText micros={Math.round(source.modifiedMs * 1000)} digits={0} />
              </dd>
            </>
          )}
          <dt>Read by</dt>
          <dd>
            {source.importer} {source.importerVersion}, {source.dialect}; import {source.importId},{' '}
            {formatMs(source.elapsedMs)}
          </dd>
        </dl>
      </div>
      <Decided decisions={source.decisions} />
      <Retime source={source} />
      <Overlaps path={path} sources={new Set([source.id])} heading={css['heading']} />
      <Records title="Options" record={source.options} />
      <Records title="Metadata" record={source.metadata} />
      {source.notes.length > 0 && (
        <div>
          <h3 className={css['heading']}>Notes</h3>
          <ul className={css['list']}>
            {source.notes.map((note) => (
              <li key={note}>
                <EventText text={note} />
              </li>
            ))}
          </ul>
        </div>
      )}
    </section>
  );
}

/** A source that counts whole seconds has no fraction to show. */
function digitsOf(micros: number): number {
  return micros % 1e6 === 0 ? 0 : 6;
}

function Decided({ decisions }: { readonly decisions: Source['decisions'] }) {
  const decided = describeDecisions(decisions);
  if (decided.length === 0) return null;
  return (
    <div>
      <h3 className={css['heading']}>Decisions</h3>
      <dl className={form['facts']}>
        {decided.map((one) => (
          <div key={one.name} style={{ display: 'contents' }}>
            <dt>{factName(one.name)}</dt>
            <dd>
              <span className="mono">
                <EventText text={decidedText(one)} max={1500} />
              </span>
              {one.basis !== undefined && (
                <div className={form['muted']}>
                  <EventText text={one.basis} max={300} />
                </div>
              )}
            </dd>
          </div>
        ))}
      </dl>
    </div>
  );
}

function Records({
  title,
  record,
}: {
  readonly title: string;
  readonly record: Readonly<Record<string, unknown>>;
}) {
  const entries = Object.entries(record).filter(([, value]) => value !== undefined);
  if (entries.length === 0) return null;
  return (
    <div>
      <h3 className={css['heading']}>{title}</h3>
      <dl className={form['facts']}>
        {entries.map(([name, value]) => (
          <div key={name} style={{ display: 'contents' }}>
            <dt>
              <EventText text={factName(name)} max={100} />
            </dt>
            <dd className="mono">
              <EventText text={factText(value)} max={1500} />
            </dd>
          </div>
        ))}
      </dl>
    </div>
  );
}

/** Only what was a decision can be decided anew: stated times stay. */
function Retime({ source }: { readonly source: Source }) {
  const { connection } = useWorkspace();
  const { case: path, readOnly } = useCase();
  const { tz, year, dateOrder } = source.decisions;
  const [nextZone, setNextZone] = useState('');
  const [nextYear, setNextYear] = useState<number>();
  const [nextOrder, setNextOrder] = useState<DateOrder>();
  const [busy, setBusy] = useState(false);
  const isRead = source.status === 'complete' || source.broken !== undefined;
  if ((tz === undefined && typeof year !== 'number' && dateOrder === undefined) || !isRead)
    return null;
  const apply = async (): Promise<void> => {
    setBusy(true);
    try {
      const { changed, notes } = await connection.call('source.retime', {
        case: path,
        source: source.id,
        ...(nextZone === '' ? {} : { tz: nextZone }),
        ...(nextYear === undefined ? {} : { year: nextYear }),
        ...(nextOrder === undefined ? {} : { dateOrder: nextOrder }),
      });
      notifyDone(notes.join('; '), `${counted(changed, 'event has', 'events have')} new times`);
      setNextZone('');
      setNextYear(undefined);
      setNextOrder(undefined);
    } catch (error) {
      notifyError(error, 'The times were not changed');
    } finally {
      setBusy(false);
    }
  };
  return (
    <div>
      <h3 className={css['heading']}>Change the times</h3>
      <form
        className={form['row']}
        onSubmit={(event) => {
          event.preventDefault();
          void apply();
        }}
      >
        {tz !== undefined && (
          <ZoneSelect
            aria-label="Another zone for this source"
            width={170}
            placeholder={String(tz)}
            value={nextZone}
            onZone={setNextZone}
          />
        )}
        {typeof year === 'number' && (
          <NumberInput
            aria-label="Another year of its last record"
            w={80}
            hideControls
            min={1970}
            max={2200}
            placeholder={String(year)}
            value={nextYear ?? ''}
            onChange={(value) => setNextYear(typeof value === 'number' ? value : undefined)}
          />
        )}
        {isDateOrder(dateOrder) && (
          <Select
            aria-label="Another order of its dates"
            w={150}
            clearable
            placeholder={ORDER_NAMES[dateOrder]}
            data={DATE_ORDERS.map((order) => ({ value: order, label: ORDER_NAMES[order] }))}
            value={nextOrder ?? null}
            onChange={(order) => setNextOrder(isDateOrder(order) ? order : undefined)}
          />
        )}
        <Button
          type="submit"
          size="compact-sm"
          variant="default"
          loading={busy}
          disabled={
            readOnly || (nextZone === '' && nextYear === undefined && nextOrder === undefined)
          }
        >
          Apply
        </Button>
      </form>
      <Text size="xs" c="dimmed">
        The evidence is not read again; the change is recorded in the audit log.
      </Text>
    </div>
  );
}
