/** Everything known about one source. */
import { describeDecisions } from '../../../engine/contract/time/decisions.ts';
import { listedHashText } from '../../../engine/contract/words/listed-hash-text.ts';
import { ActionIcon, Button } from '@mantine/core';
import { IconFilter, IconX } from '@tabler/icons-react';
import {
  formatBytes,
  formatCount,
  formatMs,
  showEvidence,
  useCase,
  usePivots,
  useWorkspace,
  counted,
  refusalOf,
} from '../../panel-api.ts';
import { CopiedHash } from '../../widgets/sources/copied-hash.tsx';
import { EventText, visibleText } from '../../widgets/texts/event-text.tsx';
import { decidedText, factName, factText } from '../../widgets/texts/fact-text.ts';
import form from '../../widgets/inputs/form.module.css';
import { Ledger } from '../../widgets/sources/ledger.tsx';
import { Overlaps } from '../../widgets/sources/overlaps.tsx';
import { TimeText } from '../../widgets/texts/time-text.tsx';
import { inWindow } from '../../widgets/texts/window-words.ts';
import { ByKind } from './by-kind.tsx';
import { Retime } from './retime.tsx';
import { State, type Source } from './source-state.tsx';
import css from './sources.module.css';

interface Props {
  readonly source: Source;
  /** All of the case. */
  readonly sources: readonly Source[];
}

export function SourceDetail({ source, sources }: Props) {
  const info = useCase();
  const { case: path } = info;
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
          {...(refusalOf(info, 'quarantine.list') === undefined
            ? {
                onQuarantine: () =>
                  showEvidence(workspace, {
                    ...{ section: 'quarantine', quarantine: { source: source.id } },
                  }),
              }
            : {})}
        />
        {skipped.map(([reason, n]) => (
          <div key={reason} className={form['muted']}>
            {formatCount(n)} skipped: <EventText text={reason} max={300} />
          </div>
        ))}
      </div>
      <Facts source={source} />
      <Decided decisions={source.decisions} />
      <Retime source={source} sources={sources} />
      {refusalOf(info, 'overlap.list') === undefined && (
        <Overlaps path={path} sources={new Set([source.id])} heading={css['heading']} />
      )}
      <Records title="Options" record={source.options} />
      <Records title="Metadata" record={source.metadata} />
      {source.notes.length > 0 && (
        <div>
          <h3 className={css['heading']}>Notes</h3>
          <ul className={css['list']}>
            {source.notes.map((note) => (
              <li key={note}>
                <EventText text={inWindow(note)} />
              </li>
            ))}
          </ul>
        </div>
      )}
    </section>
  );
}

function Facts({ source }: { readonly source: Source }) {
  const { bytes, sha256, contentBytes, contentSha256, modifiedMs } = source;
  const isUnpacked = contentSha256 !== undefined && contentSha256 !== sha256;
  return (
    <div>
      <h3 className={css['heading']}>Facts</h3>
      <dl className={form['facts']}>
        <dt>Events</dt>
        <dd>
          <ByKind counts={source.byKind} />
        </dd>
        <dt>First</dt>
        <dd>
          <TimeOf micros={source.first} />
        </dd>
        <dt>Last</dt>
        <dd>
          <TimeOf micros={source.last} />
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
        {bytes !== undefined && (
          <>
            <dt>Size</dt>
            <dd>
              {formatBytes(bytes)} ({counted(bytes, 'byte')})
            </dd>
          </>
        )}
        {sha256 !== undefined && (
          <>
            <dt>SHA-256</dt>
            <dd>
              <CopiedHash hash={sha256} />
            </dd>
          </>
        )}
        {isUnpacked && (
          <>
            <dt>Unpacked</dt>
            <dd>
              {contentBytes !== undefined && formatBytes(contentBytes)}{' '}
              <CopiedHash hash={contentSha256} />
            </dd>
          </>
        )}
        <ListedHashes hashes={source.listedHashes} />
        {modifiedMs !== undefined && (
          <>
            <dt>Modified</dt>
            <dd>
              <TimeText micros={Math.round(modifiedMs * 1000)} digits={0} />
            </dd>
          </>
        )}
        <dt>Read by</dt>
        <dd>
          {source.importer} {source.importerVersion}, {source.dialect}; import {source.importId}
          {source.elapsedMs !== undefined && `, ${formatMs(source.elapsedMs)}`}
        </dd>
      </dl>
    </div>
  );
}

function ListedHashes({ hashes }: { readonly hashes: Source['listedHashes'] }) {
  if (hashes.length === 0) return null;
  return (
    <>
      <dt>Manifests</dt>
      <dd>
        {hashes.map((one) => (
          <div
            key={`${one.manifest}:${one.line}`}
            className={one.state === 'differs' ? css['bad'] : undefined}
          >
            <EventText text={listedHashText(one)} max={700} />
          </div>
        ))}
      </dd>
    </>
  );
}

/** A source that counts whole seconds has no fraction to show. */
function TimeOf({ micros }: { readonly micros: number | undefined }) {
  if (micros === undefined) return 'no time';
  return <TimeText micros={micros} digits={micros % 1e6 === 0 ? 0 : 6} />;
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
