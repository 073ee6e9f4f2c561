/**
 * The open flows: their records, the index that finds them and the timer wheel that ends them. Everything is
 * in typed arrays that double as flows arrive; slot 0 means none.
 *
 * A flow is on the wheel at the timeout it had when it was last examined. Packets only update the time; when the
 * wheel gets there, a flow that was active is put on it again. A packet therefore costs no list operation, and time
 * costs one examination per flow and timeout.
 */
import { HASH_SEED, hashWord } from '../../../engine/util/hash-table/hash.ts';
import { HashIndex } from '../../../engine/util/hash-table/hash-index.ts';
import {
  ADDRESS_HIGH,
  ADDRESS_LOW,
  HASH,
  KEY,
  KEY_IP6,
  NEXT,
  PORTS,
  PREVIOUS,
  RANGES,
  RECORD_SHIFT,
  RECORD_WORDS,
  TICK,
  VLANS,
} from './record.ts';
import { Ranges } from './ranges.ts';

/** Microseconds of a tick of the wheel. */
const TICK_MICROS = 131_072;
/**
 * Large blocks from the C library start 16 bytes into a page; this much further on, records begin
 * with a cache line. Elsewhere it does no harm.
 */
const ALIGN = 48;
/** Flows that there is room for at first. */
const FIRST_CAPACITY = 256;
/** Ticks of one turn: longer than the longest timeout; a longer one takes more turns. */
const WHEEL = 4096;

export class FlowStore {
  /** The same records, as words, half-words, bytes and doubles. */
  words: Uint32Array;
  halves: Uint16Array;
  bytes: Uint8Array;
  doubles: Float64Array;
  readonly ranges = new Ranges();
  /** Flows that are open. */
  open = 0;
  /** Slots that were ever in use are below. */
  top = 1;

  private capacity = FIRST_CAPACITY;
  private freeSlot = 0;

  /** Slots by the hashes of their keys. */
  private readonly index = new HashIndex(FIRST_CAPACITY);

  /** Pairs of IPv6 addresses, the lower one first. */
  private pairs = new Uint8Array(0);
  private pairWords = new Uint32Array(0);
  private pairTop = 1;
  private freePair = 0;

  /** Key of the packet at hand, as signed words: see `setKey4` and `setKey6`. */
  readonly keyBytes = new Uint8Array(32);
  private readonly keyWords = new Uint32Array(this.keyBytes.buffer);
  private keyHash = 0;
  private keyLow = 0;
  private keyHigh = 0;
  private keyPorts = 0;
  private keyVlans = 0;
  private keyKey = 0;

  private readonly heads = new Uint32Array(WHEEL);
  private readonly tails = new Uint32Array(WHEEL);
  /** Tick number up to which the wheel was turned; buckets before it are empty. */
  private tick = 0;
  /** The bucket of that tick. */
  private bucket = 0;
  /** When that tick is over, in microseconds: until then there is nothing for `nextDue`. */
  tickEnd = TICK_MICROS;

  constructor() {
    const { capacity } = this;
    const buffer = new ArrayBuffer(capacity * RECORD_WORDS * 4 + ALIGN);
    this.words = new Uint32Array(buffer, ALIGN);
    this.halves = new Uint16Array(buffer, ALIGN);
    this.bytes = new Uint8Array(buffer, ALIGN);
    this.doubles = new Float64Array(buffer, ALIGN);
  }

  /** Sets the key to look for. Addresses in canonical order; ports as (low << 16 | high). */
  setKey4(low: number, high: number, ports: number, vlans: number, key: number): void {
    this.keyLow = low | 0;
    this.keyHigh = high | 0;
    this.keyPorts = ports | 0;
    this.keyVlans = vlans;
    this.keyKey = key;
    const addresses = hashWord(hashWord(HASH_SEED, this.keyLow), this.keyHigh);
    this.keyHash = keyHash(addresses, this.keyPorts, vlans, key);
  }

