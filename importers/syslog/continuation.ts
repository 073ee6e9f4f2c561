/**
 * Decides which lines without a header belong to the previous record: indented ones, and the multi-line forms of
 * known programs. An ambiguous line is a record of its own.
 *
 * Invariant: the decision depends only on the lines of one record (and on the log's shape), so that a log can be
 * read from any record on.
 */
import { isDigit, startsWith } from './header/bytes.ts';
import type { Header } from './header/header.ts';

const SPACE = 32;
const TAB = 9;
const QUOTE = 34;
const HASH = 35;
const LT = 60;
const BACKSLASH = 92;
const COLON = 58;

/** An open multi-line form that takes certain lines until it ends. */
const BLOCK = {
  none: 0,
  /** Brackets of a JSON document that are open. */
  json: 1,
  /** An XML element that is open. */
  xml: 2,
  /** An unterminated quoted text. */
  quoted: 3,
  /** A line that ends with a colon, in a log whose records have times. */
  announced: 4,
  /** A line with nothing but a time: Oracle's logs, Erlang's reports, scripts that call date(1). */
  timeAlone: 5,
  /** An entry of apt's history. */
  apt: 6,
  /** A statement of MySQL's slow query log. */
  slowQuery: 7,
  /** WebLogic's record in angle brackets. */
  webLogic: 8,
  /** The text of a Windows event: titles with indented values. */
  windows: 9,
  /** A class and its method, as java.util.logging writes them on the line before the message. */
  javaLogging: 10,
} as const;

const TRACE = {
  none: 0,
  /** Stack frames that are recognisable by themselves. */
  frames: 1,
  /** From Python's `Traceback` to the line that names the exception. */
  python: 2,
  go: 3,
} as const;

const TRACEBACK = 'Traceback (most recent call last):';
/** Titles of lines with which the text of a Windows event continues after its first sentence. */
const WINDOWS_TITLES = [
  'Subject:',
  'Account ',
  'Additional Information:',
  'Application Information:',
  'Attributes:',
  'Credentials Which Were Used:',
  'Failure Information:',
  'Group:',
  'Logon Information:',
  'Logon Type:',
  'Member:',
  'Network Information:',
  'New Account:',
  'New Logon:',
  'Object:',
  'Privileges:',
  'Process Information:',
  'Provider Information:',
  'Service Information:',
  'Target Account:',
  'Target Server:',
  'Target Subject:',
  'User:',
];
/** Beginnings of the explanations below a Windows event. */
const WINDOWS_PROSE = ['The ', 'This ', '- ', 'Type ', 'Token ', 'If ', 'Certificate ', 'Pre-'];
const MAX_TITLE = 64;
const JAVA_LEVELS = [
  'SEVERE: ',
  'WARNING: ',
  'INFO: ',
  'CONFIG: ',
  'FINE: ',
  'FINER: ',
  'FINEST: ',
] as const;

export class Continuation {
  private readonly mostlyDated: boolean;
  /** Whether the record's first line was examined. */
  private seen = false;
  private indents = false;
  private headed = false;
  /** Whether the record names its host: later lines may be those of another. */
  private hosted = false;
  private block: number = BLOCK.none;
  private trace: number = TRACE.none;
  private depth = 0;
  /** Name of the XML element that is open. */
  private element: Uint8Array = NONE;
  private frame = -1;
  private named = false;

  constructor(mostlyDated: boolean) {
    this.mostlyDated = mostlyDated;
  }

  /** A record begins. */
  begin(): void {
    this.seen = false;
  }

  /** A blank line, which ends forms that are paragraphs. */
  blank(): void {
    if (this.mostlyDated || !this.seen) return;
    if (this.block === BLOCK.timeAlone) this.block = BLOCK.none;
  }

  /**
   * Whether a line with a time further on belongs to the record all the same: it is in a document that the record
   * has begun, or is the last line of an entry.
   */
  takesDated(
    head: Header,
    bytes: Uint8Array,
    headed: boolean,
    b: Uint8Array,
    start: number,
    end: number,
  ): boolean {
    switch (b[start]) {
      case SPACE:
      case TAB:
      case QUOTE:
      case LT:
      case 93:
      case 125:
        if (!this.seen) this.look(head, bytes, headed);
        if (this.block !== BLOCK.json && this.block !== BLOCK.xml) return false;
        return this.ofBlock(b, start, end, b[start] === SPACE || b[start] === TAB);
      case 69:
        return this.seen && this.block === BLOCK.apt && startsWith(b, start, end, 'End-Date: ');
      default:
        return false;
    }
  }

