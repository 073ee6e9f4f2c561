import { expect, it } from 'vitest';
import { formatName } from './format-name.ts';

it.each([
  ['flow-csv', 'zeek-json', 'Zeek (JSON)'],
  ['flow-csv', 'zeek', 'Zeek'],
  ['flow-csv', 'json-array', 'JSON array'],
  ['syslog', 'cisco', 'Cisco log'],
  ['pcap', undefined, 'pcap'],
  ['syslog', 'something-new', 'something-new'],
])('%s %s', (format, dialect, name) => expect(formatName(format, dialect)).toBe(name));
