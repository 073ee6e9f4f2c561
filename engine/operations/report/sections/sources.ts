/** The evidence: one table of all sources with their hashes, ledgers and decisions. */
import { basisOf, describeDecisions, type TimeDecision } from '../../../contract/time/decisions.ts';
import { type SourceRow, statusOf, locationOf } from '../../../catalog/index.ts';
import { listedHashText } from '../../../contract/words/listed-hash-text.ts';
import { counted } from '../../../contract/words/counted.ts';
import { KINDS } from '../../../contract/event.ts';
import type { ReportFacts } from '../facts.ts';
import { bytesText, hash, number, shortBytes, time } from '../figures.ts';
import { brief, markup, leftOut, table, type Html, type Piece } from '../html.ts';
import type { Section } from '../section.ts';
import { ledgerFault } from './summary.ts';

/** Notes and reasons of one source that are shown. */
const MAX_NOTES = 5;
const MAX_TEXT = 300;
/** With two hashes and a name. */
const MAX_LISTED = 700;

export function sourcesSection({ sources, totals, overlaps, request }: ReportFacts): Section {
  const { zone } = request;
  const folder = commonFolder(sources.shown.map(({ path }) => path));
  const example = sources.shown.at(-1);
  const ofSource = Map.groupBy(overlaps, ({ sourceId }) => sourceId);
  return {
    id: 'sources',
    title: 'Sources',
    startsPage: sources.shown.length > 0,
    body: markup` <p>
        ${counted(totals.sources, 'source')}: each is a file, or a member of an archive, with
        content of its own. Every record that was read is accounted for: read = stored + duplicate +
        quarantined + skipped.
        ${
          example === undefined
            ? undefined
            : markup`The Id of a source is what the ids of its events begin with:
              <code>${String(example.id)}:1</code> is the first record of
              ${brief(example.name, 120)}. Ids may have gaps: No. counts the sources, and none is left out between two of them.
              (Z) is the zone of times that state none, (Y) the year of its last record.`
        }
      </p>
      ${overlaps.length === 0 ? undefined : markup`<p>${sharedLines(overlaps)}</p>`}
      ${folder === '' ? undefined : markup`<p>Paths are given from the folder <code>${folder}</code></p>`}
      ${table(
        'All sources of this report and how their records add up.',
        [
          { name: 'No.', number: true },
          { name: 'Id', number: true },
          { name: 'Source' },
          { name: 'Size', number: true },
          { name: 'Read', number: true },
          { name: 'Stored', number: true },
          { name: 'Duplicate', number: true },
          { name: 'Quarantined', number: true },
          { name: 'Skipped', number: true },
          { name: 'Status' },
        ],
        sources.shown.map((source, i) => {
          const status = statusOf(source);
          return [
            i + 1,
            markup`<span id="source-${String(source.id)}">${String(source.id)}</span>`,
            markup`<b>${brief(titleOf(source, folder), 240)}</b>`,
            source.rawSize === undefined
              ? ''
              : markup`<span class="whole">${shortBytes(source.rawSize)}</span>`,
            ...[source.read, source.stored, source.duplicate, source.quarantined, source.skipped],
            markup`${status === 'complete' ? status : markup`<b class="warn">${status}</b>`}${ledgerFault(source)}`,
          ];
        }),
        [
          ...['', '', `All ${number(totals.sources)}`],
          markup`<span class="whole">${shortBytes(totals.bytes)}</span>`,
          ...[totals.read, totals.stored, totals.duplicate, totals.quarantined, totals.skipped],
        ],
        sources.shown.map((source) => ({
          from: 2,
          body: about(source, folder, zone, ofSource.get(source.id) ?? []),
        })),
      )}
      ${sources.left === 0 ? undefined : leftOut(markup`${counted(sources.left, 'further source')} left out here; the sums above include them. daybook sources CASE --json lists all.`)}`,
  };
}

/** The folder that all paths have in common, with its separator; empty if there is none. */
export function commonFolder(paths: readonly string[]): string {
  const [first = '', ...others] = paths;
  let common = first.slice(0, Math.max(first.lastIndexOf('/'), first.lastIndexOf('\\')) + 1);
  for (const path of others)
    while (!path.startsWith(common))
      common = common.slice(0, common.slice(0, -1).search(/[/\\][^/\\]*$/) + 1);
  return common.length > 1 ? common : '';
}

/** The location of a source: its path from the common folder, with the members of archives. */
function placed(source: SourceRow, folder: string): string {
  return [source.path.slice(folder.length), ...locationOf(source).members].join(' ! ');
}

/** Its location if that ends with its name, which then need not be repeated. */
function titleOf(source: SourceRow, folder: string): string {
  const place = placed(source, folder);
  return place.endsWith(source.name) ? place : source.name;
}