  /**
   * Whether `b[start, end)`, a line without a header, belongs to the record, and if so, continues the record with
   * it.
   * @param head the record's first line, in `bytes`
   * @param headed whether that line had a header
   */
  takes(
    head: Header,
    bytes: Uint8Array,
    headed: boolean,
    b: Uint8Array,
    start: number,
    end: number,
  ): boolean {
    if (!this.seen) this.look(head, bytes, headed);
    const c = b[start]!;
    const indented = c === SPACE || c === TAB;
    let from = start;
    while (from < end && (b[from] === SPACE || b[from] === TAB)) from++;
    if (this.ofTrace(b, from, end, indented)) return true;
    if (this.ofBlock(b, from, end, indented)) return true;
    // A single blank is as often the remainder of a stripped syslog header as an indent.
    return indented && this.indents && (!this.hosted || c === TAB || from > start + 1);
  }

  // -- the first line ------------------------------------------------------------------------------

  private look(head: Header, b: Uint8Array, headed: boolean): void {
    this.seen = true;
    this.headed = headed;
    this.indents = headed;
    this.hosted = head.hostStart >= 0;
    this.block = BLOCK.none;
    this.trace = TRACE.none;
    this.depth = 0;
    this.frame = -1;
    this.named = false;
    const start = head.messageStart;
    let end = head.messageEnd;
    while (end > start && b[end - 1]! <= SPACE) end--;
    if (end <= start) {
      if (headed && head.dated && head.hostStart < 0 && head.programStart < 0)
        this.block = BLOCK.timeAlone;
      return;
    }
    if (endsWith(b, start, end, TRACEBACK)) this.trace = TRACE.python;
    else if (startsWith(b, start, end, 'goroutine ') || startsWith(b, start, end, 'panic: '))
      this.trace = TRACE.go;
    else if (startsWith(b, start, end, 'Exception in thread ')) this.trace = TRACE.frames;
    if (startsWith(b, start, end, 'Start-Date: ')) this.block = BLOCK.apt;
    else if (startsWith(b, start, end, '=') && endsWith(b, start, end, '==='))
      this.block = BLOCK.timeAlone;
    else if (startsWith(b, start, end, '# Time: ')) this.block = BLOCK.slowQuery;
    else if (startsWith(b, start, end, '# User@Host: ')) {
      this.block = BLOCK.slowQuery;
      this.named = true;
    } else if (startsWith(b, start, end, '####<')) {
      if (b[end - 1] !== 62) this.block = BLOCK.webLogic;
    } else if (!this.opensElement(b, start, end)) this.opensText(b, start, end);
  }

  private opensText(b: Uint8Array, start: number, end: number): void {
    const last = b[end - 1]!;
    const opener = last === 123 || last === 91 || last === 40;
    if (opener || last === 44) {
      this.depth = 0;
      this.addDepth(b, start, end);
      if (this.depth > 0) {
        this.block = BLOCK.json;
        return;
      }
    }
    if (!this.headed || this.hosted) return;
    if (isMethod(b, start, end)) this.block = BLOCK.javaLogging;
    else if (!this.mostlyDated) return;
    else if (oddQuotes(b, start, end)) this.block = BLOCK.quoted;
    else if (last === COLON) this.block = BLOCK.announced;
  }

  /** Whether the text begins with, or ends with, the start of an XML element that it does not end. */
  private opensElement(b: Uint8Array, start: number, end: number): boolean {
    let at = start;
    if (b[start] !== LT) {
      if (b[end - 1] !== 62) return false;
      at = end - 1;
      while (at > start && b[at] !== LT) at--;
    }
    if (startsWith(b, at, end, '<?xml')) {
      this.element = NONE;
      this.block = BLOCK.xml;
      // Its element may begin on this line or the next.
      let next = at + 1;
      while (next < end && b[next] !== LT) next++;
      if (next < end) return this.opensElement(b, next, end);
      return true;
    }
    const name = elementName(b, at, end);
    if (name === 0 || b[end - 2] === 47 || hasEnd(b, at, end, b.subarray(at + 1, name)))
      return false;
    if (isRootOfEvents(b, at + 1, name)) return false;
    // A word in angle brackets at the end is not an element: only a line that is XML throughout opens one.
    if (at !== start && !(b[name] === 62 || b[name] === SPACE)) return false;
    if (at !== start && !this.mostlyDated) return false;
    this.element = b.slice(at + 1, name);
    this.block = BLOCK.xml;
    return true;
  }

