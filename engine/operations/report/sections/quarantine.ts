/** Records that could not be read: how many, where and why. */
import { counted } from '../../../contract/words/counted.ts';
import type { ReportFacts } from '../facts.ts';
import { number } from '../figures.ts';
import { brief, markup, leftOut, table } from '../html.ts';
import type { Section } from '../section.ts';

export function quarantineSection({ quarantine, totals }: ReportFacts): Section {
  const { reasons, records, read } = quarantine;
  const differs =
    records === totals.quarantined
      ? undefined
      : markup`<b class="warn">The quarantine files have ${counted(records, 'record')}, but the ledgers count ${number(totals.quarantined)}.</b>`;
  return {
    id: 'quarantine',
    title: 'Quarantine',
    body:
      records === 0
        ? markup`<p>${differs ?? 'No record was quarantined.'}</p>`
        : markup` <p>
              ${counted(records, 'record')} could not be read. Each is kept in the case with its
              offset and reason; of a long one, the beginning is kept. Quarantined records are
              counted in the ledgers, and not among the events.
              ${differs}
            </p>
            ${table(
              'Why, by source; the most frequent first.',
              [
                { name: 'Source' },
                { name: 'Reason' },
                { name: 'Records', number: true },
                { name: 'First at byte', number: true },
                { name: 'Line', number: true },
              ],
              reasons.shown.map(({ source, reason, count, offset, line }) => [
                brief(source, 200),
                brief(reason, 300),
                ...[count, offset, line === undefined ? '' : line],
              ]),
            )}
            ${reasons.left > 0 ? leftOut(markup`${counted(reasons.left, 'further pair')} of source and reason left out.`) : undefined}
            ${read < records ? leftOut(markup`Reasons are those of the first ${number(read)} records.`) : undefined}`,
  };
}
