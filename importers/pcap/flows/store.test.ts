import { expect, test } from 'vitest';
import { HASH, KEY_IP6, KEY_PORTS, RECORD_WORDS } from './record.ts';
import { FlowStore } from './store.ts';

/** Pairs of addresses that a hash of their sum or difference would confuse. */
const ALIKE: [string, (n: number) => [low: number, high: number]][] = [
  ['the same exclusive or', (n) => [n, (n ^ 0x5a5a_0000) >>> 0]],
  ['the same sum', (n) => [n, 0x7fff_ffff - n]],
  ['the same difference', (n) => [n, n + 1]],
  ['one address', (n) => [0x0a00_0001, n]],
];
const FLOWS = 4000;

function distinctHashes(store: FlowStore): number {
  const found = new Set<number>();
  for (let slot = 1; slot < store.top; slot++) found.add(store.words[slot * RECORD_WORDS + HASH]!);
  return found.size;
}

// Two of 4,000 have one of 2 ** 32 hashes in one test of 540; three pairs never.
test.each(ALIKE)('flows between addresses of %s have hashes of their own', (_, pair) => {
  const store = new FlowStore();
  for (let n = 1; n <= FLOWS; n++) {
    store.setKey4(...pair(n), (40_000 << 16) | 443, 0, KEY_PORTS | 6);
    store.insert();
  }
  expect(distinctHashes(store)).toBeGreaterThan(FLOWS - 3);
});

test.each(ALIKE)('and between IPv6 addresses of %s', (_, pair) => {
  const store = new FlowStore();
  for (let n = 1; n <= FLOWS; n++) {
    const [low, high] = pair(n);
    const view = new DataView(store.keyBytes.buffer);
    view.setUint32(0, low);
    view.setUint32(4, high);
    store.setKey6((40_000 << 16) | 443, 0, KEY_PORTS | KEY_IP6 | 6);
    store.insert();
  }
  expect(distinctHashes(store)).toBeGreaterThan(FLOWS - 3);
});
