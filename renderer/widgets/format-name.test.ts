import { expect, it } from 'vitest';
import { formatName } from './format-name.ts';

it.each([
  ['flow-csv', 'zeek-json', 'Zeek (JSON)'],
  ['flow-csv', 'zeek', 'Zeek'],
  ['pcap', undefined, 'pcap'],
  ['syslog', 'something-new', 'something-new'],
])('%s %s', (format, dialect, name) => expect(formatName(format, dialect)).toBe(name));
