/** The data that both sides of a connection sent, in order of arrival. */
import { Button, SegmentedControl } from '@mantine/core';
import { Fragment, useMemo, useState } from 'react';
import type { Result } from '../../../engine/contract/operations.ts';
import { counted, formatCount, useAnswer, useCase } from '../../panel-api.ts';
import { EventText } from '../../widgets/texts/event-text.tsx';
import { Loading } from '../../widgets/loading.tsx';
import { BytesProblem } from './bytes-problem.tsx';
import { HexView } from './hex-view.tsx';
import css from './details.module.css';

type Part = Result<'event.stream'>['parts'][number];

const LIMIT = 64 << 10;
const MOST = 4 << 20;
/** Text of one part: laying out more takes seconds. */
const MAX_TEXT = 64 << 10;

const SIDES = [
  { value: 'both', label: 'Both' },
  { value: 'client', label: 'Client' },
  { value: 'server', label: 'Server' },
] as const;

export function StreamTab({ event }: { readonly event: string }) {
  const folder = useCase().case;
  const [limit, setLimit] = useState(LIMIT);
  const [side, setSide] = useState('both');
  const [chosen, choose] = useState<string>();
  const { data, error } = useAnswer(
    'event.stream',
    { case: folder, event, limit },
    { live: false },
  );
  const parts = useMemo(
    () =>
      (data?.parts ?? []).filter(
        ({ isFromClient }) => side === 'both' || isFromClient === (side === 'client'),
      ),
    [data, side],
  );
  if (error !== undefined) return <BytesProblem error={error} />;
  if (data === undefined) return <Loading />;
  const as = chosen ?? (beginsBinary(data.parts) ? 'hex' : 'text');
  const total = data.fromClient + data.fromServer;
  const shown = sizeOf(data.parts);
  const isEncoded = data.parts.some(({ decoded }) => decoded !== undefined);
  const missing = parts.reduce((sum, part) => sum + part.missing, 0);
  return (
    <div className={css['box']}>
      <div className={css['boxTitle']}>
        <span>
          The client sent {counted(data.fromClient, 'byte')}, the server{' '}
          {formatCount(data.fromServer)}
        </span>
      </div>
      <div className={css['streamTools']}>
        <SegmentedControl
          size="xs"
          aria-label="Which side"
          value={side}
          onChange={setSide}
          data={[...SIDES]}
        />
        <SegmentedControl
          size="xs"
          aria-label="Show the bytes as"
          value={as}
          onChange={choose}
          data={[
            { value: 'text', label: 'Text' },
            ...(isEncoded ? [{ value: 'decoded', label: 'Decoded' }] : []),
            { value: 'hex', label: 'Hex' },
          ]}
        />
      </div>
      {total === 0 && <p className={css['note']}>No TCP or UDP payload was captured.</p>}
      {as === 'hex' && total > 0 ? (
        <>
          {missing > 0 && (
            <p className={css['note']}>
              Without {counted(missing, 'byte that was', 'bytes that were')} not captured; the text
              shows where.
            </p>
          )}
          <HexView bytes={joined(parts)} />
        </>
      ) : (
        parts.map((part, at) => <StreamPart key={at} part={part} isDecoded={as === 'decoded'} />)
      )}
      {total > shown && <First shown={shown} total={total} limit={limit} onLimit={setLimit} />}
    </div>
  );
}

function First({
  shown,
  total,
  limit,
  onLimit,
}: {
  readonly shown: number;
  readonly total: number;
  readonly limit: number;
  readonly onLimit: (limit: number) => void;
}) {
  return (
    <p className={css['note']}>
      The first {formatCount(shown)} of {counted(total, 'byte')}.{' '}
      {limit < MOST && (
        <Button
          variant="subtle"
          size="compact-xs"
          onClick={() => onLimit(Math.min(MOST, limit * 8))}
        >
          Show more
        </Button>
      )}
    </p>
  );
}

interface PartProps {
  readonly part: Part;
  /** Whether bodies of HTTP are shown without their chunks and decompressed. */
  readonly isDecoded: boolean;
}

function StreamPart({ part, isDecoded }: PartProps) {
  const { isFromClient, missing } = part;
  const decoded = isDecoded ? part.decoded : undefined;
  const bytes = decoded?.bytes ?? part.bytes;
  // Line breaks are kept as such; all other invisible characters are made visible.
  const lines = useMemo(
    () => new TextDecoder().decode(bytes.subarray(0, MAX_TEXT)).split(/\r?\n/),
    [bytes],
  );
  if (missing > 0)
    return <p className={css['note']}>{counted(missing, 'byte was', 'bytes were')} not captured</p>;
  return (
    <>
      <pre
        className={`mono evidence ${css['part']} ${css[isFromClient ? 'fromClient' : 'fromServer']}`}
        aria-label={isFromClient ? 'From the client' : 'From the server'}
      >
        {lines.map((line, at) => (
          <Fragment key={at}>
            {at > 0 && '\n'}
            <EventText text={line} max={MAX_TEXT} />
          </Fragment>
        ))}
      </pre>
      {bytes.length > MAX_TEXT && (
        <p className={css['note']}>The first {counted(MAX_TEXT, 'byte')} of this part.</p>
      )}
      {decoded?.problems.map((problem) => (
        <p key={problem} className={css['note']}>
          {problem}
        </p>
      ))}
    </>
  );
}

/** Bytes at the beginning of a stream that decide whether it is text. */
const BEGINNING = 64;

/**
 * Whether the first bytes of either side contain NULs; later bodies may contain some in a stream that is read as
 * text.
 */
function beginsBinary(parts: readonly Part[]): boolean {
  return [true, false].some((fromClient) => {
    const first = parts.find(
      ({ isFromClient, bytes }) => isFromClient === fromClient && bytes.length > 0,
    );
    return first?.bytes.subarray(0, BEGINNING).includes(0) === true;
  });
}

function joined(parts: readonly Part[]): Uint8Array {
  const all = new Uint8Array(sizeOf(parts));
  let at = 0;
  for (const { bytes } of parts) {
    all.set(bytes, at);
    at += bytes.length;
  }
  return all;
}

function sizeOf(parts: readonly Part[]): number {
  return parts.reduce((sum, { bytes }) => sum + bytes.length, 0);
}
