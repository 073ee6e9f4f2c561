/** The number of sources, how many of them need a decision, and the zone and year for all that state none. */
import { Text } from '@mantine/core';
import { counted, formatBytes, formatCount, nounOf } from '../../../panel-api.ts';
import { HASH_LIST } from '../../../../engine/contract/left-out.ts';
import form from '../../../widgets/inputs/form.module.css';
import { YearInput } from '../../../widgets/inputs/year-input.tsx';
import { ZoneSelect } from '../../../widgets/inputs/zone-select.tsx';
import css from '../import.module.css';
import { WHOLE, type MistypedFields } from '../use-mistyped.ts';
import type { Previews } from './use-previews.ts';

interface Props {
  readonly previews: Previews;
  readonly typing: MistypedFields['typing'];
}

export function PreviewSummary({ previews, typing }: Props) {
  const { list, shared } = previews;
  const zoneless = list.filter((one) => one.asks.zone).length;
  const yearless = list.filter((one) => one.asks.year).length;
  return (
    <div className={form['row']} role="status">
      <Text size="sm" className={form['grow']}>
        <Found previews={previews} />
      </Text>
      {zoneless > 0 && (
        <div className={css['pair']}>
          <Text size="xs" id="zone-for-all">
            Time zone for the {zoneless === 1 ? 'source' : counted(zoneless, 'source')} without one
          </Text>
          <ZoneSelect
            aria-label="Time zone for all without one"
            width={170}
            value={shared.tz ?? ''}
            onZone={(tz) => previews.decideAll({ tz: tz === '' ? undefined : tz })}
          />
        </div>
      )}
      {yearless > 0 && (
        <div className={css['pair']}>
          <Text size="xs">
            Year for the {yearless === 1 ? 'source' : counted(yearless, 'source')} without one
          </Text>
          <YearInput
            label="Year for all without one"
            placeholder=""
            value={shared.year}
            onYear={(year) => previews.decideAll({ year })}
            {...typing('year', WHOLE)}
          />
        </div>
      )}
    </div>
  );
}

function Found({ previews: { list, end, error } }: { readonly previews: Previews }) {
  if (end === undefined) {
    return error === undefined
      ? `Reading… ${formatCount(list.length)} so far`
      : 'Some files could not be previewed';
  }
  const lists = list.filter((one) => one.problem === HASH_LIST).length;
  const problems = list.filter((one) => one.problem !== undefined).length - lists;
  const already = list.filter((one) => one.already !== undefined).length;
  return (
    <>
      <b>{counted(end.sources + end.left, 'source')}</b>, {formatBytes(end.bytes)}
      {lists > 0 && `, ${lists} of them ${nounOf(lists, 'a list', 'lists')} of hashes`}
      {problems > 0 && `, ${problems} cannot be read`}
      {already > 0 && `, ${already} in the case already`}
    </>
  );
}
