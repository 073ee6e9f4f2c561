import { expect, it } from 'vitest';
import { macVendor } from './mac-vendor.ts';

it.each([
  // Blocks of 24, 28 and 36 bits.
  ['00:0c:29:01:02:03', 'VMware, Inc.'],
  ['08-00-27-01-02-03', 'PCS Systemtechnik GmbH'],
  ['000c.2901.0203', 'VMware, Inc.'],
  // Registered, although its bit marks it as local.
  ['aa:00:00:01:02:03', /DIGITAL EQUIPMENT/],
  // Made by software: a virtual interface, or a telephone that hides.
  ['02:42:ac:11:00:02', 'locally administered'],
  ['0a:00:00:00:00:01', 'locally administered'],
])('%s is of %s', (mac, vendor) => {
  expect(macVendor(mac)).toMatch(vendor);
});

it.each([
  '00:00:00:00:00:00',
  'ff:ff:ff:ff:ff:ff',
  '01:00:5e:00:00:fb',
  '00:0c:29',
  '',
  'no address',
])('%j is of nobody', (mac) => {
  expect(macVendor(mac)).toBeUndefined();
});
