/** The examples published with the specification (its `baseline` folder), and their consequences. */
import { describe, expect, it } from 'vitest';
import { icmpCounterpart } from '../contract/icmp.ts';
import { communityId } from './community-id.ts';

function address(text: string): Uint8Array {
  if (!text.includes(':')) return Uint8Array.from(text.split('.'), Number);
  const [head = '', tail] = text.split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail === undefined || tail === '' ? [] : tail.split(':');
  const middle = tail === undefined ? [] : Array<string>(8 - left.length - right.length).fill('0');
  const words = [...left, ...middle, ...right].map((word) => parseInt(word, 16));
  return Uint8Array.from(words.flatMap((word) => [word >>> 8, word & 255]));
}

const NO = undefined;
const SEED_0: [number, string, string, number | undefined, number | undefined, string][] = [
  [
    58,
    'fe80::200:86ff:fe05:80da',
    'fe80::260:97ff:fe07:69ea',
    135,
    136,
    'dGHyGvjMfljg6Bppwm3bg0LO8TY=',
  ],
  [
    58,
    'fe80::260:97ff:fe07:69ea',
    'fe80::200:86ff:fe05:80da',
    136,
    135,
    'dGHyGvjMfljg6Bppwm3bg0LO8TY=',
  ],
  [
    58,
    'fe80::260:97ff:fe07:69ea',
    'fe80::200:86ff:fe05:80da',
    135,
    136,
    'zavyT/cezQr1fmImYCwYnMXbgck=',
  ],
  [
    58,
    'fe80::200:86ff:fe05:80da',
    'fe80::260:97ff:fe07:69ea',
    136,
    135,
    'zavyT/cezQr1fmImYCwYnMXbgck=',
  ],
  [
    58,
    '3ffe:501:1800:2345::2',
    '3ffe:507:0:1:200:86ff:fe05:80da',
    3,
    0,
    '2ObVBgIn28oZvibYZhZMBgh7WdQ=',
  ],
  [
    58,
    '3ffe:501:410:0:2c0:dfff:fe47:33e',
    '3ffe:507:0:1:200:86ff:fe05:80da',
    1,
    4,
    'hLZd0XGWojozrvxqE0dWB1iM6R0=',
  ],
  [
    58,
    '3ffe:507:0:1:200:86ff:fe05:80da',
    '3ffe:501:0:1001::2',
    128,
    129,
    '+TW+HtLHvV1xnGhV1lv7XoJrqQg=',
  ],
  [
    58,
    '3ffe:501:0:1001::2',
    '3ffe:507:0:1:200:86ff:fe05:80da',
    129,
    128,
    '+TW+HtLHvV1xnGhV1lv7XoJrqQg=',
  ],
  [58, 'fe80::200:86ff:fe05:80da', 'ff02::2', 133, 134, 'hO+sN4H+MG5MY/8hIrXPqc4ZQz0='],
  [58, 'fe80::260:97ff:fe07:69ea', 'ff02::1', 134, 133, 'pkvHqCL88/tg1k4cPigmZXUtL00='],
  [1, '192.168.0.89', '192.168.0.1', 8, 0, 'X0snYXpgwiv9TZtqg64sgzUn6Dk='],
  [1, '192.168.0.1', '192.168.0.89', 0, 8, 'X0snYXpgwiv9TZtqg64sgzUn6Dk='],
  [1, '10.0.0.1', '10.0.0.2', 11, 0, 'YHxtAirCG//0OzkcVAukqKQN9xM='],
  [
    6,
    '2001:470:e5bf:dead:4957:2174:e82c:4887',
    '2607:f8b0:400c:c03::1a',
    63943,
    25,
    '/qFaeAR+gFe1KYjMzVDsMv+wgU4=',
  ],
  [
    6,
    '2607:f8b0:400c:c03::1a',
    '2001:470:e5bf:dead:4957:2174:e82c:4887',
    25,
    63943,
    '/qFaeAR+gFe1KYjMzVDsMv+wgU4=',
  ],
  [132, '192.168.170.8', '192.168.170.56', 7, 7, 'MP2EtRCAUIZvTw6MxJHLV7N7JDs='],
  [132, '192.168.170.56', '192.168.170.8', 7, 7, 'MP2EtRCAUIZvTw6MxJHLV7N7JDs='],
  [6, '128.232.110.120', '66.35.250.204', 34855, 80, 'LQU9qZlK+B5F3KDmev6m5PMibrg='],
  [6, '66.35.250.204', '128.232.110.120', 80, 34855, 'LQU9qZlK+B5F3KDmev6m5PMibrg='],
  [17, '192.168.1.52', '8.8.8.8', 54585, 53, 'd/FP5EW3wiY1vCndhwleRRKHowQ='],
  [17, '8.8.8.8', '192.168.1.52', 53, 54585, 'd/FP5EW3wiY1vCndhwleRRKHowQ='],
  [46, '10.1.12.1', '10.1.12.2', NO, NO, 'KHlLkgoJW7ifUTyTSgyVfkFHzKw='],
  [46, '10.1.12.2', '10.1.12.1', NO, NO, 'KHlLkgoJW7ifUTyTSgyVfkFHzKw='],
];

