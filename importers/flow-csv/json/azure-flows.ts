/**
 * Flows in Azure's flow logs of network security groups and of virtual networks: texts of values separated by commas,
 * listed by rule and network interface. The names of the values are like those of Azure's Traffic Analytics.
 * https://learn.microsoft.com/en-us/azure/network-watcher/nsg-flow-logs-overview
 * https://learn.microsoft.com/en-us/azure/network-watcher/vnet-flow-logs-overview
 */
import { flatten, type Flat } from '../../../engine/fields/reading/json/flatten.ts';
import { parseJson } from '../../../engine/fields/reading/json/parse-json.ts';
import { parseIpv4, parseIpv6 } from '../../shared/bytes.ts';

/** Members with the flows of a record. Log shippers number their flows. */
const LISTS = /^(?:properties\.flows|flowRecords\.flows|flow\.\d{1,6})$/;
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
const SECONDS = /^\d{9,10}$/;
const MILLISECONDS = /^\d{12,13}$/;
const NUMBER = /^\d{0,20}$/;
const MOST_ADDRESS = 45;
const PROTOCOL = /^\d{1,3}$/;

/** A flow, and the members of the objects around it in its list. */
export interface AzureFlow {
  readonly members: Flat;
  readonly around: readonly Flat[];
}

/** Flows that are being collected, and how much may still be repeated around them. */
export interface AzureFlows {
  readonly flows: AzureFlow[];
  /** What is repeated around each flow of the record. */
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

export function isAzureFlowList(key: string): boolean {
  // Every member of every record passes here.
  return (key.startsWith('flow') || key.startsWith('properties.f')) && LISTS.test(key);
}

/**
 * Adds the flows in the text of a list, or of a single one; false if any part of it has another form, or too much
 * would be repeated around them.
 * @throws SyntaxError or RangeError of JSON that cannot be parsed
 */
export function azureFlowsIn(text: string, found: AzureFlows): boolean {
  if (!text.startsWith('[')) return add(text, [], found.size, found);
  const list = parseJson(text) as readonly unknown[];
  return list.every((one) => walk(one, { around: [], size: found.size }, found, 0));
}

interface Outer {
  readonly around: readonly Flat[];
  readonly size: number;
}

function walk(value: unknown, outer: Outer, found: AzureFlows, depth: number): boolean {
  if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return false;
  const members = Object.entries(value) as [string, unknown][];
  const isList = ([name, member]: [string, unknown]): boolean =>
    INNER_LISTS.has(name) && Array.isArray(member);
  const lists = members.filter(isList);
  const flat: Flat = { keys: [], values: [] };
  flatten(Object.fromEntries(members.filter((member) => !isList(member))), flat);
  const around = [...outer.around, flat];
  const size = outer.size + sizeOf(flat);
  const known = found.flows.length;
  const isRead = lists.every(([name, list]) =>
    (list as unknown[]).every((one) => {
      if (name !== TUPLES) return walk(one, { around, size }, found, depth + 1);
      return typeof one === 'string' && add(one, around, size, found);
    }),
  );
  // Members of an object without a flow would be in no event.
  return isRead && found.flows.length > known;
}

function add(tuple: string, around: readonly Flat[], size: number, found: AzureFlows): boolean {
  found.left -= size;
  if (found.left < 0) return false;
  const cells = tuple.split(',', 14);
  const members = ofGroup(cells) ?? ofNetwork(cells);
  if (members !== undefined) found.flows.push({ members, around });
  return members !== undefined;
}

/** Of a network security group: `TIME,SOURCE,TARGET,PORT,PORT,T|U,I|O,A|D`, and since version 2 `,STATE,COUNTS`. */
function ofGroup(cells: readonly string[]): Flat | undefined {
  const [time = '', , , , , proto = '', way = '', verdict = '', state = '', ...counts] = cells;
  const protocol = PROTOCOLS.get(proto);
  const status = DECISIONS.get(verdict);
  const isWhole = cells.length === 8 || (cells.length === 13 && /^[BCE]$/.test(state));
  if (!SECONDS.test(time) || protocol === undefined || status === undefined || !isWhole)
    return undefined;
  return flow(cells, protocol, way, { FlowStatus: status, FlowState: state }, counts);
}

/** Of a virtual network: `MILLISECONDS,SOURCE,TARGET,PORT,PORT,PROTOCOL,I|O,STATE,ENCRYPTION,COUNTS`. */
function ofNetwork(cells: readonly string[]): Flat | undefined {
  const [time = '', , , , , proto = '', way = '', state = '', encryption = '', ...counts] = cells;
  const isOne =
    cells.length === 13 &&
    MILLISECONDS.test(time) &&
    PROTOCOL.test(proto) &&
    /^[BCED]$/.test(state);
  if (!isOne) return undefined;
  const status = state === 'D' ? 'Denied' : MAY_BE_DROPPED.has(encryption) ? '' : 'Allowed';
  const more = { FlowStatus: status, FlowState: state, FlowEncryption: encryption };
  return flow(cells, proto, way, more, counts);
}

function isIp(text: string): boolean {
  if (text.length > MOST_ADDRESS) return false;
  const bytes = Buffer.from(text, 'latin1');
  const { length } = bytes;
  return parseIpv4(bytes, 0, length) >= 0 || parseIpv6(bytes, 0, length, new Uint8Array(16), 0);
}

function flow(
  cells: readonly string[],
  protocol: string,
  way: string,
  more: Readonly<Record<string, string>>,
  counts: readonly string[],
): Flat | undefined {
  const [, source = '', target = '', ...ports] = cells.slice(0, ENDS.length);
  const direction = DIRECTIONS.get(way);
  const isOne =
    direction !== undefined &&
    isIp(source) &&
    isIp(target) &&
    [...ports, ...counts].every((cell) => NUMBER.test(cell));
  if (!isOne) return undefined;
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
