/** The range and the zone that `TIME_OPTIONS` give. */
import { resolveZone } from '../../../engine/contract/time/zone.ts';
import { requestRange } from '../../../engine/operations/query/request-range.ts';
import type { Parsed } from '../arguments.ts';

/**
 * @param otherwise the default zone
 * @throws DaybookError usage
 */
export function givenRange(
  parsed: Parsed,
  otherwise = 'UTC',
): ReturnType<typeof requestRange> & { zone: string } {
  const zone = resolveZone(parsed.text('tz') ?? otherwise).name;
  return { ...requestRange(parsed.text('from'), parsed.text('to'), zone), zone };
}
