/** Records that could not be read: how many, where and why. */
import { counted } from '../../../contract/words/counted.ts';
import type { ReportFacts } from '../facts.ts';
import { number } from '../figures.ts';
import { brief, markup, leftOut, table } from '../html.ts';
import type { Section } from '../section.ts';

export function quarantineSection({ quarantine }: ReportFacts): Section {
  const { reasons, records, read } = quarantine;
  return {
    id: 'quarantine',
    title: 'Quarantine',
    body:
      records === 0
        ? markup`<p>Every record could be read.</p>`
        : markup` <p>
              ${counted(records, 'record')} could not be read. What was found, of a long stretch its
              beginning, is kept in the case with offset and reason, and is in no other number of
              this report but the ledgers'.
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
