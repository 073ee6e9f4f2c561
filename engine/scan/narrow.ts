/**
 * An analysed filter as a function over columns: it is given the numbers of rows, ascending, and keeps
 * those that match. A condition on a value that a row does not have does not hold, and NOT of it does,
 * as the SQL that the same filter becomes.
 */
import type { Filter } from '../query/filters/filter.ts';
import { knownField } from '../query/fields.ts';
import { exactly } from '../query/filters/number.ts';
import type { FlowEnd, FlowFilter } from '../query/filters/flow.ts';
import { narrowAddress } from './narrow-address.ts';
import { KEEP, type Narrow, NONE, every, some, without } from './narrow-logic.ts';
import { narrowNumber, narrowTime } from './narrow-number.ts';
import {
  narrowCommunity,
  narrowDay,
  narrowEventId,
  narrowPresent,
  narrowSource,
  narrowUnflowed,
} from './narrow-others.ts';
import { narrowRegex, narrowText, narrowTextRange, narrowTextValue } from './narrow-text.ts';
import type { RowScope } from './row-scope.ts';

export function compileNarrow(filter: Filter, scope: RowScope): Narrow {
  switch (filter.filter) {
    case 'all':
      return KEEP;
    case 'and':
      return every(filter.items.map((item) => compileNarrow(item, scope)));
    case 'or':
      return some(
        filter.items.map((item) => compileNarrow(item, scope)),
        scope.capacity,
      );
    case 'not':
      return without(compileNarrow(filter.item, scope), scope.capacity);
    case 'address':
      return narrowAddress(filter, scope);
    case 'community-id':
      return narrowCommunity(filter, scope);
    case 'day':
      return narrowDay(filter, scope);
    case 'event-id':
      return narrowEventId(filter, scope);
    case 'flow':
      return compileNarrow(flowParts(filter), scope);
    case 'kind':
      return scope.kind !== undefined && filter.kinds.includes(scope.kind) ? KEEP : NONE;
    case 'list':
    case 'list-text':
      throw new TypeError('a list narrows queries on a case');
    case 'arrived':
      throw new TypeError('events arrive in a case');
    case 'number':
      return narrowNumber(filter, scope);
    case 'present':
      if (filter.field.type === 'virtual' && filter.field.name === 'flow') {
        const open = { address: undefined, port: undefined };
        return compileNarrow(
          flowParts({ filter: 'flow', ends: [open, open], proto: undefined }),
          scope,
        );
      }
      return narrowPresent(filter, scope);
    case 'regex':
      return narrowRegex(filter, scope);
    case 'source':
      return narrowSource(filter, scope);
    case 'tag':
      // What is not stored has no tags.
      return NONE;
    case 'text':
      return narrowText(filter, scope);
    case 'text-range':
      return narrowTextRange(filter, scope);
    case 'text-value':
      return narrowTextValue(filter, scope);
    case 'time':
      return narrowTime(filter, scope);
    case 'unflowed':
      return narrowUnflowed(scope);
  }
}

/** A five-tuple in either direction, of events that have both addresses. */
function flowParts(filter: FlowFilter): Filter {
  const [a, b] = filter.ends;
  const field = (name: string, type: 'address' | 'number') => {
    const known = knownField(name);
    if (known?.type !== type) throw new TypeError(`${name} is no ${type}`);
    return known;
  };
  const at = (end: FlowEnd, side: 'src' | 'dst'): Filter => {
    const items: Filter[] = [];
    const ip = field(`${side}_ip`, 'address');
    const port = field(`${side}_port`, 'number');
    if (end.address !== undefined && ip.type === 'address')
      items.push({ filter: 'address', field: ip, ranges: [end.address] });
    if (end.port !== undefined && port.type === 'number')
      items.push({ filter: 'number', field: port, ranges: [exactly(end.port)] });
    return { filter: 'and', items };
  };
  const proto = field('proto', 'number');
  const items: Filter[] = [
    { filter: 'present', field: field('src_ip', 'address') },
    { filter: 'present', field: field('dst_ip', 'address') },
  ];
  if (filter.proto !== undefined && proto.type === 'number')
    items.push({ filter: 'number', field: proto, ranges: [exactly(filter.proto)] });
  items.push({
    filter: 'or',
    items: [
      { filter: 'and', items: [at(a, 'src'), at(b, 'dst')] },
      { filter: 'and', items: [at(b, 'src'), at(a, 'dst')] },
    ],
  });
  return { filter: 'and', items };
}
