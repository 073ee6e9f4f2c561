/**
 * Finds JSON objects in a stream of lines: the elements of an array, or consecutive objects, over any number of
 * lines; or the elements of a list within an object (`{"Records":[…]}`). Invariants: memory is bounded by the
 * largest accepted element, and anything that is not an object is reported rather than dropped.
 */
const QUOTE = 34;
const BACKSLASH = 92;
const OPEN = 123;
const CLOSE = 125;
const LF = 10;
const COLON = 58;
const OPEN_LIST = 91;
const CLOSE_LIST = 93;
const MAX_KEY_BYTES = 32;

/**
 * Members whose list of objects is the content of an object: CloudTrail's `Records`, Azure's `records`, Microsoft's
 * `value`, those in answers of AWS and Google APIs, `items` of Kubernetes.
 */
export const LIST_NAMES: ReadonlySet<string> = new Set(
  'Records records value events Events logs items entries results auditEvents'.split(' '),
);

/** A longer element is abandoned, and the next one searched from the next line on. */
const MAX_ELEMENT_BYTES = 16 * 1024 * 1024;

export interface ElementSink {
  /** An object's text is in `bytes[start, end)`; in the content it began at `offset`. */
  element(bytes: Uint8Array, start: number, end: number, offset: number, length: number): void;
  /** Something that is not an object, or an unterminated one. */
  junk(bytes: Uint8Array, start: number, end: number, offset: number, reason: string): void;
  /** The text before the list in an object with a list of records. */
  around(bytes: Uint8Array, start: number, end: number): void;
  /** The text after the list in such an object, in pieces. */
  after(bytes: Uint8Array, start: number, end: number): void;
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
  /** Whether an object's opening brace is still to be passed. */
  private fresh = false;
  /** Whether objects may contain lists of records; then, whether it is in such an object, and in its list. */
  private readonly lists: boolean;
  private wrapped = false;
  private inList = false;
  /** For such an object: the current or last string, and the character after it. */
  private readonly key = new Uint8Array(MAX_KEY_BYTES);
  private keySize = 0;
  private afterColon = false;
  private listOpens = false;
  /** Brackets outside objects that are open. */
  private openLists = 0;

  /** @param lists whether an object may contain a list of records under one of `LIST_NAMES` */
  constructor(sink: ElementSink, lists = false) {
    this.sink = sink;
    this.lists = lists;
  }

  /** Takes a line, or a piece of one if it is not `whole`, that is at `offset` in the content. */
  line(bytes: Uint8Array, start: number, end: number, offset: number, whole: boolean): void {
    let at = start;
    let from = start;
    while (at < end) {
      if (this.depth === 0) {
        at = this.between(bytes, at, end, offset - start);
        from = at;
        if (at >= end) break;
      }
      at = this.lists && !this.inList ? this.outside(bytes, at, end) : this.within(bytes, at, end);
      if (this.inList && this.depth === 0 && this.listOpens) {
        this.listOpens = false;
        if (!this.wrapped) this.begun(bytes, from, at);
        else this.sink.after(bytes, from, at);
        from = at;
        continue;
      }
      if (this.depth > 0) break;
      if (this.wrapped && !this.inList) {
        this.wrapped = false;
        this.sink.after(bytes, from, at);
      } else this.give(bytes, from, at, offset - start);
      from = at;
    }
    if (this.depth === 0) return;
    if (!this.wrapped || this.inList) this.keep(bytes, from, end, whole);
    else this.sink.after(bytes, from, end);
  }

  /** The record within which the content ends, requested before `end`; undefined: it is complete. */
  get cutOffIn(): string | undefined {
    if (this.wrapped) return 'the object around its records';
    if (this.openLists > 0) return 'the list of its records';
    return this.depth > 0 ? 'a record' : undefined;
  }

  /** The content is over. */
  end(): void {
    if (this.depth > 0 && !this.tooLong && (!this.wrapped || this.inList)) {
      this.sink.junk(this.kept, 0, this.size, this.offset, 'ends inside a JSON object');
    }
    this.depth = 0;
    this.wrapped = false;
    this.inList = false;
  }