  // -- the lines that follow ------------------------------------------------------------------------

  private ofTrace(b: Uint8Array, at: number, end: number, indented: boolean): boolean {
    const inTrace = this.trace !== TRACE.none;
    if (this.trace === TRACE.python) {
      if (indented || startsWith(b, at, end, 'File "')) return true;
      // The line that names the exception ends the frames.
      this.trace = TRACE.frames;
      return exceptionName(b, at, end) > 0;
    }
    if (this.trace === TRACE.go) {
      if (indented || isGoLine(b, at, end)) return true;
    }
    if (isFrame(b, at, end)) {
      this.trace = TRACE.frames;
      return true;
    }
    if (b[at] === HASH && this.isNumbered(b, at, end)) return true;
    if (!this.headed && !inTrace) return false;
    if (startsWith(b, at, end, TRACEBACK)) {
      this.trace = TRACE.python;
      return true;
    }
    if (startsWith(b, at, end, 'goroutine ') && b[end - 1] === COLON) {
      this.trace = TRACE.go;
      return true;
    }
    if (isChained(b, at, end) || isDottedException(b, at, end)) {
      if (this.trace === TRACE.none) this.trace = TRACE.frames;
      return true;
    }
    return indented && inTrace && !this.headed;
  }

  /** PHP's and GDB's frames: `#0 …`, `#1 …`. */
  private isNumbered(b: Uint8Array, at: number, end: number): boolean {
    let i = at + 1;
    let n = 0;
    while (i < end && i < at + 6 && isDigit(b[i]!)) n = n * 10 + (b[i++]! - 48);
    if (i === at + 1 || b[i] !== SPACE || (n !== 0 && n !== this.frame + 1)) return false;
    this.frame = n;
    return true;
  }

  private ofBlock(b: Uint8Array, at: number, end: number, indented: boolean): boolean {
    switch (this.block) {
      case BLOCK.json: {
        const c = b[at]!;
        const inside = c === QUOTE || c === 39 || c === 123 || c === 91;
        if (!indented && !inside && c !== 125 && c !== 93 && c !== 41) return false;
        this.addDepth(b, at, end);
        if (this.depth <= 0) this.block = BLOCK.none;
        return true;
      }
      case BLOCK.xml:
        return this.ofElement(b, at, end, indented);
      case BLOCK.quoted:
        if (oddQuotes(b, at, end)) this.block = BLOCK.none;
        return true;
      case BLOCK.announced:
      case BLOCK.timeAlone:
        return true;
      case BLOCK.apt:
        if (startsWith(b, at, end, 'End-Date: ')) this.block = BLOCK.none;
        return true;
      case BLOCK.slowQuery:
        if (startsWith(b, at, end, '# User@Host: ')) {
          if (this.named) return false;
          this.named = true;
          return true;
        }
        return !isServerStart(b, at, end) && !startsWith(b, at, end, '# Time: ');
      case BLOCK.webLogic: {
        let last = end;
        while (last > at && b[last - 1]! <= SPACE) last--;
        if (b[last - 1] === 62) this.block = BLOCK.none;
        return true;
      }
      case BLOCK.javaLogging:
        this.block = BLOCK.none;
        return JAVA_LEVELS.some((level) => startsWith(b, at, end, level));
      case BLOCK.windows:
        return (
          indented ||
          isTitle(b, at, end) ||
          WINDOWS_PROSE.some((words) => startsWith(b, at, end, words))
        );
      default:
        if (!this.headed || indented) return false;
        if (!isTitle(b, at, end)) return false;
        if (!WINDOWS_TITLES.some((title) => startsWith(b, at, end, title))) return false;
        this.block = BLOCK.windows;
        return true;
    }
  }

  private ofElement(b: Uint8Array, at: number, end: number, indented: boolean): boolean {
    if (!indented && b[at] !== LT) return false;
    const { element } = this;
    if (element.length === 0) {
      const name = elementName(b, at, end);
      if (name === 0) return false;
      this.element = b.slice(at + 1, name);
      if (hasEnd(b, at, end, this.element) || isRootOfEvents(b, at + 1, name))
        this.block = BLOCK.none;
      return true;
    }
    if (hasEnd(b, at, end, element)) {
      this.block = BLOCK.none;
      return true;
    }
    // The same element begins again: a separate record.
    const name = elementName(b, at, end);
    return indented || name !== at + 1 + element.length || !sameBytes(b, at + 1, element);
  }