/** Total of lines that sources share; each source's row names the others. */
function sharedLines(overlaps: ReportFacts['overlaps']): string {
  const lines = (leftOut: boolean): number =>
    overlaps.reduce((sum, one) => sum + (one.leftOut === leftOut ? one.records : 0), 0);
  const [twice, once] = [lines(false), lines(true)];
  return [
    twice === 0
      ? []
      : `${counted(twice, 'line')} of these sources ${twice === 1 ? 'is' : 'are'} also in another of them: ${twice === 1 ? 'its event is' : 'their events are'} stored and counted with both.`,
    once === 0
      ? []
      : `${counted(once, 'line')} that another source has, too, ${once === 1 ? 'was' : 'were'} left out: ${once === 1 ? 'its event is' : 'their events are'} counted once.`,
  ]
    .flat()
    .join(' ');
}

/** Facts about a source besides its name and numbers: short sentences in one cell. */
function about(
  source: SourceRow,
  folder: string,
  zone: string,
  overlaps: ReportFacts['overlaps'],
): Html {
  const kinds = KINDS.flatMap((kind) => {
    const count = source.byKind[kind] ?? 0;
    return count === 0 ? [] : [{ kind, count }];
  }).sort((a, b) => b.count - a.count);
  const compressed = source.contentSha256 !== source.rawSha256;
  const skipped = Object.entries(source.skippedReasons).filter(([, count]) => count > 0);
  const failure = source.broken?.reason ?? source.error;
  // The reason why reading stopped is among the notes as well.
  const notes = source.notes.filter(
    (note) => note !== source.error && source.broken?.reason.startsWith(note) !== true,
  );
  const parts: Piece[] = [
    markup`SHA-256 ${hash(source.rawSha256) ?? 'not known: the file was not read to its end'}`,
    compressed && source.contentSha256 !== undefined
      ? markup`content ${source.contentSize === undefined ? undefined : bytesText(source.contentSize)}, SHA-256 ${hash(source.contentSha256)}`
      : undefined,
    ...shortened(source.listedHashes, (one) =>
      one.state === 'differs'
        ? markup`<b class="warn">${brief(listedHashText(one), MAX_LISTED)}</b>`
        : brief(listedHashText(one), MAX_LISTED),
    ),
    placed(source, folder).endsWith(source.name)
      ? undefined
      : markup`<code>${placed(source, folder)}</code>`,
    source.modifiedMs === undefined
      ? undefined
      : markup`changed ${time(source.modifiedMs * 1000, zone)}`,
    markup`${source.format} (importer ${source.importer}, version ${source.importerVersion}), import
    ${String(source.importId)}`,
    kinds.length === 0
      ? 'no events'
      : kinds.map(({ kind, count }) => `${number(count)} ${kind}`).join(', '),
    source.firstTs === undefined
      ? 'no event has a time'
      : markup`${time(source.firstTs, zone)} to ${time(source.lastTs, zone)}`,
    ...decisionsOf(source),
    ...shortened(
      skipped,
      ([reason, count]) => markup`skipped ${count}: ${brief(reason, MAX_TEXT)}`,
    ),
    ...shortened(
      overlaps,
      ({ other, records, leftOut: hidden }) =>
        markup`${counted(records, 'line')} also in source ${String(other.id)} (${brief(other.name, 120)}), ${hidden ? 'left out here' : 'counted twice'}`,
    ),
    ...shortened(notes, (note) => markup`note: ${brief(note, MAX_TEXT)}`),
    failure === undefined
      ? undefined
      : markup`<b class="warn">${statusOf(source)}${placeOf(source)}: ${brief(failure, MAX_TEXT)}</b>`,
  ];
  return markup`${parts.filter((part) => part !== undefined).map((part, i) => markup`${i > 0 ? ' · ' : ''}${part}`)}`;
}

/** Where reading stopped. */
function placeOf({ broken }: SourceRow): Html | undefined {
  if (broken === undefined) return undefined;
  const { offset, fileOffset, checked, limit } = broken;
  return markup`, read up to byte ${offset} of the content${
    fileOffset === undefined ? undefined : markup` (byte ${fileOffset} of the file)`
  }${checked === undefined ? undefined : markup`, checksums agree up to byte ${checked}`}${
    limit === undefined ? undefined : markup`, stopped by the limit ${limit}`
  }`;
}

/** Decisions that the source does not state, and that can be changed without it. */
function decisionsOf({ decisions, options }: SourceRow): Piece[] {
  const { tz, year } = decisions;
  const others = describeDecisions(decisions).filter(
    ({ name }) => name !== 'tz' && name !== 'year',
  );
  const by = (option: string, name: TimeDecision): string =>
    basisOf(decisions, name) ??
    (options[option] === undefined || options[option] === null ? 'decided' : 'given by a person');
  return [
    tz === undefined ? undefined : markup`zone (Z) <b>${tz}</b>, ${by('timeZone', 'tz')}`,
    year === undefined ? undefined : markup`year (Y) <b>${String(year)}</b>, ${by('year', 'year')}`,
    ...others.map(
      ({ name, value, basis }) =>
        markup`${name}: ${brief(basis === undefined ? value : `${value} (${basis})`, MAX_TEXT)}`,
    ),
  ];
}

function shortened<T>(all: readonly T[], shown: (one: T) => Html): Piece[] {
  const left = all.length - MAX_NOTES;
  return [
    ...all.slice(0, MAX_NOTES).map(shown),
    left > 0 ? markup`<span class="cut">${left} more of these</span>` : undefined,
  ];
}
