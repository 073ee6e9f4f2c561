/** Summary of the case's contents. */
import { counted } from '../../../contract/words/counted.ts';
import { KINDS } from '../../../contract/event.ts';
import type { ReportFacts, SourceTotals } from '../facts.ts';
import { bytesText, number, time } from '../figures.ts';
import { markup, list, table, type Html } from '../html.ts';
import type { Section } from '../section.ts';
import { severityCounts } from './findings.ts';
import { timelineChart } from '../timeline-chart.ts';

export const ALL_EVENTS = 'Events of the case over time';

export function summarySection(facts: ReportFacts): Section {
  const { info, totals, undated, deleted } = facts;
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
      ['First event', time(info.first, zone)],
      ['Last event', time(info.last, zone)],
      ['Without a usable time', undated === 0 ? undefined : counted(undated, 'event')],
      [
        'Taken out of the case',
        deleted === 0 ? undefined : markup`${counted(deleted, 'event')}; see “Deletions”`,
      ],
      ['Evidence', markup`${counted(totals.sources, 'source')}, ${bytesText(totals.bytes)}`],
      ['Records read', ledgerSum(totals)],
      [
        'Not read to the end',
        unread === 0
          ? undefined
          : markup`<b class="warn">${counted(unread, 'source')}</b>; <a href="#sources">Sources</a>
              says which and where`,
      ],
      [
        'Hash differs',
        differing === 0
          ? undefined
          : markup`<b class="warn">${counted(differing, 'source')}</b> from what came with the
              evidence; see <a href="#manifests">Hash manifests</a>`,
      ],
      ['Findings', severityCounts(facts.findings.severities)],
      ['Tags', info.tags.length === 0 ? undefined : number(info.tags.length)],
      ['Saved views', number(facts.views.shown.length + facts.views.left)],
    ])}
    ${facts.timeline.length === 0 ? undefined : timelineChart('all-events', ALL_EVENTS, facts.timeline)}
    ${table(
      'Events by kind. Packets lie beneath the flows they belong to: both are counted here.',
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
    : markup` <b class="warn">This does not add up.</b>`;
}

function share(part: number, whole: number): string {
  return whole === 0 ? '' : `${((100 * part) / whole).toFixed(1)} %`;
}
