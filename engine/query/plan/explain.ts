/** Describes a plan in words: what it reads, what it skips and why, and the statements it would run. */
import { disjointGroups } from '../../util/segment-days.ts';
import { counted } from '../../contract/words/counted.ts';
import { describeFilter } from '../filters/filter.ts';
import type { FoundRows, Path } from './known-rows/found.ts';
import { foundOf, rowsRead } from './plan-reads.ts';
import type { MatchList } from '../lists/match-list.ts';
import type { Plan } from './plan.ts';
import { formatMicros } from '../time/time.ts';
import { compileAnswer, compileRange, compileRows } from '../statements/statements.ts';

/** How a plan is answered, as far as known before it runs. */
export interface Explained {
  /** The plan restricted to what is known of its events. */
  readonly restricted: Plan;
  readonly path: Path;
  readonly rowsExamined: number;
  /** Why this path, and why not others. */
  readonly why: readonly string[];
  /** Whether a statement of the plan runs; otherwise the answer follows from what is known. */
  readonly runs: boolean;
}

/**
 * Lines of text for `--explain`.
 * @param how omitted if no index may be used, or if the catalog has the answer
 */
export function explain(plan: Plan, how?: Explained): string[] {
  const { segmentsUsed, prunedSegments, days, range } = plan;
  const restricted = how?.restricted ?? plan;
  const total = segmentsUsed.length + prunedSegments.length;
  const lines = [
    `shape: ${plan.shape}${plan.streaming ? ', day by day' : ''}`,
    ...pathLines(plan, how),
    `days: ${days.used} of ${days.total}`,
    `segments: ${segmentsUsed.length} of ${total}`,
  ];
  const reasons = new Map<string, number>();
  for (const { reason } of prunedSegments) reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
  for (const [reason, n] of reasons) lines.push(`  left out by ${reason}: ${n}`);
  if (range.from !== undefined || range.to !== undefined) {
    const shown = (at: number | undefined) => (at === undefined ? '…' : formatMicros(at));
    lines.push(`time: [${shown(range.from)}, ${shown(range.to)})`);
  }
  for (const reading of plan.readings) lines.push(`note: ${reading}`);
  if (plan.context.list !== undefined) lines.push(`list: ${listText(plan.context.list)}`);
  for (const [path, file] of plan.context.lookups ?? [])
    lines.push(`lookup: ${path}, ${counted(file.lines.length, 'row')}, sha256 ${file.sha256}`);
  if (plan.context.exclude !== undefined)
    lines.push(`left out by list: ${listText(plan.context.exclude)}`);
  if (plan.packetsBeneath !== undefined) {
    const { packets, exact } = plan.packetsBeneath;
    lines.push(`packets beneath: ${exact ? '' : 'up to '}${packets} (kind:* brings them in)`);
  }
  lines.push(`columns: ${plan.needs.join(', ') || 'none'}`);
  if (plan.path === 'catalog' && plan.catalogCount !== undefined) return lines;
  if (how?.runs === false) return lines;
  if (plan.shape === 'rows') {
    const day = segmentsUsed[0]?.day;
    const segments = plan.streaming ? (disjointGroups(segmentsUsed)[0] ?? []) : segmentsUsed;
    const { sql, params } = compileRows(restricted, { segments });
    return [
      ...lines,
      plan.streaming ? `statement of ${day ?? 'no day'}:` : 'statement:',
      sql,
      ...bound(params),
    ];
  }
  if (plan.needsRange) {
    const { sql, params } = compileRange(restricted);
    lines.push('statement for the range:', sql, ...bound(params));
  }
  const { sql, params } = compileAnswer(restricted);
  return [...lines, 'statement:', sql, ...bound(params)];
}

/** A list's content in words. */
export function listText({ lines, fields, eitherWay }: MatchList): string {
  const rows = counted(lines.length, 'line');
  return `${rows} of ${fields.join(', ')}${eitherWay ? ', in either direction' : ''}`;
}

/** The access path, how each segment's events are found, and why. */
function pathLines(plan: Plan, how: Explained | undefined): string[] {
  if (plan.path === 'catalog') return ['path: catalog', 'rows to examine: 0'];
  if (how === undefined)
    return ['path: scan', '  no index is used (--path scan)', `rows to examine: ${rowsRead(plan)}`];
  const segments = new Map<string, number>();
  for (const segment of how.restricted.segmentsUsed) {
    for (const found of foundOf(how.restricted.events, segment)) {
      const text = howFound(found);
      segments.set(text, (segments.get(text) ?? 0) + 1);
    }
  }
  return [
    `path: ${how.path}`,
    ...[...segments].map(([text, n]) => `  ${text}: ${counted(n, 'segment')}`),
    ...how.why.map((line) => `  ${line}`),
    `rows to examine: ${how.rowsExamined}`,
  ];
}

function howFound(found: FoundRows | undefined): string {
  if (found === undefined || found.by === 'scan')
    return 'scan, because no index serves the conditions, or the segment has none';
  if (found.asFilter === true) return 'scan, because it costs less than reading rows by number';
  if (found.templates !== undefined) {
    const unlike = found.rows === 'none' ? '' : '; rows of messages without a shared template';
    return `templates by index${unlike}`;
  }
  if (found.rows === 'none') return `nothing, by ${found.by}`;
  if (found.by === 'catalog') return 'every row, by catalog';
  return found.exact
    ? 'rows by index'
    : `rows by index, to be compared with the rest of the query: ${describeFilter(found.rest)}`;
}

/** Characters that are shown of a bound value: a set of rows is one. */
const MOST_SHOWN = 200;

function bound(params: readonly (string | number)[]): string[] {
  return params.map((value, i) => {
    const text = JSON.stringify(value);
    return `$${i + 1} = ${text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)}…` : text}`;
  });
}