  /** Brackets that open less those that close, outside of quotes. */
  private addDepth(b: Uint8Array, start: number, end: number): void {
    let quoted = false;
    for (let i = start; i < end; i++) {
      const c = b[i]!;
      if (c === BACKSLASH) i++;
      else if (c === QUOTE) quoted = !quoted;
      else if (!quoted) {
        if (c === 123 || c === 91 || c === 40) this.depth++;
        else if (c === 125 || c === 93 || c === 41) this.depth--;
      }
    }
  }
}

const NONE = new Uint8Array(0);

/** Whether an element is a list of Windows events, each of which is a record. */
function isRootOfEvents(b: Uint8Array, at: number, end: number): boolean {
  return end - at === 6 && startsWith(b, at, end, 'Events');
}

/** Lines that describe a W3C log, and are not its records: https://www.w3.org/TR/WD-logfile.html. */
const DIRECTIVES = [
  '#Software:',
  '#Version:',
  '#Date:',
  '#Fields:',
  '#Start-Date:',
  '#End-Date:',
  '#Remark:',
  '#GMT-Offset:',
  '#Time Format:',
  '#Log-type:',
];

export function isDirective(b: Uint8Array, start: number, end: number): boolean {
  if (b[start] !== HASH) return false;
  for (let i = 0; i < DIRECTIVES.length; i++)
    if (startsWith(b, start, end, DIRECTIVES[i]!)) return true;
  return false;
}

function isWord(c: number): boolean {
  const low = c | 32;
  return (low >= 97 && low <= 122) || (c >= 48 && c <= 57) || c === 95 || c === 36 || c >= 128;
}

function endsWith(b: Uint8Array, start: number, end: number, text: string): boolean {
  return end - text.length >= start && startsWith(b, end - text.length, end, text);
}

function sameBytes(b: Uint8Array, at: number, other: Uint8Array): boolean {
  for (let i = 0; i < other.length; i++) if (b[at + i] !== other[i]) return false;
  return true;
}

function oddQuotes(b: Uint8Array, start: number, end: number): boolean {
  let odd = false;
  for (let i = start; i < end; i++) {
    if (b[i] === BACKSLASH) i++;
    else if (b[i] === QUOTE) odd = !odd;
  }
  return odd;
}

/** The end of the name of an element that starts at `at`, or 0. */
function elementName(b: Uint8Array, at: number, end: number): number {
  const first = at + 1 < end ? b[at + 1]! | 32 : 0;
  if (b[at] !== LT || first < 97 || first > 122) return 0;
  let i = at + 1;
  while (i < end && (isWord(b[i]!) || b[i] === COLON || b[i] === 45 || b[i] === 46)) i++;
  return i === end || b[i] === 62 || b[i] === SPACE || b[i] === 47 ? i : 0;
}

/** Whether `</name>` is in the text. */
function hasEnd(b: Uint8Array, start: number, end: number, name: Uint8Array): boolean {
  for (let i = start; i + name.length + 2 < end; i++) {
    if (b[i] !== LT || b[i + 1] !== 47 || !sameBytes(b, i + 2, name)) continue;
    const after = b[i + 2 + name.length]!;
    if (after === 62 || after === SPACE) return true;
  }
  return false;
}

/** A line that the server writes to the slow query log when it starts. */
function isServerStart(b: Uint8Array, at: number, end: number): boolean {
  return (
    (b[at] === 47 && endsWith(b, at, end, 'started with:')) ||
    startsWith(b, at, end, 'Tcp port: ') ||
    startsWith(b, at, end, 'Time    ')
  );
}

/** `at a.b.C(D.java:1)`, `at f (file.js:1:2)`, `... 12 more`, `from x.rb:1:in 'f'`. */
function isFrame(b: Uint8Array, at: number, end: number): boolean {
  const c = b[at]!;
  if (startsWith(b, at, end, 'at ')) {
    let dotted = false;
    for (let i = at + 3; i < end; i++) {
      const d = b[i]!;
      if (d === 46 || d === 47 || d === 92) dotted = true;
      if (d === 40) return dotted || b[i - 1] === SPACE;
      if (d === SPACE && !dotted && !startsWith(b, at, end, 'at async ')) {
        if (!startsWith(b, at, end, 'at new ') && b[i + 1] !== 40) return false;
      }
    }
    return dotted && isDigit(b[end - 1]!);
  }
  if (c === 46) {
    if (!startsWith(b, at, end, '... ') || !isDigit(b[at + 4] ?? 0)) return false;
    return endsWith(b, at, end, ' more') || endsWith(b, at, end, ' frames omitted');
  }
  if (c === 45) return startsWith(b, at, end, '--- End of ');
  // Ruby: `app/x.rb:12:in 'f'`.
  for (let i = at; i + 7 < end && i < at + 200; i++) {
    if (b[i] === 46 && startsWith(b, i, end, '.rb:') && isDigit(b[i + 4]!)) return true;
    if (b[i] === SPACE && i !== at + 4) return false;
  }
  return false;
}

