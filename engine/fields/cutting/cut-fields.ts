/**
 * The fields cut out of one message in the form that queries show: for samples of extractors, and for the window.
 */
import { EventBatch } from '../../columns/event-batch.ts';
import { CUT_TEXTS, PROTOCOLS } from '../../contract/event.ts';
import type { Cutter } from './cutter.ts';

const text = new TextDecoder();

export function cutFields(
  cutter: Cutter,
  program: string,
  message: string,
): Record<string, string> {
  const batch = new EventBatch('log', () => undefined, 2);
  if (program !== '') batch.program.setString(0, program);
  batch.message.setString(0, message);
  batch.endRow();
  cutter.cut(batch);
  const out: Record<string, string> = {};
  for (const side of ['src', 'dst'] as const) {
    const four = batch[`${side}_ip4`];
    const six = batch[`${side}_ip6`];
    if (four.present[0] === 1) out[`${side}_ip`] = dotted(four.values[0]!);
    if (six.present[0] === 1) out[`${side}_ip`] = colons(six.values.subarray(0, 16));
    const port = batch[`${side}_port`];
    if (port.present[0] === 1) out[`${side}_port`] = String(port.values[0]);
  }
  const proto = batch.proto.values[0];
  if (batch.proto.present[0] === 1)
    out['proto'] = Object.entries(PROTOCOLS).find(([, code]) => code === proto)?.[0] ?? `${proto}`;
  if (batch.host.present[0] === 1)
    out['host'] = text.decode(batch.host.data.subarray(4, batch.host.size));
  if (batch.pid.present[0] === 1) out['pid'] = String(batch.pid.values[0]);
  for (const name of ['bytes', 'packets', 'bytes_rev', 'packets_rev'] as const)
    if (batch[name].present[0] === 1) out[name] = String(batch[name].values[0]);
  for (const name of CUT_TEXTS) {
    const column = batch.cutText(name);
    if (column.present[0] === 1) out[name] = text.decode(column.data.subarray(4, column.size));
  }
  return out;
}

function dotted(value: number): string {
  return [24, 16, 8, 0].map((shift) => (value >>> shift) & 255).join('.');
}

/** As in URLs, and as RFC 5952 prescribes. */
function colons(bytes: Uint8Array): string {
  const words = Array.from({ length: 8 }, (_, i) =>
    ((bytes[2 * i]! << 8) | bytes[2 * i + 1]!).toString(16),
  );
  return new URL(`http://[${words.join(':')}]/`).hostname.slice(1, -1);
}