  /** An object turned out to contain a list of records: the text before the list is not one. */
  private begun(bytes: Uint8Array, from: number, at: number): void {
    this.wrapped = true;
    if (this.size === 0) {
      this.sink.around(bytes, from, at);
    } else {
      this.append(bytes, from, at);
      this.sink.around(this.kept, 0, this.size);
    }
    this.size = 0;
    this.tooLong = false;
  }

  /** Moves to the next object's brace; anything else on the way is junk, except brackets and commas. */
  private between(bytes: Uint8Array, start: number, end: number, shift: number): number {
    let at = start;
    while (at < end) {
      const byte = bytes[at]!;
      if (byte === OPEN) {
        this.depth = 1;
        this.fresh = true;
        this.afterColon = false;
        this.listOpens = false;
        this.keySize = 0;
        this.size = 0;
        this.offset = shift + at;
        this.tooLong = false;
        this.inString = false;
        this.escaped = false;
        return at;
      }
      if (byte === CLOSE_LIST && this.inList) {
        // The rest of the object around the list.
        this.inList = false;
        this.depth = 1;
        this.afterColon = false;
        return at + 1;
      }
      // Blanks, commas, brackets.
      if (byte === OPEN_LIST) this.openLists += 1;
      else if (byte === CLOSE_LIST && this.openLists > 0) this.openLists -= 1;
      if (byte <= 32 || byte === 44 || byte === OPEN_LIST || byte === CLOSE_LIST) {
        at += 1;
        continue;
      }
      const from = at;
      at = this.junkEnd(bytes, at, end);
      this.sink.junk(bytes, from, at, shift + from, 'not a JSON object');
    }
    return at;
  }

  /** The end of a string, or of anything else that is not an object. */
  private junkEnd(bytes: Uint8Array, start: number, end: number): number {
    let at = start;
    if (bytes[at] === QUOTE) {
      for (at += 1; at < end && bytes[at] !== QUOTE; at++) if (bytes[at] === BACKSLASH) at += 1;
      return Math.min(at + 1, end);
    }
    while (at < end && bytes[at] !== 44 && bytes[at] !== OPEN && bytes[at] !== 93) at += 1;
    return at;
  }

  /** Moves past the brace that closes the object, or to the end. */
  private within(bytes: Uint8Array, start: number, end: number): number {
    let at = start;
    // The opening brace was counted when it was found.
    if (this.fresh) at += 1;
    this.fresh = false;
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

  /** Like `within` for an object that may contain a list of records: also stops at the list's first element. */
  private outside(bytes: Uint8Array, start: number, end: number): number {
    let at = start;
    if (this.fresh) at += 1;
    this.fresh = false;
    for (; at < end; at++) {
      const byte = bytes[at]!;
      if (this.inString) {
        if (this.escaped) this.escaped = false;
        else if (byte === BACKSLASH) this.escaped = true;
        else if (byte === QUOTE) this.inString = false;
        if (this.inString && this.depth === 1 && this.keySize < MAX_KEY_BYTES) {
          this.key[this.keySize++] = byte;
        }
        continue;
      }
      if (byte <= 32) continue;
      const listOpens = this.listOpens;
      this.listOpens = false;
      if (byte === QUOTE) {
        this.inString = true;
        if (this.depth === 1) this.keySize = 0;
        this.afterColon = false;
      } else if (byte === OPEN) {
        if (listOpens) {
          this.listOpens = true;
          this.inList = true;
          this.depth = 0;
          return at;
        }
        this.depth += 1;
        this.afterColon = false;
      } else if (byte === CLOSE) {
        this.depth -= 1;
        if (this.depth === 0) return at + 1;
      } else if (byte === OPEN_LIST) {
        this.listOpens = this.afterColon && this.depth === 1 && this.isListName();
        this.afterColon = false;
      } else {
        this.afterColon = byte === COLON;
      }
    }
    return end;
  }

  private isListName(): boolean {
    return LIST_NAMES.has(Buffer.from(this.key.buffer, 0, this.keySize).toString('latin1'));
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
