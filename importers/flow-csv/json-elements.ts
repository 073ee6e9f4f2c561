/**
 * Finds JSON objects in a stream of lines: the elements of an array, or objects one after another,
 * over as many lines as they like. Held always: memory is bounded by the largest element allowed, and
 * what is no object is given as such rather than left out.
 */
const QUOTE = 34;
const BACKSLASH = 92;
const OPEN = 123;
const CLOSE = 125;
const LF = 10;

/** An element longer than this is given up, and the next one looked for from the next line. */
export const MAX_ELEMENT_BYTES = 16 * 1024 * 1024;

export interface ElementSink {
  /** An object's text lies in `bytes[start, end)`; in the content it began at `offset`. */
  element(bytes: Uint8Array, start: number, end: number, offset: number, length: number): void;
  /** Something that is no object, or one that did not end. */
  junk(bytes: Uint8Array, start: number, end: number, offset: number, reason: string): void;
}

export class ElementScanner {
  private readonly sink: ElementSink;
  private depth = 0;
  private inString = false;
  private escaped = false;
  private kept = new Uint8Array(4096);
  private size = 0;
  private offset = 0;
  private tooLong = false;

  constructor(sink: ElementSink) {
    this.sink = sink;
  }

  /** Takes a line, or a piece of one if it is not `whole`, that lies at `offset` in the content. */
  line(bytes: Uint8Array, start: number, end: number, offset: number, whole: boolean): void {
    let at = start;
    let from = start;
    while (at < end) {
      if (this.depth === 0) {
        at = this.between(bytes, at, end, offset - start);
        from = at;
        if (at >= end) return;
      }
      at = this.within(bytes, at, end);
      if (this.depth > 0) break;
      this.give(bytes, from, at, offset - start);
      from = at;
    }
    if (this.depth > 0) this.keep(bytes, from, end, whole);
  }

  /** The content is over. */
  end(): void {
    if (this.depth > 0 && !this.tooLong) {
      this.sink.junk(this.kept, 0, this.size, this.offset, 'ends inside a JSON object');
    }
    this.depth = 0;
  }

  /** Goes to the next object's brace; what else is on the way is junk, but for brackets and commas. */
  private between(bytes: Uint8Array, start: number, end: number, shift: number): number {
    let at = start;
    while (at < end) {
      const byte = bytes[at]!;
      if (byte === OPEN) {
        this.depth = 1;
        this.size = 0;
        this.offset = shift + at;
        this.tooLong = false;
        this.inString = false;
        this.escaped = false;
        return at;
      }
      // Blanks, commas, brackets.
      if (byte <= 32 || byte === 44 || byte === 91 || byte === 93) {
        at += 1;
        continue;
      }
      const from = at;
      at = this.junkEnd(bytes, at, end);
      this.sink.junk(bytes, from, at, shift + from, 'not a JSON object');
    }
    return at;
  }

  /** Where a string, or anything else that is no object, ends. */
  private junkEnd(bytes: Uint8Array, start: number, end: number): number {
    let at = start;
    if (bytes[at] === QUOTE) {
      for (at += 1; at < end && bytes[at] !== QUOTE; at++) if (bytes[at] === BACKSLASH) at += 1;
      return Math.min(at + 1, end);
    }
    while (at < end && bytes[at] !== 44 && bytes[at] !== OPEN && bytes[at] !== 93) at += 1;
    return at;
  }

  /** Goes behind the brace that closes the object, or to the end. */
  private within(bytes: Uint8Array, start: number, end: number): number {
    let at = start;
    // The opening brace has been counted when it was found.
    if (this.size === 0 && bytes[at] === OPEN && this.depth === 1 && !this.inString) at += 1;
    for (; at < end; at++) {
      const byte = bytes[at]!;
      if (this.inString) {
        if (this.escaped) this.escaped = false;
        else if (byte === BACKSLASH) this.escaped = true;
        else if (byte === QUOTE) this.inString = false;
      } else if (byte === QUOTE) {
        this.inString = true;
      } else if (byte === OPEN) {
        this.depth += 1;
      } else if (byte === CLOSE) {
        this.depth -= 1;
        if (this.depth === 0) return at + 1;
      }
    }
    return end;
  }

  private give(bytes: Uint8Array, from: number, to: number, shift: number): void {
    if (this.tooLong) return;
    if (this.size === 0) {
      this.sink.element(bytes, from, to, this.offset, to - from);
      return;
    }
    this.append(bytes, from, to);
    this.sink.element(this.kept, 0, this.size, this.offset, shift + to - this.offset);
    this.size = 0;
  }

  private keep(bytes: Uint8Array, from: number, end: number, whole: boolean): void {
    if (this.tooLong) {
      // Looks for a line that begins an object, as after a record that was cut off.
      if (whole) this.depth = 0;
      return;
    }
    this.append(bytes, from, end);
    if (whole) {
      this.reserve(1);
      this.kept[this.size++] = LF;
    }
    if (this.size > MAX_ELEMENT_BYTES) {
      this.sink.junk(this.kept, 0, this.size, this.offset, 'a JSON object is too long');
      this.tooLong = true;
      if (whole) this.depth = 0;
    }
  }

  private append(bytes: Uint8Array, from: number, to: number): void {
    this.reserve(to - from);
    this.kept.set(bytes.subarray(from, to), this.size);
    this.size += to - from;
  }

  private reserve(size: number): void {
    if (this.size + size <= this.kept.length) return;
    const larger = new Uint8Array(Math.max(this.size + size, this.kept.length * 2));
    larger.set(this.kept.subarray(0, this.size));
    this.kept = larger;
  }
}
