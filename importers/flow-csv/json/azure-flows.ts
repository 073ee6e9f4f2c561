/**
 * Flows in Azure's flow logs of network security groups and of virtual networks: texts of values separated by commas,
 * listed by rule and network interface. The names of the values are like those of Azure's Traffic Analytics.
 * https://learn.microsoft.com/en-us/azure/network-watcher/nsg-flow-logs-overview
 * https://learn.microsoft.com/en-us/azure/network-watcher/vnet-flow-logs-overview
 */
import { flatten, type Flat } from '../../../engine/fields/reading/json/flatten.ts';
import { parseIpv4, parseIpv6 } from '../../shared/bytes.ts';

/** Members with the flows of a record. */
const LISTS: ReadonlySet<string> = new Set(['properties.flows', 'flowRecords.flows']);
/** Log shippers number the flows of a record; it must say that it is one of a flow log. */
const NUMBERED = /^flow\.\d{1,6}$/;
const VERSION = 'flowLogVersion';
const OPERATIONS: readonly string[] = ['category', 'operationName'];
const OPERATION = /^(?:NetworkSecurityGroupFlowEvents?|FlowLogFlowEvents?)$/;
const TUPLES = 'flowTuples';
const INNER_LISTS: ReadonlySet<string> = new Set([TUPLES, 'flows', 'flowGroups']);
const MAX_DEPTH = 4;

const ENDS = ['FlowTime', 'SrcIp', 'DestIp', 'SrcPort', 'DestPort'];
const COUNTS = ['PacketsSrcToDest', 'BytesSrcToDest', 'PacketsDestToSrc', 'BytesDestToSrc'];
const PROTOCOLS = new Map(Object.entries({ T: 'TCP', U: 'UDP' }));
const DIRECTIONS = new Map(Object.entries({ I: 'Inbound', O: 'Outbound' }));
const DECISIONS = new Map(Object.entries({ A: 'Allowed', D: 'Denied' }));
/** Encryption failed, and the flow may have been dropped. */
const MAY_BE_DROPPED: ReadonlySet<string> = new Set([
  'NX_SW_NOT_READY',
  'NX_NOT_ACCEPTED',
  'NX_NOT_SUPPORTED',
]);
const SECONDS = /^\d{10}$/;
const MILLISECONDS = /^\d{13}$/;
const NUMBER = /^\d{0,20}$/;
const MAX_ADDRESS_CHARS = 45;
const PROTOCOL = /^\d{1,3}$/;

/** Flows as their texts, and the members of the objects around them in their list. */
export interface FlowGroup {
  readonly tuples: readonly string[];
  readonly around: readonly Flat[];
}

/** Flows that are being collected, and how much may still be repeated around them. */
export interface AzureFlows {
  readonly groups: FlowGroup[];
  /** Bytes of what is repeated around each flow of the record. */
  readonly size: number;
  left: number;
}

/** About the memory of an event's members, in bytes. */
export function sizeOf({ keys, values }: Flat): number {
  let size = 0;
  for (const key of keys) size += 40 + key.length;
  for (const value of values) size += typeof value === 'string' ? value.length : 8;
  return size;
}

/** The indexes of the members of a record that list flows. */
export function azureFlowLists(record: Flat): readonly number[] {
  const { keys } = record;
  // Every record passes here.
  if (!keys.some((key) => key.startsWith('flow') || key.startsWith('properties.f'))) return [];
  const isNumbered = isOfFlowLog(record);
  return [...keys.keys()].filter(
    (i) => LISTS.has(keys[i]!) || (isNumbered && NUMBERED.test(keys[i]!)),
  );
}

function isOfFlowLog({ keys, values }: Flat): boolean {
  const isNamed = (name: string): boolean => OPERATION.test(String(values[keys.indexOf(name)]));
  return keys.includes(VERSION) || OPERATIONS.some(isNamed);
}

/** Adds the flow in a text; false if it has another form, or too much would be repeated around it. */
export function addAzureFlow(text: string, found: AzureFlows): boolean {
  return addTuples([text], { around: [], size: found.size }, found);
}

/**
 * Adds the flows in a list; false if any part of it has another form, or too much would be repeated around them.
 * @throws RangeError if a member is nested too deeply
 */
export function addAzureFlows(list: readonly unknown[], found: AzureFlows): boolean {
  return list.every((group) => addGroup(group, { around: [], size: found.size }, found, 0));
}

interface Outer {
  readonly around: readonly Flat[];
  readonly size: number;
}

