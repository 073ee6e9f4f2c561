/** The evidence: one table of all sources with their hashes, ledgers and decisions. */
import { basisOf, describeDecisions, type TimeDecision } from '../../../contract/time/decisions.ts';
import { type SourceRow, statusOf, locationOf } from '../../../catalog/index.ts';
import { listedHashText } from '../../../contract/words/listed-hash-text.ts';
import { counted, nounOf } from '../../../contract/words/counted.ts';
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
        ${counted(totals.sources, 'source')}: each is a file, a member of an archive, or data from
        standard input. For each, this should hold: read = stored + duplicate + quarantined +
        skipped.
        ${
          example === undefined
            ? undefined
            : markup`Ids of events begin with the Id of their source:
              <code>${String(example.id)}:</code> for ${brief(example.name, 120)}. Ids may
              have gaps; No. is consecutive, so a missing row would show. (Z) is the zone in which
              times without one were read, (Y) the year of the last record without one.`
        }
      </p>
      ${overlaps.length === 0 ? undefined : markup`<p>${sharedLines(overlaps)}</p>`}
      ${folder === '' ? undefined : markup`<p>Paths are given from the folder <code>${folder}</code></p>`}
      ${table(
        'Sources in this report, with their ledgers.',
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
  const [kept, hidden] = [lines(false), lines(true)];
  const all = (n: number): string =>
    overlaps.some(({ superseded }) => superseded)
      ? counted(n, 'line or record', 'lines or records')
      : counted(n, 'line');
  return [
    kept === 0
      ? []
      : `${all(kept)} also ${nounOf(kept, 'occurs', 'occur')} in another source and ${nounOf(kept, 'is', 'are')} not left out: ${nounOf(kept, 'its event', 'their events')} may be counted in both.`,
    hidden === 0
      ? []
      : `${all(hidden)} that also ${nounOf(hidden, 'occurs', 'occur')} in another source ${nounOf(hidden, 'is', 'are')} left out: ${nounOf(hidden, 'its event is', 'their events are')} not counted again.`,
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
    markup`SHA-256 ${hash(source.rawSha256) ?? 'not available: the file was not read to its end'}`,
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
      : markup`recorded modification time ${time(source.modifiedMs * 1000, zone)}`,
    markup`${source.format} (importer ${source.importer}, version ${source.importerVersion}), import
    ${String(source.importId)}`,
    kinds.length === 0
      ? 'no events'
      : kinds.map(({ kind, count }) => `${number(count)} ${kind}`).join(', '),
    source.firstTs === undefined
      ? 'no dated events'
      : markup`${time(source.firstTs, zone)} to ${time(source.lastTs, zone)}`,
    ...decisionsOf(source),
    ...shortened(
      skipped,
      ([reason, count]) => markup`skipped ${count}: ${brief(reason, MAX_TEXT)}`,
    ),
    ...shortened(
      overlaps,
      ({ other, records, superseded, leftOut: hidden }) =>
        markup`${superseded ? `all ${counted(records, 'record')}` : counted(records, 'line')} also in source ${String(other.id)} (${brief(other.name, 120)}), ${hidden ? 'left out here' : 'not left out here'}`,
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
  }${checked === undefined ? undefined : markup`, checksums match up to byte ${checked}`}${
    limit === undefined ? undefined : markup`, stopped at the limit ${limit}`
  }`;
}

/** Decisions that the source does not state, with their reasons as far as they were recorded. */
function decisionsOf({ decisions, options }: SourceRow): Piece[] {
  const { tz, year } = decisions;
  const others = describeDecisions(decisions).filter(
    ({ name }) => name !== 'tz' && name !== 'year',
  );
  const by = (option: string, name: TimeDecision): string =>
    basisOf(decisions, name) ??
    (options[option] === undefined || options[option] === null
      ? 'reason not recorded'
      : 'given as an option');
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
