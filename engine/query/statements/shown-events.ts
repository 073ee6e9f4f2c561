/** Computed columns of rows of events, and the names that they may have. */
import { evidenceNames } from '../../util/attribute-columns.ts';
import { communityId } from '../../util/community-id.ts';
import { COLUMNS, PROTOCOLS } from '../../contract/event.ts';
import { compareNaturally } from '../../contract/words/natural-order.ts';
import { parseAddress } from '../values/address.ts';
import type { Name } from '../syntax/ast.ts';
import { isOther, otherNames } from '../names/default-columns.ts';
import { EXPANDED, chosenName, expandedNames } from '../names/fields.ts';
import type { ShownRecord, ShownValue } from '../answers/format.ts';
import type { Plan } from '../plan/plan.ts';
import { OVERFLOW_COLUMN } from '../plan/scope.ts';

/**
 * Completes events for display: whole ones with values that follow from their columns, all without attributes that
 * a stage hid.
 */
export function completeEvents(records: readonly ShownRecord[], plan: Plan): void {
  const isWhole = plan.projection === undefined;
  const others = isWhole ? otherNames(plan) : plan.hidden;
  const haveCommunityId = isWhole && haveFiveTuple(others);
  for (const record of records) {
    if (haveCommunityId) addCommunityId(record);
    if (others.size > 0) leaveOut(record, others);
  }
}

/** Whether events show everything from which a Community ID follows, in stored form. */
function haveFiveTuple(others: ReadonlySet<string>): boolean {
  return !['community_id', 'kind', ...EXPANDED['flow']!].some((name) => others.has(name));
}

function leaveOut(record: ShownRecord, others: ReadonlySet<string>): void {
  const { attrs } = record;
  if (typeof attrs !== 'object' || attrs === null) return;
  const left = Object.entries(attrs).filter(([name]) => !isOther(others, name));
  if (left.length === 0) delete record['attrs'];
  else record['attrs'] = Object.fromEntries(left);
}

/** Flows have a Community ID; it follows from the five-tuple, so it is not stored. */
export function addCommunityId(record: ShownRecord): void {
  const { kind, src_ip: src, dst_ip: dst, proto } = record;
  if (kind !== 'flow' || typeof src !== 'string' || typeof dst !== 'string') return;
  const number = typeof proto === 'string' ? (PROTOCOLS[proto] ?? Number(proto)) : proto;
  const [from, to] = [addressBytes(src), addressBytes(dst)];
  if (typeof number !== 'number' || Number.isNaN(number) || from?.length !== to?.length) return;
  if (from === undefined || to === undefined) return;
  record['community_id'] = communityId(
    from,
    to,
    port(record['src_port']),
    port(record['dst_port']),
    number,
  );
}

function port(value: ShownValue | undefined): number | undefined {
  return typeof value === 'number' ? value : undefined;
}

/** 4 or 16 bytes in network order. */
function addressBytes(text: string): Uint8Array | undefined {
  const range = parseAddress(text);
  if (range === undefined) return undefined;
  const size = range.version === 4 ? 4 : 16;
  const bytes = new Uint8Array(size);
  let rest = BigInt(range.low);
  for (let i = size - 1; i >= 0; i--) {
    bytes[i] = Number(rest & 255n);
    rest >>= 8n;
  }
  return bytes;
}

/** Parts of fields, or about them: rows never show them by themselves. */
const NOT_SHOWN: ReadonlySet<string> = new Set([
  'seq',
  'source_id',
  'ts',
  'ts_ns',
  'ts_digits',
  'ts_basis',
  'tz_offset',
  'record_key',
  OVERFLOW_COLUMN,
]);

/**
 * Names that the rows of a plan may have, known before any row is read: those that its `fields` selected, as in
 * rows; otherwise fields in their usual order, those that stages computed, then `attrs.NAME` by name, then `attrs`
 * if some have no column.
 */
export function rowFieldNames(plan: Plan): string[] {
  const columns = new Set(plan.segmentsUsed.flatMap((segment) => [...segment.columns]));
  const shownAs = (chosen: Name): readonly string[] => {
    const field = plan.resolve(chosen);
    const { name, type } = field;
    if (type === 'virtual' && name === 'attributes') return attributeNames(columns, plan.hidden);
    return expandedNames(field) ?? [chosenName(field)];
  };
  if (plan.projection !== undefined) return [...new Set(plan.projection.flatMap(shownAs))];
  const names = ['ts', 'kind', 'event_id', 'source'];
  for (const column of Object.keys(COLUMNS)) {
    if (!columns.has(column) || NOT_SHOWN.has(column)) continue;
    const name = column.replace(/_ip[46]$/, '_ip');
    if (!names.includes(name)) names.push(name);
  }
  const others = otherNames(plan);
  const shown = [...names.filter((name) => !others.has(name)), ...plan.computed.flatMap(shownAs)];
  if (plan.segmentsUsed.some(({ kind }) => kind === 'flow') && haveFiveTuple(others))
    shown.push('community_id');
  return [...shown, ...attributeNames(columns, others)];
}

function attributeNames(columns: ReadonlySet<string>, others: ReadonlySet<string>): string[] {
  const attributes = [...new Set(evidenceNames(columns).values())]
    .filter((name) => !isOther(others, name))
    .sort(compareNaturally);
  const names = attributes.map((name) => `attrs.${name}`);
  return columns.has(OVERFLOW_COLUMN) ? [...names, 'attrs'] : names;
}
