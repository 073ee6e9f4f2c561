/** Splits a record that lists events into one record per event, each with the record's other members. */
import {
  addMember,
  flatten,
  type Flat,
  joined,
} from '../../../engine/fields/reading/json/flatten.ts';
import { endOfString } from '../../../engine/fields/reading/json/json-strings.ts';
import { parseJson } from '../../../engine/fields/reading/json/parse-json.ts';
import {
  addAzureFlow,
  addAzureFlows,
  azureFlow,
  azureFlowLists,
  type AzureFlows,
  type FlowGroup,
  sizeOf,
} from './azure-flows.ts';

/** Limit of the memory for members repeated around a record's events, in bytes; above it the record stays one event. */
const MAX_REPEATED_BYTES = 64 * 1024 * 1024;
/** Far below the depth at which serialising a member of an event again would exhaust the stack. */
const MAX_NESTING = 1000;

/** The events of a record: at least one. */
export interface RecordEvents {
  /**
   * Whether the record lists them. `unread`: its list has another form, is nested too deeply, or has too much around
   * its events; then the record itself is the only event, as it is without a list.
   */
  readonly list: 'read' | 'unread' | 'none';
  /** Made one by one: to be iterated once. */
  readonly events: Iterable<Flat>;
}

export function eventsOf(record: Flat): RecordEvents {
  const listed = listedEvents(record);
  if (listed === undefined) return { list: 'none', events: [record] };
  return listed === 'unread'
    ? { list: 'unread', events: [record] }
    : { list: 'read', events: listed };
}

function listedEvents(record: Flat): Iterable<Flat> | 'unread' | undefined {
  try {
    return flowsOf(record) ?? logEventsOf(record);
  } catch (error) {
    if (error instanceof SyntaxError) return 'unread';
    throw error;
  }
}

/** The elements of a list; undefined if it is nested too deeply. */
function parseList(text: string): readonly unknown[] | undefined {
  return isNestedDeeply(text) ? undefined : (parseJson(text) as readonly unknown[]);
}

function isNestedDeeply(text: string): boolean {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const char = text[at];
    if (char === '"') at = endOfString(text, at) - 1;
    else if (char === '[' || char === '{') depth += 1;
    else if (char === ']' || char === '}') depth -= 1;
    if (depth > MAX_NESTING) return true;
  }
  return false;
}

function flowsOf(record: Flat): Iterable<Flat> | 'unread' | undefined {
  const indexes = new Set(azureFlowLists(record));
  if (indexes.size === 0) return undefined;
  const around: Flat = { keys: [], values: [] };
  const lists: (string | readonly unknown[])[] = [];
  for (const [i, key] of record.keys.entries()) {
    const value = record.values[i]!;
    const list = indexes.has(i) && typeof value === 'string' ? flowOrList(value) : '';
    if (list === undefined) return 'unread';
    if (list.length > 0) lists.push(list);
    else addMember(around, key, value, record.written?.[i]);
  }
  if (lists.length === 0) return undefined;
  const found: AzureFlows = { groups: [], size: sizeOf(around), left: MAX_REPEATED_BYTES };
  const isRead = lists.every((list) =>
    typeof list === 'string' ? addAzureFlow(list, found) : addAzureFlows(list, found),
  );
  return isRead ? eventsOfGroups(found.groups, around) : 'unread';
}

/** The text of a flow, or a list of flows; undefined if it is nested too deeply. */
function flowOrList(text: string): string | readonly unknown[] | undefined {
  const bare = text.trim();
  return bare.startsWith('[') ? parseList(bare) : bare;
}

/** Flows are read again from their texts, which take less memory than their members. */
function* eventsOfGroups(groups: readonly FlowGroup[], around: Flat): Generator<Flat> {
  for (const group of groups)
    for (const tuple of group.tuples) yield joined([azureFlow(tuple)!, ...group.around, around]);
}

const LOG_EVENTS = 'logEvents';

/**
 * Log events that a subscription of CloudWatch Logs delivered: `{"logGroup":…,"logEvents":[{"message":…},…]}`. Their
 * members but the message get a prefix: the message may be a record with members of the same names.
 * https://docs.aws.amazon.com/AmazonCloudWatch/latest/logs/SubscriptionFilters.html
 */
function logEventsOf(record: Flat): Iterable<Flat> | 'unread' | undefined {
  const { keys, values, written } = record;
  const at = keys.indexOf(LOG_EVENTS);
  if (at < 0 || !keys.includes('logGroup')) return undefined;
  const text = values[at];
  if (typeof text !== 'string' || !text.trimStart().startsWith('[')) return undefined;
  const list = parseList(text);
  if (list === undefined) return 'unread';
  if (list.length === 0) return undefined;
  if (!list.every(isLogEvent)) return 'unread';
  const around: Flat = { keys: [], values: [] };
  for (const [i, key] of keys.entries())
    if (i !== at) addMember(around, key, values[i]!, written?.[i]);
  if (list.length * sizeOf(around) > MAX_REPEATED_BYTES) return 'unread';
  return list.values().map((event) => {
    const { message, ...rest } = event;
    const flat: Flat = { keys: ['message'], values: [message] };
    flatten({ [LOG_EVENTS]: rest }, flat);
    return joined([flat, around]);
  });
}

function isLogEvent(value: unknown): value is { message: string } {
  return (
    typeof value === 'object' &&
    value !== null &&
    'timestamp' in value &&
    'message' in value &&
    typeof value.message === 'string'
  );
}
