/**
 * Azure's flow logs of network security groups and of virtual networks: a record lists its flows, each as a text of
 * values separated by commas, by rule and network interface. Here, each becomes a record with the names that Azure's
 * Traffic Analytics has for these values (`fields/dialects/azure-flow.json`).
 * https://learn.microsoft.com/en-us/azure/network-watcher/nsg-flow-logs-overview
 * https://learn.microsoft.com/en-us/azure/network-watcher/vnet-flow-logs-overview
 */
import { flatten, type Flat, joined } from '../../../engine/fields/reading/json/flatten.ts';
import { parseJson } from '../../../engine/fields/reading/json/parse-json.ts';
import { isAddress, WHOLE } from '../dialects/dialect.ts';

/** Members with the flows of a record. Log shippers number their flows. */
const LISTS = /^(?:properties\.flows|flowRecords\.flows|flow\.\d{1,6})$/;
const TUPLES = 'flowTuples';
const MAX_DEPTH = 4;

const ENDS = ['FlowTime', 'SrcIp', 'DestIp', 'SrcPort', 'DestPort'];
const COUNTS = ['PacketsSrcToDest', 'BytesSrcToDest', 'PacketsDestToSrc', 'BytesDestToSrc'];
const PROTOCOLS: Readonly<Record<string, string>> = { T: 'TCP', U: 'UDP' };
const DIRECTIONS: Readonly<Record<string, string>> = { I: 'Inbound', O: 'Outbound' };
const DECISIONS: Readonly<Record<string, string>> = { A: 'Allowed', D: 'Denied' };
/** Its beginning, its continuation, its end; a denied flow has no other state. */
const STATES = /^[BCED]$/;

/** A flow as listed, and the members of the objects around it. */
interface Listed {
  readonly around: readonly Flat[];
  readonly members: Readonly<Record<string, string>>;
}

/**
 * The flows of a record, each with the other members of the record; undefined if it lists none, or any in another
 * form.
 */
export function azureFlowsIn(record: Flat): Iterable<Flat> | undefined {
  const { keys, values } = record;
  if (!keys.some(isList)) return undefined;
  const own: Flat = { ...record, keys: [], values: [] };
  const flows: Listed[] = [];
  for (const [i, key] of keys.entries()) {
    const value = values[i]!;
    if (!isList(key)) {
      own.keys.push(key);
      own.values.push(value);
    } else if (typeof value !== 'string' || !collect(value, flows)) return undefined;
  }
  return flows.length === 0
    ? undefined
    : flows
        .values()
        .map(({ members, around }) =>
          joined([{ keys: Object.keys(members), values: Object.values(members) }, ...around, own]),
        );
}

function isList(key: string): boolean {
  // Every member of every record passes here.
  return (key.startsWith('flow') || key.startsWith('properties.f')) && LISTS.test(key);
}

/** Adds the flows in the text of a list, or of a single one; false if any is in another form. */
function collect(text: string, flows: Listed[]): boolean {
  if (!text.startsWith('[')) return add(text, [], flows);
  try {
    const list = parseJson(text);
    return Array.isArray(list) && list.every((one) => walk(one, [], flows, 0));
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}

function walk(value: unknown, outer: readonly Flat[], flows: Listed[], depth: number): boolean {
  if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return false;
  const members = Object.entries(value) as [string, unknown][];
  const isInner = ([name, member]: [string, unknown]): boolean =>
    Array.isArray(member) && (name === TUPLES || name === 'flows' || name === 'flowGroups');
  const flat: Flat = { keys: [], values: [] };
  flatten(Object.fromEntries(members.filter((member) => !isInner(member))), flat);
  const around = [...outer, flat];
  return members.filter(isInner).every(([name, list]) =>
    (list as unknown[]).every((one) => {
      if (name !== TUPLES) return walk(one, around, flows, depth + 1);
      return typeof one === 'string' && add(one, around, flows);
    }),
  );
}

function add(tuple: string, around: readonly Flat[], flows: Listed[]): boolean {
  const members = membersOf(tuple.split(','));
  if (members !== undefined) flows.push({ around, members });
  return members !== undefined;
}

function membersOf(cells: readonly string[]): Readonly<Record<string, string>> | undefined {
  const [time = '', src = '', dst = '', , , proto = '', way = '', verdict = ''] = cells;
  const direction = DIRECTIONS[way];
  if (!WHOLE.test(time) || !isAddress(src) || !isAddress(dst) || direction === undefined)
    return undefined;
  const ends = named(ENDS, cells);
  const protocol = PROTOCOLS[proto];
  if (protocol !== undefined) {
    const decision = DECISIONS[verdict];
    const isWhole = cells.length === 8 || (cells.length === 13 && STATES.test(cells[8]!));
    if (decision === undefined || !isWhole) return undefined;
    const known = { ...ends, L4Protocol: protocol, FlowDirection: direction, FlowStatus: decision };
    return { ...known, ...named(['FlowState', ...COUNTS], cells.slice(8)) };
  }
  if (!WHOLE.test(proto) || !STATES.test(verdict) || cells.length !== 13) return undefined;
  const status = verdict === 'D' ? 'Denied' : 'Allowed';
  const known = { ...ends, L4Protocol: proto, FlowDirection: direction, FlowStatus: status };
  return { ...known, ...named(['FlowState', 'FlowEncryption', ...COUNTS], cells.slice(7)) };
}

/** The values that are not empty, by name. */
function named(names: readonly string[], values: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.flatMap((name, i) => (values[i] ? [[name, values[i]]] : [])));
}
