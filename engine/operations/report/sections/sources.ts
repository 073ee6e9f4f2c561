/** The evidence: every source with its hashes, its ledger and what was decided about it. */
import { basisOf, describeDecisions, type TimeDecision } from '../../../contract/decisions.ts';
import { type SourceRow, statusOf } from '../../../catalog/catalog.ts';
import { counted } from '../../../contract/counted.ts';
import { KINDS } from '../../../contract/event.ts';
import { locationOf } from '../../evidence-reader.ts';
import type { ReportFacts } from '../facts.ts';
import { bytesText, hash, number, time } from '../figures.ts';
import { brief, markup, leftOut, list, table, type Html, type Piece } from '../html.ts';
import type { Section } from '../section.ts';
import { ledgerSum } from './summary.ts';

/** Notes and facts of one source that are shown. */
const MAX_NOTES = 20;
const MAX_TEXT = 400;

export function sourcesSection({ sources, totals, request }: ReportFacts): Section {
  const { zone } = request;
  return {
    id: 'sources',
    title: 'Evidence',
    body: markup` <p>
        ${counted(totals.sources, 'source')}: each is a file, or a member of an archive, with
        content of its own. Every record that was read is accounted for; what was not stored is
        named with its reason.
      </p>
      ${table(
        'All sources of this report and how their records add up.',
        [
          ...[{ name: 'No.', number: true }, { name: 'Source' }, { name: 'Read', number: true }],
          ...[
            { name: 'Stored', number: true },
            { name: 'Duplicate', number: true },
          ],
          ...[
            { name: 'Quarantined', number: true },
            { name: 'Skipped', number: true },
          ],
        ],
        sources.shown.map((source) => [
          source.id,
          markup`<a href="#source-${String(source.id)}">${brief(source.name, 160)}</a>`,
          ...[source.read, source.stored, source.duplicate, source.quarantined, source.skipped],
        ]),
        [
          ...['', `All ${number(totals.sources)}`, totals.read, totals.stored],
          ...[totals.duplicate, totals.quarantined, totals.skipped],
        ],
      )}
      ${sources.left === 0 ? undefined : leftOut(markup`${counted(sources.left, 'further source')} left out here; the sums above include them. daybook sources CASE --json lists all.`)}
      ${sources.shown.map((source) => sourceBody(source, zone))}`,
  };
}

function sourceBody(source: SourceRow, zone: string): Html {
  const { members } = locationOf(source);
  const kinds = KINDS.flatMap((kind) => {
    const count = source.byKind[kind] ?? 0;
    return count === 0 ? [] : [`${number(count)} ${kind}`];
  });
  const skipped = Object.entries(source.skippedReasons).filter(([, count]) => count > 0);
  const compressed = source.contentSha256 !== source.rawSha256;
  const failure = source.broken?.reason ?? source.error;
  // What ended the reading is among the notes as well.
  const notes = source.notes.filter(
    (note) => note !== source.error && source.broken?.reason.startsWith(note) !== true,
  );
  return markup`<section class="source" id="source-${String(source.id)}">
    <h3>
      ${brief(source.name, 300)} <span class="badge">source ${String(source.id)}</span>${
        statusOf(source) === 'complete'
          ? undefined
          : markup` <span class="badge warn">${statusOf(source)}</span>`
      }
    </h3>
    ${list([
      ['File', markup`<code>${source.path}</code>`],
      [
        'Archive member',
        members.length === 0 ? undefined : markup`<code>${members.join(' ! ')}</code>`,
      ],
      ['Size', source.rawSize === undefined ? undefined : bytesText(source.rawSize)],
      ['SHA-256', hash(source.rawSha256)],
      [
        'Content',
        compressed && source.contentSize !== undefined ? bytesText(source.contentSize) : undefined,
      ],
      ['SHA-256 of the content', compressed ? hash(source.contentSha256) : undefined],
      [
        'File last changed',
        source.modifiedMs === undefined ? undefined : time(source.modifiedMs * 1000, zone),
      ],
      [
        'Format',
        markup`${source.format} (importer ${source.importer}, version ${source.importerVersion}), in
        import ${source.importId}`,
      ],
      ['Ledger', ledgerSum(source)],
      [
        'Skipped because',
        skipped.length === 0
          ? undefined
          : skipped
              .slice(0, MAX_NOTES)
              .map(([reason, count]) => markup`${number(count)}: ${reason}<br />`),
      ],
      ['Events', kinds.join(', ')],
      [
        'Times',
        source.firstTs === undefined
          ? 'no event has a time'
          : markup`${time(source.firstTs, zone)} to ${time(source.lastTs, zone)}`,
      ],
      ...decisionsOf(source),
      [
        'Failure',
        failure === undefined
          ? undefined
          : markup`<span class="warn">${brief(failure, MAX_TEXT)}</span>`,
      ],
      ['Notes', notes.length === 0 ? undefined : notesOf(notes)],
    ])}
  </section>`;
}

/** What was decided rather than stated, and can be changed without the source. */
function decisionsOf({ decisions, options }: SourceRow): [string, Piece][] {
  const { tz, year } = decisions;
  const others = describeDecisions(decisions).filter(
    ({ name }) => name !== 'tz' && name !== 'year',
  );
  const asked = (option: string, name: TimeDecision): Piece =>
    basisOf(decisions, name) ??
    (options[option] === undefined || options[option] === null
      ? 'decided by Daybook'
      : 'given by a person');
  return [
    [
      'Zone',
      tz === undefined
        ? undefined
        : markup`${tz}, for times that state none (${asked('timeZone', 'tz')})`,
    ],
    [
      'Year',
      year === undefined
        ? undefined
        : markup`${String(year)}, of the last record, for times that state none (${asked('year', 'year')})`,
    ],
    ...others.map(({ name, value, basis }): [string, Piece] => [
      `Decision: ${name}`,
      brief(basis === undefined ? value : `${value} (${basis})`, MAX_TEXT),
    ]),
  ];
}

function notesOf(notes: readonly string[]): Html {
  const left = notes.length - MAX_NOTES;
  return markup`${notes.slice(0, MAX_NOTES).map((note) => markup`${brief(note, MAX_TEXT)}<br />`)}${left > 0 ? markup`<span class="cut">… ${left} more</span>` : undefined}`;
}
