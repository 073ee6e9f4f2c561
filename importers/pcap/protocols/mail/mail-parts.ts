/**
 * Files in a mail (RFC 2045, RFC 2046), decoded: parts that have a name, are attached, or are neither text nor
 * multipart. A mail within a mail is a file if it has a name or is attached, and its own parts are files, too.
 *
 * Invariants: only the header of a part is buffered, up to a limit, and the rest of a line; nesting is bounded.
 */
import type { CarriedFile } from '../files/carried-file.ts';
import { fileNameIn } from '../files/file-names.ts';
import { textOf } from '../messages.ts';

const MAX_HEADER_CHARACTERS = 16_384;
const MAX_DEPTH = 64;
const DASH = 45;
const LINE_END = Uint8Array.of(13, 10);
/** Encodings that change the content. */
const ENCODINGS: ReadonlySet<string> = new Set(['base64', 'quoted-printable']);

interface Part {
  readonly name: string | undefined;
  readonly file: CarriedFile;
  readonly encoding: string;
  /** Characters of base64 that make no whole byte yet. */
  rest: string;
  isEmpty: boolean;
  /** Whether a part of a line was dropped. */
  isCut: boolean;
}

/** A mail within a mail. */
interface Enclosing {
  readonly part: Part;
  /** Number of enclosing boundaries. */
  readonly depth: number;
}

type OnPart = (file: CarriedFile, name: string | undefined, isWhole: boolean) => void;

export class MailParts {
  private readonly begin: () => CarriedFile;
  private readonly onPart: OnPart;
  private readonly boundaries: string[] = [];
  /** The header being read; undefined in the body. */
  private header: string | undefined = '';
  private part: Part | undefined;
  private readonly enclosing: Enclosing[] = [];

  /**
   * @param begin makes the file of a part
   * @param onPart gets it at its end
   */
  constructor(begin: () => CarriedFile, onPart: OnPart) {
    this.begin = begin;
    this.onPart = onPart;
  }

  get heldBytes(): number {
    let held = 2 * (this.header?.length ?? 0) + (this.part?.file.heldBytes ?? 0);
    for (const { part } of this.enclosing) held += part.file.heldBytes;
    return held;
  }

  /**
   * A line of the mail, without its end.
   * @param isCut whether its rest was dropped because it is too long
   */
  line(bytes: Uint8Array, start: number, end: number, isCut: boolean): void {
    const isDashed = bytes[start] === DASH && bytes[start + 1] === DASH;
    const isBoundary = isDashed && this.boundary(bytes, start, end);
    for (const { part } of this.enclosing) {
      if (isCut) part.isCut = true;
      this.body(part, bytes, start, end);
    }
    if (isBoundary) return;
    if (isCut && this.part !== undefined) this.part.isCut = true;
    if (this.header === undefined) {
      if (this.part !== undefined) this.body(this.part, bytes, start, end);
    } else if (end > start) {
      const line = textOf(bytes, start, end);
      if (this.header.length < MAX_HEADER_CHARACTERS)
        this.header += /^[ \t]/.test(line) ? ` ${line.trim()}` : `\n${line}`;
    } else this.endHeader(this.header);
  }

  /** Bytes of the body are missing. */
  gap(size: number): void {
    this.part?.file.skip(size);
    for (const { part } of this.enclosing) part.file.skip(size);
  }

  end(isWhole: boolean): void {
    this.endParts(isWhole && this.boundaries.length === 0, -1);
  }

  private boundary(bytes: Uint8Array, start: number, end: number): boolean {
    if (this.boundaries.length === 0) return false;
    const text = textOf(bytes, start + 2, end).trimEnd();
    const at = this.boundaries.findLastIndex((one) => text === one || text === `${one}--`);
    if (at < 0) return false;
    this.endParts(true, at);
    const isLast = text !== this.boundaries[at];
    this.boundaries.length = isLast ? at : at + 1;
    this.header = isLast ? undefined : '';
    return true;
  }

  private endHeader(header: string): void {
    this.header = undefined;
    const of = (name: string): string =>
      new RegExp(`\\n${name}:([^\\n]*)`, 'i').exec(header)?.[1]?.trim() ?? '';
    const type = of('content-type');
    const boundary = /\bboundary=(?:"([^"]{1,255})"|([^";\s]{1,255}))/i
      .exec(type)
      ?.slice(1)
      .find(Boolean);
    if (/^multipart\//i.test(type) && boundary !== undefined) {
      if (this.boundaries.length < MAX_DEPTH) this.boundaries.push(boundary);
      return;
    }
    const disposition = of('content-disposition');
    const name = fileNameIn(disposition) ?? fileNameIn(type);
    const encoding = of('content-transfer-encoding').toLowerCase();
    const isMail = /^message\/rfc822\b/i.test(type);
    const isRead = isMail && this.enclosing.length < MAX_DEPTH;
    const isFile =
      name !== undefined ||
      /^attachment\b/i.test(disposition) ||
      (type !== '' && !/^(?:text|multipart|message)\//i.test(type)) ||
      (isMail && ENCODINGS.has(encoding));
    // A mail within a mail has a header, even if it states an encoding, which it must not have (RFC 2046, 5.2.1).
    if (isRead) this.header = '';
    if (!isFile) return;
    const part = { name, file: this.begin(), encoding, rest: '', isEmpty: true, isCut: false };
    if (isRead) this.enclosing.push({ part, depth: this.boundaries.length });
    else this.part = part;
  }

  private body(part: Part, bytes: Uint8Array, start: number, end: number): void {
    if (part.encoding === 'base64') {
      const text = part.rest + textOf(bytes, start, end).replaceAll(/[^A-Za-z0-9+/]/g, '');
      const whole = text.length - (text.length % 4);
      part.rest = text.slice(whole);
      if (whole > 0) part.file.add(Buffer.from(text.slice(0, whole), 'base64'));
      return;
    }
    // The end of the last line is that of the boundary.
    if (!part.isEmpty) part.file.add(LINE_END);
    part.isEmpty = false;
    if (part.encoding === 'quoted-printable') {
      const text = Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString(
        'latin1',
      );
      const line = text.trimEnd();
      // The line continues.
      if (line.endsWith('=')) part.isEmpty = true;
      const said = (part.isEmpty ? line.slice(0, -1) : line).replaceAll(
        /=([0-9a-f]{2})/gi,
        (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)),
      );
      part.file.add(Buffer.from(said, 'latin1'));
    } else part.file.add(bytes.subarray(start, end));
  }

  /** @param depth boundaries that are not those of mails that end, too */
  private endParts(isWhole: boolean, depth: number): void {
    if (this.part !== undefined) this.endPart(this.part, isWhole);
    this.part = undefined;
    const { enclosing } = this;
    const first = enclosing.findIndex((one) => one.depth > depth);
    if (first < 0) return;
    for (const { part } of enclosing.splice(first).toReversed()) this.endPart(part, isWhole);
  }

  private endPart(part: Part, isWhole: boolean): void {
    if (part.rest !== '') part.file.add(Buffer.from(part.rest, 'base64'));
    this.onPart(part.file, part.name, isWhole && !part.isCut);
  }
}
