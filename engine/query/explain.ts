/** A plan in words: what it reads, what it leaves out and why, and the statements it would run. */
import { formatMicros } from './time.ts';
import type { Plan } from './plan.ts';
import { compileAnswer, compileRange, compileRows } from './statements.ts';

/** Lines of text for `--explain`. */
export function explain(plan: Plan): string[] {
  const { segmentsUsed, prunedSegments, days, range } = plan;
  const total = segmentsUsed.length + prunedSegments.length;
  const lines = [
    `shape: ${plan.shape}${plan.streaming ? ', day by day' : ''}`,
    `path: ${plan.path}`,
    `days: ${days.used} of ${days.total}`,
    `segments: ${segmentsUsed.length} of ${total}`,
    `rows to look at: ${plan.rowsExamined}`,
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
  if (plan.shape === 'rows') {
    const day = segmentsUsed[0]?.day;
    const segments = plan.streaming ? segmentsUsed.filter((one) => one.day === day) : segmentsUsed;
    const { sql, params } = compileRows(plan, { segments });
    return [
      ...lines,
      plan.streaming ? `statement of ${day ?? 'no day'}:` : 'statement:',
      sql,
      ...bound(params),
    ];
  }
  if (plan.needsRange) {
    const { sql, params } = compileRange(plan);
    lines.push('statement for the range:', sql, ...bound(params));
  }
  const { sql, params } = compileAnswer(plan);
  return [...lines, 'statement:', sql, ...bound(params)];
}

function bound(params: readonly (string | number)[]): string[] {
  return params.map((value, i) => `$${i + 1} = ${JSON.stringify(value)}`);
}
