/** The identification of an SSH peer (RFC 4253, 4.2): one line of text. */
import type { Protocol } from '../protocols.ts';
import type { LayerReader } from '../reader.ts';
import { visible } from '../text.ts';

export function ssh(r: LayerReader): Protocol | undefined {
  const feed = r.bytes.indexOf(10, r.at);
  const whole = feed >= 0 && feed < r.end;
  const stop = whole ? feed : r.end;
  const size = (whole ? feed + 1 : r.end) - r.at;
  const text = visible(r.bytes.subarray(r.at, r.bytes[stop - 1] === 13 ? stop - 1 : stop));
  r.add('Protocol', text, r.at, size);
  r.at += size;
  r.layer.summary = text;
  return r.left > 0 ? 'data' : undefined;
}
