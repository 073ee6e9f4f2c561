/** What an answer says of packets that it leaves out. */
import type { Result } from '../../../engine/contract/operations.ts';
import { counted } from '../../../engine/contract/words/counted.ts';

/** `up to 20,002 packets hidden under flows`; undefined where there are none. */
export function hiddenPackets(
  opened: Pick<Result<'result.open'>, 'packetsBeneath'> | undefined,
): string | undefined {
  const beneath = opened?.packetsBeneath;
  if (beneath === undefined || beneath.packets === 0) return undefined;
  return `${beneath.exact ? '' : 'up to '}${counted(beneath.packets, 'packet')} hidden under flows`;
}
