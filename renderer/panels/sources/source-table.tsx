/** Every source with its result; the selected one with all its details. */
import { Button, Text, UnstyledButton } from '@mantine/core';
import {
  formatBytes,
  formatCount,
  showEvidence,
  useAnswer,
  useCase,
  useEvidenceView,
  useRefusal,
  useWorkspace,
} from '../../panel-api.ts';
import type { Result } from '../../../engine/contract/operations.ts';
import { CopiedHash } from '../../widgets/sources/copied-hash.tsx';
import { Empty } from '../../widgets/empty.tsx';
import { EventText, visibleText } from '../../widgets/texts/event-text.tsx';
import { formatName } from '../../widgets/texts/format-name.ts';
import { eventsOf } from '../../widgets/sources/ledger-sum.ts';
import { Loading } from '../../widgets/loading.tsx';
import { Problem } from '../../widgets/problem.tsx';
import table from '../../widgets/result-table.module.css';
import { SourceName } from '../../widgets/sources/source-name.tsx';
import { TimeText } from '../../widgets/texts/time-text.tsx';
import { inWindow } from '../../widgets/texts/window-words.ts';
import { ByKind } from './by-kind.tsx';
import { SourceDetail } from './source-detail.tsx';
import { State, type Source } from './source-state.tsx';
import css from './sources.module.css';

const MOST_UNREAD = 1000;

export function SourceTable() {
  const workspace = useWorkspace();
  const { case: path } = useCase();
  const { source: chosen } = useEvidenceView();
  const noOverlaps = useRefusal('overlap.list');
  const { data, error } = useAnswer('case.sources', { case: path });
  if (error !== undefined) return <Problem error={error} title="The sources cannot be listed" />;
  if (data === undefined) return <Loading />;
  if (data.sources.length === 0 && data.unread.length === 0) {
    return (
      <Empty
        title="No evidence yet"
        text="Drop captures, logs or flow records on the window. Each file becomes a source with its hash, what was decided about its times, and a ledger of every record."
        actions={
          <Button onClick={() => workspace.dialogs.open({ dialog: 'import' })}>Add evidence</Button>
        }
      />
    );
  }
  const detail = data.sources.find(({ id }) => id === chosen);
  const hasLeft = data.sources.some((one) => one.duplicate + one.quarantined + one.skipped > 0);
  return (
    <div className={css['split']}>
      <div className={`${table['scroll']} ${css['left']}`}>
        <table
          className={`${table['table']} ${detail === undefined ? '' : css['beside']}`}
          aria-label="Sources"
        >
          <Heading isShort={detail !== undefined} hasLeft={hasLeft} />
          <tbody>
            {data.sources.map((source) => (
              <SourceRow
                key={source.id}
                source={source}
                isChosen={source.id === chosen}
                isShort={detail !== undefined}
                hasLeft={hasLeft}
              />
            ))}
          </tbody>
        </table>
        {data.unread.length > 0 && <Unread files={data.unread} />}
        {noOverlaps !== undefined && (
          <Text size="xs" c="dimmed" p={12}>
            {noOverlaps}
          </Text>
        )}
      </div>
      {detail !== undefined && (
        <SourceDetail key={detail.id} source={detail} sources={data.sources} />
      )}
    </div>
  );
}

interface Columns {
  /** The details of a source are next to the table. */
  readonly isShort: boolean;
  /** Some source has records that were not stored. */
  readonly hasLeft: boolean;
}

function Heading({ isShort, hasLeft }: Columns) {
  return (
    <thead>
      <tr>
        <th scope="col">Source</th>
        <th scope="col">State</th>
        {!isShort && (
          <>
            <th scope="col">Format</th>
            <th scope="col" className={table['number']}>
              Size
            </th>
          </>
        )}
        <th scope="col" className={table['number']}>
          Events
        </th>
        {!isShort && (
          <>
            <th scope="col">First</th>
            <th scope="col">Last</th>
            <th scope="col">By kind</th>
            {hasLeft && (
              <th scope="col" className={table['number']}>
                Not stored
              </th>
            )}
            <th scope="col" className={css['hash']}>
              SHA-256
            </th>
          </>
        )}
      </tr>
    </thead>
  );
}

function SourceRow({
  source,
  isChosen,
  isShort,
  hasLeft,
}: Columns & { readonly source: Source; readonly isChosen: boolean }) {
  const workspace = useWorkspace();
  return (
    <tr className={isChosen ? css['selected'] : undefined}>
      <td>
        <UnstyledButton
          className={css['name']}
          aria-label={visibleText(source.name, 300)}
          title={visibleText(source.path)}
          aria-pressed={isChosen}
          onClick={() => showEvidence(workspace, { source: isChosen ? undefined : source.id })}
        >
          <SourceName name={source.name} />
        </UnstyledButton>
      </td>
      <td>
        <State source={source} />
      </td>
      {!isShort && (
        <>
          <td>{formatName(source.importer, source.dialect)}</td>
          <td className={table['number']}>
            {source.bytes === undefined ? '' : formatBytes(source.bytes)}
          </td>
        </>
      )}
      <td className={table['number']}>{formatCount(eventsOf(source.byKind))}</td>
      {!isShort && (
        <>
          <td className="mono">
            {source.first !== undefined && <TimeText micros={source.first} digits={0} />}
          </td>
          <td className="mono">
            {source.last !== undefined && <TimeText micros={source.last} digits={0} />}
          </td>
          <td className={css['kinds']}>
            <ByKind counts={source.byKind} />
          </td>
          {hasLeft && (
            <td className={table['number']}>
              <NotStored source={source} />
            </td>
          )}
          <td className={css['hash']}>
            {source.sha256 !== undefined && <CopiedHash hash={source.sha256} length={10} />}
          </td>
        </>
      )}
    </tr>
  );
}

/** Files that became no source. */
function Unread({ files }: { readonly files: Result<'case.sources'>['unread'] }) {
  return (
    <>
      <table className={table['table']} aria-label="Not imported">
        <thead>
          <tr>
            <th scope="col">Not imported</th>
            <th scope="col">State</th>
            <th scope="col">Why</th>
          </tr>
        </thead>
        <tbody>
          {files.slice(0, MOST_UNREAD).map(({ name, status, reason }) => (
            <tr key={`${name} ${reason}`}>
              <td title={visibleText(name)}>
                <EventText text={name} max={300} />
              </td>
              <td>{status}</td>
              <td>
                <EventText text={inWindow(reason)} max={500} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {files.length > MOST_UNREAD && (
        <Text size="xs" c="dimmed">
          and {formatCount(files.length - MOST_UNREAD)} more: on the command line, daybook sources
          CASE lists all
        </Text>
      )}
    </>
  );
}

function NotStored({ source }: { readonly source: Source }) {
  const { duplicate, quarantined, skipped } = source;
  const counts = [
    { n: duplicate, word: 'duplicate', short: 'dup' },
    { n: quarantined, word: 'quarantined', short: 'quar' },
    { n: skipped, word: 'skipped', short: 'skip' },
  ].filter(({ n }) => n > 0);
  const parts = counts.map(
    ({ n, word, short }) => `${formatCount(n)} ${counts.length === 1 ? word : short}`,
  );
  return (
    <span
      className={quarantined > 0 ? css['warn'] : undefined}
      title={`${formatCount(duplicate)} duplicate, ${formatCount(quarantined)} quarantined, ${formatCount(skipped)} skipped`}
    >
      {parts.length === 0 ? '–' : parts.join(' · ')}
    </span>
  );
}
