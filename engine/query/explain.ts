/** A plan in words: what it reads, what it leaves out and why, and the statements it would run. */
import { directShape } from './paths/direct-answer.ts';
import type { FoundRows } from './paths/found-rows.ts';
import { foundByFilter, foundOf, pathOf, rowsRead } from './paths/narrow.ts';
import type { Path, Plan } from './plan.ts';
import { formatMicros } from './time.ts';
import { compileAnswer, compileRange, compileRows } from './statements.ts';

/**
 * Lines of text for `--explain`.
 * @param own the plan held to what is known of its events; left out where nothing may be used
 */
export function explain(plan: Plan, own?: Plan): string[] {
  const { segmentsUsed, prunedSegments, days, range } = plan;
  const total = segmentsUsed.length + prunedSegments.length;
  const lines = [
    `shape: ${plan.shape}${plan.streaming ? ', day by day' : ''}`,
    ...pathLines(plan, own),
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
  if (plan.packetsBeneath !== undefined) {
    const { packets, exact } = plan.packetsBeneath;
    lines.push(`packets beneath: ${exact ? '' : 'up to '}${packets} (kind:* brings them in)`);
  }
  lines.push(`columns: ${plan.needs.join(', ') || 'none'}`);
  if (plan.path === 'catalog' && plan.catalogCount !== undefined) return lines;
  if (own !== undefined && isDirect(own)) return lines;
  if (plan.shape === 'rows') {
    const day = segmentsUsed[0]?.day;
    const segments = plan.streaming ? segmentsUsed.filter((one) => one.day === day) : segmentsUsed;
    const { sql, params } = compileRows(own ?? plan, { segments });
    return [
      ...lines,
      plan.streaming ? `statement of ${day ?? 'no day'}:` : 'statement:',
      sql,
      ...bound(params),
    ];
  }
  if (plan.needsRange) {
    const { sql, params } = compileRange(own ?? plan);
    lines.push('statement for the range:', sql, ...bound(params));
  }
  const { sql, params } = compileAnswer(own ?? plan);
  return [...lines, 'statement:', sql, ...bound(params)];
}

/** Whether the answer follows from the numbers of the rows, without a statement. */
function isDirect(own: Plan): boolean {
  const found = foundByFilter(own);
  return (
    found !== undefined &&
    directShape(own) !== undefined &&
    own.segmentsUsed.every(({ id }) => found.get(id)?.exact === true)
  );
}

/** The path that is taken, and what each segment's events are found by. */
function pathLines(plan: Plan, own: Plan | undefined): string[] {
  if (plan.path === 'catalog') return ['path: catalog', 'rows to look at: 0'];
  if (own === undefined)
    return ['path: scan', '  index: not to be used', `rows to look at: ${rowsRead(plan)}`];
  const direct = isDirect(own);
  const path = direct ? directPath(own) : pathOf(own);
  const lines = [`path: ${path}`];
  const segments = new Map<string, number>();
  for (const segment of own.segmentsUsed) {
    for (const found of foundOf(own.events, segment)) {
      const how = howFound(found);
      segments.set(how, (segments.get(how) ?? 0) + 1);
    }
  }
  for (const [how, n] of segments) lines.push(`  ${how}: ${n} segments`);
  return [...lines, `rows to look at: ${direct ? 0 : rowsRead(own)}`];
}

function directPath(own: Plan): Path {
  const found = foundByFilter(own);
  const all = [...(found?.values() ?? [])];
  const timeline = directShape(own) === 'timeline';
  return timeline || all.some(({ by }) => by === 'index') ? 'index' : 'catalog';
}

function howFound(found: FoundRows | undefined): string {
  if (found === undefined || found.by === 'scan')
    return 'scan, because no index serves the conditions, or the segment has none';
  if (found.templates !== undefined) {
    const some = found.rows === 'none' ? '' : '; rows of messages that are like no other';
    return `templates by index${some}`;
  }
  if (found.rows === 'none') return `nothing, by ${found.by}`;
  if (found.by === 'catalog') return 'every row, by catalog';
  return found.exact ? 'rows by index' : 'rows by index, to be compared with the rest of the query';
}

/** Characters that are shown of a bound value: a set of rows is one. */
const MOST_SHOWN = 200;

function bound(params: readonly (string | number)[]): string[] {
  return params.map((value, i) => {
    const text = JSON.stringify(value);
    return `$${i + 1} = ${text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)}…` : text}`;
  });
}