function addGroup(value: unknown, outer: Outer, found: AzureFlows, depth: number): boolean {
  if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return false;
  const members = Object.entries(value) as [string, unknown][];
  const isList = ([name, member]: [string, unknown]): boolean =>
    INNER_LISTS.has(name) && Array.isArray(member);
  const lists = members.filter(isList) as [string, readonly unknown[]][];
  const flat: Flat = { keys: [], values: [] };
  flatten(Object.fromEntries(members.filter((member) => !isList(member))), flat);
  const inner = { around: [...outer.around, flat], size: outer.size + sizeOf(flat) };
  const known = found.groups.length;
  const isRead = lists.every(([name, list]) =>
    name === TUPLES
      ? addTuples(list, inner, found)
      : list.every((group) => addGroup(group, inner, found, depth + 1)),
  );
  // Members of an object without a flow would be in no event.
  return isRead && found.groups.length > known;
}

function addTuples(
  list: readonly unknown[],
  { around, size }: Outer,
  found: AzureFlows,
): list is readonly string[] {
  found.left -= size * list.length;
  if (found.left < 0) return false;
  const isTuple = (one: unknown): one is string =>
    typeof one === 'string' && azureFlow(one) !== undefined;
  if (!list.every(isTuple)) return false;
  if (list.length > 0) found.groups.push({ tuples: list, around });
  return true;
}

/** The values of a flow by their names; undefined if its text has another form. */
export function azureFlow(tuple: string): Flat | undefined {
  const cells = tuple.split(',', 14);
  return parseNsgTuple(cells) ?? parseVnetTuple(cells);
}

/** Of a network security group: `TIME,SOURCE,TARGET,PORT,PORT,T|U,I|O,A|D`, and since version 2 `,STATE,COUNTS`. */
function parseNsgTuple(cells: readonly string[]): Flat | undefined {
  const [time = '', , , , , proto = '', direction = '', decision = '', state = '', ...counts] =
    cells;
  const protocol = PROTOCOLS.get(proto);
  const status = DECISIONS.get(decision);
  const isValid = cells.length === 8 || (cells.length === 13 && /^[BCE]$/.test(state));
  if (!SECONDS.test(time) || protocol === undefined || status === undefined || !isValid)
    return undefined;
  return flow(cells, protocol, direction, { FlowStatus: status, FlowState: state }, counts);
}

/** Of a virtual network: `MILLISECONDS,SOURCE,TARGET,PORT,PORT,PROTOCOL,I|O,STATE,ENCRYPTION,COUNTS`. */
function parseVnetTuple(cells: readonly string[]): Flat | undefined {
  const [time = '', , , , , proto = '', direction = '', state = '', encryption = '', ...counts] =
    cells;
  const isValid =
    cells.length === 13 &&
    MILLISECONDS.test(time) &&
    PROTOCOL.test(proto) &&
    /^[BCED]$/.test(state);
  if (!isValid) return undefined;
  const status = state === 'D' ? 'Denied' : MAY_BE_DROPPED.has(encryption) ? '' : 'Allowed';
  const more = { FlowStatus: status, FlowState: state, FlowEncryption: encryption };
  return flow(cells, proto, direction, more, counts);
}

function isIp(text: string): boolean {
  if (text.length > MAX_ADDRESS_CHARS) return false;
  const bytes = Buffer.from(text, 'latin1');
  const { length } = bytes;
  return parseIpv4(bytes, 0, length) >= 0 || parseIpv6(bytes, 0, length, new Uint8Array(16), 0);
}

function flow(
  cells: readonly string[],
  protocol: string,
  side: string,
  more: Readonly<Record<string, string>>,
  counts: readonly string[],
): Flat | undefined {
  const [, source = '', target = '', ...ports] = cells.slice(0, ENDS.length);
  const direction = DIRECTIONS.get(side);
  const isValid =
    direction !== undefined &&
    isIp(source) &&
    isIp(target) &&
    [...ports, ...counts].every((cell) => NUMBER.test(cell));
  if (!isValid) return undefined;
  const named: readonly (readonly [string, string])[] = [
    ...ENDS.map((name, i) => [name, cells[i]!] as const),
    ['L4Protocol', protocol],
    ['FlowDirection', direction],
    ...Object.entries(more),
    ...COUNTS.map((name, i) => [name, counts[i] ?? ''] as const),
  ];
  const stated = named.filter(([, value]) => value !== '');
  return { keys: stated.map(([name]) => name), values: stated.map(([, value]) => value) };
}