const SEED_1: typeof SEED_0 = [
  [
    58,
    'fe80::200:86ff:fe05:80da',
    'fe80::260:97ff:fe07:69ea',
    135,
    136,
    'kHa1FhMYIT6Ym2Vm2AOtoOARDzY=',
  ],
  [
    58,
    'fe80::260:97ff:fe07:69ea',
    'fe80::200:86ff:fe05:80da',
    135,
    136,
    '2hSqmsDZ2kdcY9kbiUzOEBic0iM=',
  ],
  [
    58,
    '3ffe:501:1800:2345::2',
    '3ffe:507:0:1:200:86ff:fe05:80da',
    3,
    0,
    'lVEtCZpYu84Xqaa++3lXFyuu2n4=',
  ],
  [
    58,
    '3ffe:501:410:0:2c0:dfff:fe47:33e',
    '3ffe:507:0:1:200:86ff:fe05:80da',
    1,
    4,
    'W8MHwXpWzpoSTD+cGcaJr4u0ys8=',
  ],
  [
    58,
    '3ffe:507:0:1:200:86ff:fe05:80da',
    '3ffe:501:0:1001::2',
    128,
    129,
    'GfZxjAkDk2MkegpBYHV6tadtFXQ=',
  ],
];

describe('communityId', () => {
  it.each(SEED_0)('proto %i %s > %s %s:%s', (proto, src, dst, srcPort, dstPort, digest) => {
    expect(communityId(address(src), address(dst), srcPort, dstPort, proto)).toBe(`1:${digest}`);
  });

  it.each(SEED_1)('seed 1: proto %i %s > %s %s:%s', (proto, src, dst, from, to, digest) => {
    expect(communityId(address(src), address(dst), from, to, proto, 1)).toBe(`1:${digest}`);
  });

  it('has one text for a request with a code and its reply', () => {
    const a = address('10.0.0.1');
    const b = address('10.0.0.2');
    expect(communityId(a, b, 8, 0, 1)).toBe(communityId(b, a, 0, 0, 1));
  });

  it('keeps the directions of unanswered ICMP apart', () => {
    const a = address('10.0.0.1');
    const b = address('10.0.0.2');
    expect(communityId(a, b, 3, 1, 1)).not.toBe(communityId(b, a, 3, 1, 1));
  });
});

it.each([33, 136])('has no ports of protocol %d, by the specification', (proto) => {
  const [a, b] = [address('10.0.0.1'), address('10.0.0.2')];
  const without = communityId(a, b, undefined, undefined, proto);
  expect(communityId(a, b, 5001, 4001, proto)).toBe(without);
  expect(communityId(b, a, 4001, 5001, proto)).toBe(without);
});

it('icmpCounterpart works both ways', () => {
  expect([icmpCounterpart(1, 8), icmpCounterpart(1, 0), icmpCounterpart(1, 3)]).toEqual([0, 8, -1]);
  expect([icmpCounterpart(58, 135), icmpCounterpart(58, 136), icmpCounterpart(58, 1)]).toEqual([
    136, 135, -1,
  ]);
});
