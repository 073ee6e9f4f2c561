/** Summary of the case's contents. */
import { counted, nounOf } from '../../../contract/words/counted.ts';
import { KINDS } from '../../../contract/event.ts';
import type { ReportFacts, SourceTotals } from '../facts.ts';
import { bytesText, number, time } from '../figures.ts';
import { markup, list, table, type Html } from '../html.ts';
import type { Section } from '../section.ts';
import { severityCounts } from './findings.ts';
import { timelineChart } from '../timeline-chart.ts';

/** Title of the chart of all events, whose query names no kind. */
export function allEventsTitle({ info }: Pick<ReportFacts, 'info'>): string {
  return (info.byKind.packet ?? 0) > 0
    ? 'Events of the case over time, without packets that belong to flows'
    : 'Events of the case over time';
}

export function summarySection(facts: ReportFacts): Section {
  const { info, totals, undated, deleted, hidden } = facts;
  // The catalog's times are those of all stored events.
  const ofAll = hidden === 0 ? undefined : ' (deleted and left-out events included)';
  const { zone } = facts.request;
  const kinds = KINDS.flatMap((kind) => {
    const count = info.byKind[kind] ?? 0;
    return count === 0 ? [] : [[kind, count, share(count, info.events)] as const];
  }).sort(([, a], [, b]) => b - a);
  const { unread, differing } = totals;
  return {
    id: 'summary',
    title: 'Summary',
    body: markup` ${list([
      ['Events', markup`${counted(info.events, 'event')} on ${counted(info.days, 'day')} (UTC)`],
      ['First event', info.first === undefined ? undefined : [time(info.first, zone), ofAll]],
      ['Last event', info.last === undefined ? undefined : [time(info.last, zone), ofAll]],
      ['Without a time', undated === 0 ? undefined : counted(undated, 'event')],
      [
        'Deleted',
        deleted === 0 ? undefined : markup`${counted(deleted, 'event')}; see “Deletions”`,
      ],
      ['Evidence', markup`${counted(totals.sources, 'source')}, ${bytesText(totals.bytes)}`],
      ['Records read', ledgerSum(totals)],
      [
        'Not read to the end',
        unread === 0
          ? undefined
          : markup`<b class="warn">${counted(unread, 'source')}</b>; see
              <a href="#sources">Sources</a>`,
      ],
      [
        'Hash mismatch',
        differing === 0
          ? undefined
          : markup`<b class="warn">${counted(differing, 'source')}</b>
              ${nounOf(differing, 'differs', 'differ')} from a hash list; see <a href="#manifests">Hash manifests</a>`,
      ],
      ['Findings', severityCounts(facts.findings.severities)],
      ['Tags', info.tags.length === 0 ? undefined : number(info.tags.length)],
      ['Saved views', number(facts.views.shown.length + facts.views.left)],
    ])}
    ${facts.timeline.length === 0 ? undefined : timelineChart('all-events', allEventsTitle(facts), facts.timeline)}
    ${table(
      'Events by kind. Packets and the flows they belong to are both counted here.',
      [{ name: 'Kind' }, { name: 'Events', number: true }, { name: 'Share', number: true }],
      kinds,
      ['All', info.events, ''],
    )}`,
  };
}

type Ledger = Pick<SourceTotals, 'read' | 'stored' | 'duplicate' | 'quarantined' | 'skipped'>;

/** The ledger as a sum that can be checked by reading it. */
function ledgerSum(of: Ledger): Html {
  const { read, stored, duplicate, quarantined, skipped } = of;
  const sum = markup`${read} read = ${stored} stored + ${duplicate} duplicate + ${quarantined} quarantined + ${skipped} skipped`;
  return markup`<span class="sum">${sum}</span>${ledgerFault(of)}`;
}

/** Shown next to a ledger whose parts do not add up. */
export function ledgerFault(of: Ledger): Html | undefined {
  const { read, stored, duplicate, quarantined, skipped } = of;
  return stored + duplicate + quarantined + skipped === read
    ? undefined
    : markup` <b class="warn">The counts do not add up.</b>`;
}

function share(part: number, whole: number): string {
  return whole === 0 ? '' : `${((100 * part) / whole).toFixed(1)} %`;
}
