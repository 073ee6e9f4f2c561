/** Records that list events: each of these becomes a record, with the other members of the record around it. */
import { flatten, type Flat, joined } from '../../../engine/fields/reading/json/flatten.ts';
import { parseJson } from '../../../engine/fields/reading/json/parse-json.ts';
import { azureFlowsIn } from './azure-flows.ts';

/** Undefined: the record is one event. */
export function listedEvents(record: Flat): Iterable<Flat> | undefined {
  return azureFlowsIn(record) ?? cloudWatchEventsIn(record);
}

/**
 * Log events that a subscription of CloudWatch Logs delivered: `{"logGroup":…,"logEvents":[{"message":…},…]}`.
 * https://docs.aws.amazon.com/AmazonCloudWatch/latest/logs/SubscriptionFilters.html
 */
function cloudWatchEventsIn(record: Flat): Iterable<Flat> | undefined {
  const at = record.keys.indexOf('logEvents');
  const text = record.values[at];
  if (typeof text !== 'string' || !text.startsWith('[') || !record.keys.includes('logGroup'))
    return undefined;
  const events = objectsIn(text);
  if (events === undefined) return undefined;
  const around = {
    ...record,
    keys: record.keys.toSpliced(at, 1),
    values: record.values.toSpliced(at, 1),
  };
  return events.values().map((event) => joined([event, around]));
}

/** The objects of a list; undefined if it is empty or has anything else. */
function objectsIn(text: string): readonly Flat[] | undefined {
  try {
    const list = parseJson(text);
    if (!Array.isArray(list) || list.length === 0) return undefined;
    const objects = list.map((): Flat => ({ keys: [], values: [] }));
    return list.every((one, i) => flatten(one, objects[i]!)) ? objects : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
