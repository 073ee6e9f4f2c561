/** Bytes that no dissector here knows. */
import type { LayerReader } from './reader.ts';
import { hexBytes } from './text.ts';

export function data(r: LayerReader): undefined {
  const size = r.left;
  const missing = r.d.wireEnd - r.end;
  r.layer.summary =
    missing > 0 && r.end === r.bytes.length && !r.d.quoted
      ? `${size} bytes captured of ${size + missing}`
      : `${size} ${size === 1 ? 'byte' : 'bytes'}`;
  r.add('Data', hexBytes(r.bytes.subarray(r.at, r.end)), r.at, size);
  r.conclude('Length', String(size));
  r.at = r.end;
  return undefined;
}
