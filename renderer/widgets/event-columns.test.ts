import { expect, it } from 'vitest';
import { columnLabel } from './event-columns.ts';

it.each([
  ['host', 'host'],
  ['attrs.host', 'attrs.host'],
  ['attrs.user', 'user'],
  ['ts', 'time'],
  ['attrs.source', 'attrs.source'],
])('%s is headed %s', (name, label) => expect(columnLabel(name)).toBe(label));
