/** Bytes that no dissector here knows. */
import { nounOf } from '../../../engine/contract/words/counted.ts';
import type { LayerReader } from './reader.ts';
import { hexBytes } from './text.ts';

export function data(r: LayerReader): undefined {
  const size = r.left;
  const missing = r.d.wireEnd - r.end;
  r.layer.summary =
    missing > 0 && r.end === r.bytes.length && !r.d.quoted
      ? `${size} ${nounOf(size, 'byte')} captured of ${size + missing}`
      : `${size} ${nounOf(size, 'byte')}`;
  r.add('Data', hexBytes(r.bytes.subarray(r.at, r.end)), r.at, size);
  r.conclude('Length', String(size));
  r.at = r.end;
  return undefined;
}
