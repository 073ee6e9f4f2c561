/** Records that list events: each of these becomes a record, with the other members of the record around it. */
import { flatten, type Flat, joined } from '../../../engine/fields/reading/json/flatten.ts';
import { parseJson } from '../../../engine/fields/reading/json/parse-json.ts';
import { type AzureFlows, azureFlowsIn, isAzureFlowList, sizeOf } from './azure-flows.ts';

/** More than this, repeated around the events of one record, leaves the record one event: bytes in memory. */
const MOST_REPEATED = 64 * 1024 * 1024;

/**
 * The events that a record lists. `unread`: the list has another form, or there is too much text around its events;
 * undefined: it lists none.
 */
export function listedEvents(record: Flat): Iterable<Flat> | 'unread' | undefined {
  try {
    return flowsOf(record) ?? logEventsOf(record);
  } catch (error) {
    // Not JSON, or nested too deeply.
    if (error instanceof SyntaxError || error instanceof RangeError) return 'unread';
    throw error;
  }
}

function flowsOf(record: Flat): Iterable<Flat> | 'unread' | undefined {
  const { keys, values } = record;
  if (!keys.some(isAzureFlowList)) return undefined;
  const around: Flat = { ...record, keys: [], values: [] };
  const texts: string[] = [];
  for (const [i, key] of keys.entries()) {
    const value = values[i]!;
    if (isAzureFlowList(key) && typeof value === 'string' && value !== '[]') texts.push(value);
    else {
      around.keys.push(key);
      around.values.push(value);
    }
  }
  if (texts.length === 0) return undefined;
  const found: AzureFlows = { flows: [], size: sizeOf(around), left: MOST_REPEATED };
  if (!texts.every((text) => azureFlowsIn(text, found))) return 'unread';
  return found.flows.values().map((flow) => joined([flow.members, ...flow.around, around]));
}

const LOG_EVENTS = 'logEvents';

/**
 * Log events that a subscription of CloudWatch Logs delivered: `{"logGroup":…,"logEvents":[{"message":…},…]}`. Their
 * members but the message get a prefix: the message may be a record with members of the same names.
 * https://docs.aws.amazon.com/AmazonCloudWatch/latest/logs/SubscriptionFilters.html
 */
function logEventsOf(record: Flat): Iterable<Flat> | 'unread' | undefined {
  const at = record.keys.indexOf(LOG_EVENTS);
  if (at < 0 || !record.keys.includes('logGroup')) return undefined;
  const text = record.values[at];
  if (typeof text !== 'string' || !text.startsWith('[')) return undefined;
  const list = parseJson(text) as readonly unknown[];
  if (list.length === 0) return undefined;
  if (!list.every(isLogEvent)) return 'unread';
  const around: Flat = {
    ...record,
    keys: record.keys.toSpliced(at, 1),
    values: record.values.toSpliced(at, 1),
  };
  if (list.length * sizeOf(around) > MOST_REPEATED) return 'unread';
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
