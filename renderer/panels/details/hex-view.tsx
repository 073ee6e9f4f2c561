/**
 * A hex dump, sixteen bytes a row, or eight where there is no room for more, with one range highlighted. Only the
 * rows on screen are rendered, so that a megabyte scrolls smoothly.
 */
import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useLayoutEffect, useRef, useState, type RefObject } from 'react';
import { counted } from '../../panel-api.ts';
import css from './details.module.css';

const ROW_HEIGHT = 17;
/** Pixels that sixteen bytes take with their offset and characters, the padding included. */
const WIDE = 520;

export interface ByteRange {
  readonly offset: number;
  readonly length: number;
}

const hex = (byte: number): string => byte.toString(16).padStart(2, '0');
const character = (byte: number): string =>
  byte > 0x1f && byte < 0x7f ? String.fromCharCode(byte) : '·';

export function HexView({
  bytes,
  base = 0,
  marked,
  onByte,
}: {
  readonly bytes: Uint8Array;
  /** Offset of the first byte in its source. */
  readonly base?: number;
  readonly marked?: ByteRange | undefined;
  readonly onByte?: (offset: number) => void;
}) {
  const scroller = useRef<HTMLDivElement>(null);
  const perRow = useBytesPerRow(scroller);
  const rows = Math.ceil(bytes.length / perRow);
  const virtual = useVirtualizer({
    count: rows,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_HEIGHT,
    overscan: 12,
  });
  const from = marked?.offset;
  useEffect(() => {
    if (from !== undefined) virtual.scrollToIndex(Math.floor(from / perRow), { align: 'center' });
  }, [virtual, from, perRow]);
  const isMarked = (at: number): boolean =>
    marked !== undefined && at >= marked.offset && at < marked.offset + marked.length;
  return (
    <div
      ref={scroller}
      className={css['hex']}
      style={{ height: rows * ROW_HEIGHT + 12, maxHeight: 'max(260px, 44vh)' }}
      tabIndex={0}
      role="region"
      aria-label={`${counted(bytes.length, 'byte')} in hexadecimal`}
    >
      <div style={{ height: virtual.getTotalSize(), position: 'relative' }}>
        {virtual.getVirtualItems().map(({ index, start }) => {
          const at = index * perRow;
          const row = bytes.subarray(at, at + perRow);
          return (
            <div
              key={index}
              className={css['hexRow']}
              style={{ transform: `translateY(${start}px)` }}
              data-offset={base + at}
            >
              <span className={css['hexOffset']}>{(base + at).toString(16).padStart(6, '0')}</span>
              <span className={css['hexBytes']} style={{ width: perRow === 16 ? 340 : 172 }}>
                {Array.from(row, (byte, i) => (
                  <span
                    key={i}
                    className={isMarked(at + i) ? css['hexMarked'] : undefined}
                    style={i === 8 ? { marginLeft: 6 } : undefined}
                    onClick={() => onByte?.(at + i)}
                  >
                    {hex(byte)}
                  </span>
                ))}
              </span>
              <span className={css['hexText']} aria-hidden>
                {Array.from(row, (byte, i) => (
                  <span key={i} className={isMarked(at + i) ? css['hexMarked'] : undefined}>
                    {character(byte)}
                  </span>
                ))}
              </span>
            </div>
          );
        })}
      </div>
    </div>
  );
}

function useBytesPerRow(scroller: RefObject<HTMLElement | null>): number {
  const [perRow, setPerRow] = useState(16);
  useLayoutEffect(() => {
    const element = scroller.current;
    if (element === null) return;
    const fit = () => setPerRow(element.clientWidth < WIDE ? 8 : 16);
    fit();
    const observer = new ResizeObserver(fit);
    observer.observe(element);
    return () => observer.disconnect();
  }, [scroller]);
  return perRow;
}
