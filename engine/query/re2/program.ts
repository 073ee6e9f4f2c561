/**
 * Compiles a pattern's tree to a program over UTF-8 bytes: instructions that take one byte of a range, branch, or
 * test an assertion. https://swtch.com/~rsc/regexp/regexp3.html
 */
import type { CodeSet } from './code-set.ts';
import type { Assertion, Node } from './syntax.ts';

export type Instruction =
  | { readonly op: 'byte'; readonly low: number; readonly high: number; next: number }
  | { readonly op: 'split'; next: number; other: number }
  | { readonly op: 'assert'; readonly assertion: Assertion; next: number }
  /** Records the position, as the start or end of a group. */
  | { readonly op: 'save'; readonly slot: number; next: number }
  | { readonly op: 'match' };

export interface Program {
  readonly code: readonly Instruction[];
  readonly start: number;
  /** Whether a match can begin at the text's first byte only. */
  readonly anchored: boolean;
}

export function compileProgram(node: Node): Program {
  const code: Instruction[] = [{ op: 'match' }];
  const start = emit(code, node, 0);
  return { code, start, anchored: isAnchored(node) };
}

function isAnchored(node: Node): boolean {
  switch (node.op) {
    case 'assert':
      return node.assertion === 'text-start';
    case 'sequence':
      return node.items.length > 0 && isAnchored(node.items[0]!);
    case 'either':
      return node.items.every(isAnchored);
    default:
      return false;
  }
}

/** Prepends what matches `node` to instruction `next`; returns its start. */
function emit(code: Instruction[], node: Node, next: number): number {
  switch (node.op) {
    case 'set':
      return emitSet(code, node.set, next);
    case 'assert':
      return code.push({ op: 'assert', assertion: node.assertion, next }) - 1;
    case 'sequence':
      return node.items.reduceRight((after, item) => emit(code, item, after), next);
    case 'either':
      return split(
        code,
        node.items.map((item) => emit(code, item, next)),
      );
    case 'capture': {
      const end = code.push({ op: 'save', slot: 2 * node.group + 1, next }) - 1;
      const start = emit(code, node.item, end);
      return code.push({ op: 'save', slot: 2 * node.group, next: start }) - 1;
    }
    case 'repeat': {
      const { item, least, most, lazy } = node;
      let after = next;
      if (most === Infinity) {
        const loop: Instruction = { op: 'split', next, other: next };
        const at = code.push(loop) - 1;
        const inner = emit(code, item, at);
        if (lazy) loop.other = inner;
        else loop.next = inner;
        after = at;
      } else {
        for (let i = least; i < most; i++) {
          const inner = emit(code, item, after);
          const ways = lazy ? { next, other: inner } : { next: inner, other: next };
          after = code.push({ op: 'split', ...ways }) - 1;
        }
      }
      for (let i = 0; i < least; i++) after = emit(code, item, after);
      return after;
    }
  }
}

function split(code: Instruction[], ways: readonly number[]): number {
  return ways.reduceRight((other, way) => code.push({ op: 'split', next: way, other }) - 1);
}

/** A set without characters never matches. */
function emitSet(code: Instruction[], set: CodeSet, next: number): number {
  const ways: number[] = [];
  // Tails that several ranges share are written once.
  const known = new Map<string, number>();
  const byte = (low: number, high: number, to: number): number => {
    const key = `${low} ${high} ${to}`;
    let at = known.get(key);
    if (at === undefined) {
      at = code.push({ op: 'byte', low, high, next: to }) - 1;
      known.set(key, at);
    }
    return at;
  };
  for (let i = 0; i + 1 < set.length; i += 2) {
    for (const bytes of utf8Ranges(set[i]!, set[i + 1]!)) {
      ways.push(bytes.reduceRight((to, [low, high]) => byte(low, high, to), next));
    }
  }
  if (ways.length === 0) return code.push({ op: 'byte', low: 1, high: 0, next }) - 1;
  return split(code, [...new Set(ways)]);
}

const ENDS = [0x7f, 0x7ff, 0xffff, 0x10ffff];

/** Ranges of bytes, first to last, that are the UTF-8 of the code points from `low` to `high`. */
function utf8Ranges(low: number, high: number): [number, number][][] {
  if (low > high) return [];
  // Within one length …
  for (const end of ENDS) {
    if (low <= end && high > end) return [...utf8Ranges(low, end), ...utf8Ranges(end + 1, high)];
  }
  // … and where all but the first differing byte run through all their values.
  for (let bits = 6; bits <= 18; bits += 6) {
    const mask = (1 << bits) - 1;
    if ((low & ~mask) === (high & ~mask) || high <= 0x7f) continue;
    if ((low & mask) !== 0) {
      return [...utf8Ranges(low, low | mask), ...utf8Ranges((low | mask) + 1, high)];
    }
    if ((high & mask) !== mask) {
      return [...utf8Ranges(low, (high & ~mask) - 1), ...utf8Ranges(high & ~mask, high)];
    }
  }
  const from = encode(low);
  const to = encode(high);
  return [from.map((byte, i): [number, number] => [byte, to[i]!])];
}

function encode(code: number): number[] {
  if (code < 0x80) return [code];
  const tail = (shift: number) => 0x80 | ((code >>> shift) & 0x3f);
  if (code < 0x800) return [0xc0 | (code >>> 6), tail(0)];
  if (code < 0x10000) return [0xe0 | (code >>> 12), tail(6), tail(0)];
  return [0xf0 | (code >>> 18), tail(12), tail(6), tail(0)];
}
