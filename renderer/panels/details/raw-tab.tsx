/** The record as it is in its source: as text with invisible characters shown, and as bytes. */
import { SegmentedControl } from '@mantine/core';
import { useMemo, useState } from 'react';
import { counted, formatCount, useAnswer, useCase } from '../../panel-api.ts';
import { EventText } from '../../widgets/texts/event-text.tsx';
import { Loading } from '../../widgets/loading.tsx';
import { BytesProblem } from './bytes-problem.tsx';
import { HexView } from './hex-view.tsx';
import css from './details.module.css';

/** Text beyond this is shown as bytes only: nobody reads it, and laying it out takes seconds. */
const MAX_TEXT = 64 << 10;

/** NULs are in records of Windows event logs, and in texts of two bytes a character. */
function hasNul(bytes: Uint8Array): boolean {
  return bytes.subarray(0, MAX_TEXT).includes(0);
}

export function RawTab({ event, binary }: { readonly event: string; readonly binary: boolean }) {
  const info = useCase();
  const { data, error } = useAnswer('event.raw', { case: info.case, event }, { live: false });
  const [chosen, choose] = useState<string>();
  const text = useMemo(
    () => (data === undefined ? '' : new TextDecoder().decode(data.bytes.subarray(0, MAX_TEXT))),
    [data],
  );
  if (error !== undefined) return <BytesProblem error={error} />;
  if (data === undefined) return <Loading />;
  const as = chosen ?? (binary || hasNul(data.bytes) ? 'hex' : 'text');
  return (
    <div className={css['box']}>
      <div className={css['boxTitle']}>
        <span>
          {counted(data.length, 'byte')} at offset {formatCount(data.offset)}
        </span>
        <SegmentedControl
          size="xs"
          value={as}
          onChange={choose}
          data={[
            { value: 'text', label: 'Text' },
            { value: 'hex', label: 'Hex' },
          ]}
          aria-label="Show the record as"
        />
      </div>
      {as === 'hex' ? (
        <HexView bytes={data.bytes} base={data.offset} />
      ) : (
        <pre
          className="mono evidence"
          style={{ margin: 0, padding: 10, whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}
        >
          <EventText text={text} max={MAX_TEXT} />
        </pre>
      )}
      {(data.truncated || data.bytes.length > MAX_TEXT) && (
        <p className={css['note']}>
          {data.truncated
            ? `The first ${formatCount(data.bytes.length)} of ${counted(data.length, 'byte')}.`
            : `Text shows the first ${formatCount(MAX_TEXT)} bytes, Hex all of them.`}
        </p>
      )}
      <p className={css['note']}>
        Read from the evidence itself: <EventText text={data.source} max={1000} />
      </p>
    </div>
  );
}
