import { expect, it } from 'vitest';
import { shownValue } from './shown-value.ts';

it.each([
  ['tcp_flags', 27, '27 (FIN SYN PSH ACK)'],
  ['tcp_flags', 0, '0 (none)'],
  ['duration', 11.997278000000002, '11.997278 s'],
  ['bytes', 44, '44 B'],
  ['bytes', 1448, '1,448 B (1.4 kB)'],
  ['dst_port', 8080, '8080'],
  ['host', 'web-02', 'web-02'],
  ['host', null, '(no value)'],
])('%s %s', (field, value, text) => expect(shownValue(field, value)).toBe(text));
