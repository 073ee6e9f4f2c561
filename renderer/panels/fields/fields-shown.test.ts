import { describe, expect, it } from 'vitest';
import { fieldsShown, openAtFirst } from './fields-shown.ts';

const field = (name: string, events: number) => ({
  field: name,
  attribute: name.startsWith('attrs.'),
  events,
});
const FIELDS = [
  field('message', 9),
  field('attrs.user', 5),
  field('host', 9),
  field('kind', 9),
  field('bytes', 7),
  field('src_ip', 0),
];

describe('fieldsShown', () => {
  it('leaves out what no event has and what means nothing by itself', () => {
    expect(fieldsShown(FIELDS, [], '').map((one) => one.field)).toEqual([
      'kind',
      'host',
      'bytes',
      'attrs.user',
    ]);
  });
  it('keeps a field where it stands when it is opened', () => {
    const shown = fieldsShown(FIELDS, ['bytes'], '');
    expect(shown.map((one) => one.open)).toEqual([false, false, true, false]);
  });
  it('has the closed fields of the events found only, and no column without a name', () => {
    const fields = [...FIELDS, field('attrs.column7', 9)];
    const names = (known?: string[]) =>
      fieldsShown(fields, ['host'], '', known).map((one) => one.field);
    expect(names(['bytes'])).toEqual(['kind', 'host', 'bytes']);
    expect(names([])).toEqual(['kind', 'host', 'bytes', 'attrs.user']);
    expect(fieldsShown(fields, [], 'column').map((one) => one.field)).toEqual(['attrs.column7']);
  });
  it('finds a field by a part of its name', () => {
    expect(fieldsShown(FIELDS, [], ' US').map((one) => one.field)).toEqual(['attrs.user']);
  });
});

describe('openAtFirst', () => {
  it('opens only what the case has', () => {
    expect(openAtFirst(FIELDS)).toEqual(['kind', 'host']);
  });
});
