/** Options for reading evidence: those of `import`, `preview` and, in part, `scan`. */
import { DaybookError } from '../../../engine/contract/errors.ts';
import { importOptions } from '../../../engine/operations/evidence/import-items.ts';
import { checkZone, formats, readMapping } from '../../compose.ts';
import type { OptionSpec, Parsed } from '../arguments.ts';
import { dateOrderOf } from '../command.ts';

export const READ_OPTIONS = {
  format: {
    type: 'string',
    value: 'ID',
    help: 'read every source as this format instead of judging its content',
  },
  tz: {
    type: 'string',
    value: 'ZONE',
    help: 'zone for times without one (default UTC), such as Europe/Berlin or +02:00',
  },
  year: {
    type: 'string',
    value: 'N',
    help: 'year of the last record, for logs without years (default: inferred from the file)',
  },
  'date-order': {
    type: 'string',
    value: 'ORDER',
    help: 'order of numeric dates: dmy, mdy or ymd (default: inferred from the file)',
  },
  clock: {
    type: 'string',
    value: 'ERROR',
    help: 'error of the clock that wrote the times, such as "90s fast" or "1h2m slow"; times are corrected by it',
  },
  'no-packets': { type: 'boolean', help: 'store no packets of captures, only their flows' },
  'no-flows': { type: 'boolean', help: 'store no flows of captures, only their packets' },
  'no-protocols': {
    type: 'boolean',
    help: 'skip the protocol events of captures (DNS, HTTP, TLS and others), which is faster',
  },
  map: {
    type: 'string',
    value: 'F=COL,…',
    help: 'which column of a table is which field: src_ip=Source,ts=Start; or the path of a saved mapping (JSON)',
  },
} as const satisfies Record<string, OptionSpec>;

/**
 * Options for all sources.
 * @throws DaybookError usage
 */
export function readOptionsOf(parsed: Parsed): ReturnType<typeof importOptions> {
  const format = parsed.text('format');
  if (format !== undefined && !formats().includes(format)) {
    throw new DaybookError(
      'usage',
      `unknown format: ${JSON.stringify(format)}`,
      `formats: ${formats().join(', ')}`,
    );
  }
  const timeZone = parsed.text('tz');
  if (timeZone !== undefined) checkZone(timeZone);
  const year = parsed.whole('year', 1970);
  if (year !== undefined && year > 2200)
    throw new DaybookError(
      'usage',
      `--year ${year} is out of range`,
      'give a year from 1970 to 2200',
    );
  if (parsed.flag('no-packets') && parsed.flag('no-flows')) {
    throw new DaybookError(
      'usage',
      '--no-packets and --no-flows together would store nothing of a capture',
      'give one of them',
    );
  }
  const map = parsed.text('map');
  return importOptions({
    format,
    timeZone,
    year,
    dateOrder: dateOrderOf(parsed),
    clock: parsed.text('clock'),
    packets: !parsed.flag('no-packets'),
    flows: !parsed.flag('no-flows'),
    protocols: !parsed.flag('no-protocols'),
    mapping: map === undefined ? undefined : readMapping(map),
  });
}