  /** Like `setKey4` for the addresses in `keyBytes`. */
  setKey6(ports: number, vlans: number, key: number): void {
    this.keyPorts = ports | 0;
    this.keyVlans = vlans;
    this.keyKey = key;
    const k = this.keyWords;
    let addresses = HASH_SEED;
    for (let i = 0; i < 8; i++) addresses = hashWord(addresses, k[i]! | 0);
    this.keyHash = keyHash(addresses, this.keyPorts, vlans, key);
  }

  /** @returns the slot of the flow with the key; 0 for none */
  find(): number {
    const { index, keyHash } = this;
    let slot = index.first(keyHash);
    while (slot >= 0 && !this.matches(slot)) slot = index.next(keyHash);
    return slot < 0 ? 0 : slot;
  }

  private matches(slot: number): boolean {
    const w = slot << RECORD_SHIFT;
    const words = this.words;
    if (
      (words[w + PORTS]! | 0) !== this.keyPorts ||
      (words[w + KEY]! | 0) !== this.keyKey ||
      (words[w + VLANS]! | 0) !== this.keyVlans
    ) {
      return false;
    }
    if ((this.keyKey & KEY_IP6) === 0) {
      return (
        (words[w + ADDRESS_LOW]! | 0) === this.keyLow &&
        (words[w + ADDRESS_HIGH]! | 0) === this.keyHigh
      );
    }
    const at = words[w + ADDRESS_LOW]! * 8;
    const pairs = this.pairWords;
    const key = this.keyWords;
    for (let i = 0; i < 8; i++) if (pairs[at + i] !== key[i]) return false;
    return true;
  }

  /** A new flow with the key; its other fields are zero. @returns its slot */
  insert(): number {
    let slot = this.freeSlot;
    if (slot !== 0) {
      this.freeSlot = this.words[(slot << RECORD_SHIFT) + NEXT]!;
      this.words.fill(0, slot << RECORD_SHIFT, (slot + 1) << RECORD_SHIFT);
    } else {
      if (this.top === this.capacity) this.grow();
      slot = this.top++;
    }
    const w = slot << RECORD_SHIFT;
    const words = this.words;
    words[w + HASH] = this.keyHash;
    words[w + PORTS] = this.keyPorts;
    words[w + VLANS] = this.keyVlans;
    words[w + KEY] = this.keyKey;
    if ((this.keyKey & KEY_IP6) === 0) {
      words[w + ADDRESS_LOW] = this.keyLow;
      words[w + ADDRESS_HIGH] = this.keyHigh;
    } else {
      words[w + ADDRESS_LOW] = this.storePair();
    }
    this.open += 1;
    this.index.add(slot, this.keyHash);
    return slot;
  }

  /** Frees a flow that was taken off the wheel. */
  remove(slot: number): void {
    const w = slot << RECORD_SHIFT;
    const words = this.words;
    this.index.delete(slot, words[w + HASH]!);
    if ((words[w + KEY]! & KEY_IP6) !== 0) {
      const pair = words[w + ADDRESS_LOW]!;
      this.pairWords[pair * 8] = this.freePair;
      this.freePair = pair;
    }
    for (let side = 0; side < 2; side++) {
      const first = words[w + RANGES + side]!;
      if (first !== 0) this.ranges.clear(first);
    }
    words[w + KEY] = 0;
    words[w + NEXT] = this.freeSlot;
    this.freeSlot = slot;
    this.open -= 1;
  }

  /** Bytes that hold the IPv6 addresses of flows. */
  get addressBytes(): Uint8Array {
    return this.pairs;
  }

  // ---- the wheel

