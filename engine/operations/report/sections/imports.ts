/** The runs that brought evidence into the case, and what they found besides complete sources. */
import { counted } from '../../../contract/words/counted.ts';
import { detailsText } from '../details.ts';
import type { ReportFacts } from '../facts.ts';
import { recorded } from '../figures.ts';
import { brief, markup, leftOut, table } from '../html.ts';
import type { Section } from '../section.ts';

const MAX_IMPORTS = 500;
const MAX_TEXT = 600;

export function importsSection({ imports, ledger, request }: ReportFacts): Section {
  const { zone } = request;
  const left = imports.length - MAX_IMPORTS;
  return {
    id: 'imports',
    title: 'Imports',
    body: markup` ${table(
      'Imports, with their paths and options.',
      [
        { name: 'No.', number: true },
        { name: 'Started' },
        { name: 'Ended' },
        { name: 'Outcome' },
        { name: 'Given' },
      ],
      imports
        .slice(0, MAX_IMPORTS)
        .map((run) => [
          run.id,
          recorded(run.startedAt, zone),
          run.finishedAt === undefined ? '' : recorded(run.finishedAt, zone),
          run.status,
          brief(detailsText(run.arguments), MAX_TEXT),
        ]),
    )}
    ${left > 0 ? leftOut(markup`${counted(left, 'further import')} left out.`) : undefined}
    ${
      ledger.shown.length === 0
        ? markup`<p>The imports recorded no item as ignored, failed, partial, damaged or duplicate.</p>`
        : table(
            'Items that were not imported, not read completely, or already in the case.',
            [
              { name: 'Import', number: true },
              { name: 'Source' },
              { name: 'Outcome' },
              { name: 'Why' },
            ],
            ledger.shown.map((row) => [
              row.importId,
              brief(row.name, 300),
              row.status,
              brief(
                row.message ??
                  (row.status === 'duplicate' ? 'the same content is in the case already' : ''),
                MAX_TEXT,
              ),
            ]),
          )
    }
    ${ledger.left > 0 ? leftOut(markup`${counted(ledger.left, 'further line')} left out.`) : undefined}`,
  };
}
