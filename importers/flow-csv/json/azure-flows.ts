/**
 * Flows in Azure's flow logs of network security groups and of virtual networks: texts of values separated by commas,
 * listed by rule and network interface. The names of the values are like those of Azure's Traffic Analytics.
 * https://learn.microsoft.com/en-us/azure/network-watcher/nsg-flow-logs-overview
 * https://learn.microsoft.com/en-us/azure/network-watcher/vnet-flow-logs-overview
 */
import { flatten, type Flat, joined } from '../../../engine/fields/reading/json/flatten.ts';
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
/** Encrypted or not; all other values mean that encryption failed, and the flow may have been dropped. */
const PASSED: ReadonlySet<string> = new Set(['X', 'NX']);
const SECONDS = /^\d{9,10}$/;
const MILLISECONDS = /^\d{12,13}$/;
const NUMBER = /^\d{0,20}$/;
const MOST_ADDRESS = 45;
const PROTOCOL = /^\d{1,3}$/;

/** A flow, and the members of the objects around it in its list. */
export interface AzureFlow {
  readonly members: Flat;
  readonly around: Flat;
}

export function isAzureFlowList(key: string): boolean {
  // Every member of every record passes here.
  return (key.startsWith('flow') || key.startsWith('properties.f')) && LISTS.test(key);
}

/**
 * Adds the flows in the text of a list, or of a single one; false if any part of it has another form.
 * @throws SyntaxError or RangeError of JSON that cannot be parsed
 */
export function azureFlowsIn(text: string, flows: AzureFlow[]): boolean {
  if (!text.startsWith('[')) return add(text, { keys: [], values: [] }, flows);
  const list = parseJson(text) as readonly unknown[];
  return list.length > 0 && list.every((one) => walk(one, [], flows, 0));
}

function walk(value: unknown, outer: readonly Flat[], flows: AzureFlow[], depth: number): boolean {
  if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return false;
  const members = Object.entries(value) as [string, unknown][];
  const isList = ([name, member]: [string, unknown]): boolean =>
    INNER_LISTS.has(name) && Array.isArray(member);
  const lists = members.filter(isList);
  const flat: Flat = { keys: [], values: [] };
  flatten(Object.fromEntries(members.filter((member) => !isList(member))), flat);
  const parts = [...outer, flat];
  const around = joined(parts);
  const known = flows.length;
  const isRead = lists.every(([name, list]) =>
    (list as unknown[]).every((one) => {
      if (name !== TUPLES) return walk(one, parts, flows, depth + 1);
      return typeof one === 'string' && add(one, around, flows);
    }),
  );
  // Members of an object without a flow would be in no event.
  return isRead && flows.length > known;
}

function add(tuple: string, around: Flat, flows: AzureFlow[]): boolean {
  const cells = tuple.split(',', 14);
  const members = ofGroup(cells) ?? ofNetwork(cells);
  if (members !== undefined) flows.push({ members, around });
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
  const status = state === 'D' ? 'Denied' : PASSED.has(encryption) ? 'Allowed' : '';
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