  /** Hangs a flow up where `due` (microseconds) is; never before the present. */
  schedule(slot: number, due: number): void {
    let tick = Math.floor(due / TICK_MICROS);
    if (tick < this.tick) tick = this.tick;
    else if (tick >= this.tick + WHEEL) tick = this.tick + WHEEL - 1;
    const words = this.words;
    const w = slot << RECORD_SHIFT;
    const bucket = (this.bucket + (tick - this.tick)) & (WHEEL - 1);
    const tail = this.tails[bucket]!;
    // Modulo 2 ** 32.
    words[w + TICK] = tick;
    words[w + NEXT] = 0;
    words[w + PREVIOUS] = tail;
    if (tail === 0) this.heads[bucket] = slot;
    else words[(tail << RECORD_SHIFT) + NEXT] = slot;
    this.tails[bucket] = slot;
  }

  unschedule(slot: number): void {
    const words = this.words;
    const w = slot << RECORD_SHIFT;
    const next = words[w + NEXT]!;
    const previous = words[w + PREVIOUS]!;
    const bucket = words[w + TICK]! & (WHEEL - 1);
    if (previous === 0) this.heads[bucket] = next;
    else words[(previous << RECORD_SHIFT) + NEXT] = next;
    if (next === 0) this.tails[bucket] = previous;
    else words[(next << RECORD_SHIFT) + PREVIOUS] = previous;
  }

  /** Puts a flow on the wheel again if it is due before the wheel would get to it. */
  hasten(slot: number, due: number): void {
    const tick = Math.max(Math.floor(due / TICK_MICROS), this.tick);
    const hung = this.words[(slot << RECORD_SHIFT) + TICK]!;
    if (((tick - hung) | 0) >= 0) return;
    this.unschedule(slot);
    this.schedule(slot, due);
  }

  /** Starts the wheel at the first packet's time. */
  startWheel(now: number): void {
    if (this.open === 0) this.turnTo(Math.floor(now / TICK_MICROS));
  }

  private turnTo(tick: number): void {
    this.tick = tick;
    this.bucket = tick - Math.floor(tick / WHEEL) * WHEEL;
    this.tickEnd = (tick + 1) * TICK_MICROS;
  }

  /**
   * Takes the next flow off the expired ticks, in the order in which they were added.
   * @returns its slot; 0 if there are none left, and then the wheel is at `now`
   */
  nextDue(now: number): number {
    const target = Math.floor(now / TICK_MICROS);
    if (target <= this.tick) return 0;
    let left = Math.min(target - this.tick, WHEEL);
    while (left > 0) {
      const slot = this.heads[this.bucket]!;
      if (slot !== 0) {
        this.unschedule(slot);
        return slot;
      }
      this.tick += 1;
      this.bucket = (this.bucket + 1) & (WHEEL - 1);
      left -= 1;
    }
    // After a whole turn without a flow, nothing hangs anywhere.
    this.turnTo(target);
    return 0;
  }

  // ---- growth

  private grow(): void {
    const capacity = this.capacity * 2;
    const buffer = new ArrayBuffer(capacity * RECORD_WORDS * 4 + ALIGN);
    const words = new Uint32Array(buffer, ALIGN);
    words.set(this.words);
    this.words = words;
    this.halves = new Uint16Array(buffer, ALIGN);
    this.bytes = new Uint8Array(buffer, ALIGN);
    this.doubles = new Float64Array(buffer, ALIGN);
    this.capacity = capacity;
  }

  private storePair(): number {
    let pair = this.freePair;
    if (pair !== 0) {
      this.freePair = this.pairWords[pair * 8]!;
    } else {
      pair = this.pairTop++;
      if (pair * 32 >= this.pairs.length) {
        const bigger = new Uint8Array(Math.max(this.pairs.length * 2, 2048));
        bigger.set(this.pairs);
        this.pairs = bigger;
        this.pairWords = new Uint32Array(bigger.buffer);
      }
    }
    this.pairWords.set(this.keyWords, pair * 8);
    return pair;
  }
}

function keyHash(addresses: number, ports: number, vlans: number, key: number): number {
  return hashWord(hashWord(hashWord(addresses, ports), vlans), key);
}
