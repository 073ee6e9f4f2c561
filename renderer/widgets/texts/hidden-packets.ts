/** Text about packets that an answer leaves out. */
import type { Result } from '../../../engine/contract/operations.ts';
import { counted } from '../../../engine/contract/words/counted.ts';

/** `up to 20,002 packets hidden under flows`; undefined if there are none. */
export function hiddenPackets(
  opened: Pick<Result<'result.open'>, 'packetsBeneath'> | undefined,
): string | undefined {
  const beneath = opened?.packetsBeneath;
  if (beneath === undefined || beneath.packets === 0) return undefined;
  return `${beneath.exact ? '' : 'up to '}${counted(beneath.packets, 'packet')} hidden under flows`;
}