/** Lines that continue a trace with another one. */
function isChained(b: Uint8Array, at: number, end: number): boolean {
  switch (b[at]) {
    case 67:
      return startsWith(b, at, end, 'Caused by: ');
    case 68:
      return startsWith(b, at, end, 'During handling of the above exception, another');
    case 83:
      return startsWith(b, at, end, 'Suppressed: ') || startsWith(b, at, end, 'Stack trace:');
    case 84:
      return startsWith(b, at, end, 'The above exception was the direct cause');
    case 87:
      return startsWith(b, at, end, 'Wrapped by: ');
    case 91:
      return (
        startsWith(b, at, end, '[stacktrace]') || startsWith(b, at, end, '[previous exception]')
      );
    case QUOTE:
      return b[at + 1] === 125 && at + 3 >= end;
    default:
      return false;
  }
}

/** The end of an exception's name, followed by a colon or nothing; 0 if there is none. */
function exceptionName(b: Uint8Array, at: number, end: number): number {
  let i = at;
  while (i < end && (isWord(b[i]!) || b[i] === 46)) i++;
  if (i === at || isDigit(b[at]!)) return 0;
  return i === end || b[i] === COLON || b[i]! <= SPACE ? i : 0;
}

/** `java.io.IOException: …`, `System.IO.IOException: …`. */
function isDottedException(b: Uint8Array, at: number, end: number): boolean {
  const stop = exceptionName(b, at, end);
  if (stop === 0) return false;
  let dot = 0;
  for (let i = at; i < stop; i++) if (b[i] === 46) dot = i;
  if (dot === 0) return false;
  for (let i = dot + 1; i < stop; i++) {
    if (b[i] === 69 && (startsWith(b, i, stop, 'Exception') || startsWith(b, i, stop, 'Error')))
      return true;
    if (b[i] === 84 && startsWith(b, i, stop, 'Throwable')) return true;
  }
  return false;
}

/** `org.example.Login authenticate`: a class with its package, a blank and a method. */
function isMethod(b: Uint8Array, start: number, end: number): boolean {
  let dot = false;
  let blanks = 0;
  for (let i = start; i < end; i++) {
    const c = b[i]!;
    if (c === 46 && blanks === 0) dot = true;
    else if (c === SPACE) blanks++;
    else if (!isWord(c) && c !== LT && c !== 62) return false;
  }
  return dot && blanks === 1;
}

/** `main.f(0x1, 0x2)`, `created by main.g`, `goroutine 1 [running]:`. */
function isGoLine(b: Uint8Array, at: number, end: number): boolean {
  if (startsWith(b, at, end, 'created by ') || startsWith(b, at, end, 'goroutine ')) return true;
  if (startsWith(b, at, end, '[signal ') || startsWith(b, at, end, 'exit status ')) return true;
  if (startsWith(b, at, end, '...additional frames')) return true;
  if (b[end - 1] !== 41) return false;
  let i = at;
  while (i < end && b[i] !== SPACE && b[i] !== 44) {
    if (b[i] === 40 && i > at) return true;
    i++;
  }
  return false;
}

/** `New Logon:`, `Logon Type:<tab>3`: words that begin with a capital, then a colon and at most a value. */
function isTitle(b: Uint8Array, at: number, end: number): boolean {
  if (b[at]! < 65 || b[at]! > 90) return false;
  const limit = Math.min(end, at + MAX_TITLE);
  let i = at;
  while (i < limit && (isWord(b[i]!) || b[i] === SPACE || b[i] === 45)) i++;
  if (i >= limit || b[i] !== COLON) return false;
  let rest = i + 1;
  while (rest < end && b[rest] === SPACE) rest++;
  return rest >= end || b[i + 1] === TAB || b[rest] === 13;
}
