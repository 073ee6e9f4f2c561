/**
 * Files in a mail (RFC 2045, RFC 2046): parts that have a name, without their encoding.
 *
 * Invariants: of a part nothing is held but its header, up to a bound, and the rest of a line; parts in parts are bounded.
 */
import type { CarriedFile } from './carried-file.ts';
import { textOf } from './messages.ts';

const MAX_HEADER_CHARACTERS = 16_384;
const MAX_DEPTH = 64;
const DASH = 45;
const LINE_END = Uint8Array.of(13, 10);

/** Name of a file in a header, as it was sent. */
export function fileNameIn(header: string): string | undefined {
  const extended = /\bfilename\*=(?:utf-8|iso-8859-1)?'[^']*'([^\s;]{1,1024})/i.exec(header)?.[1];
  if (extended !== undefined) {
    try {
      return decodeURIComponent(extended);
    } catch {
      return extended;
    }
  }
  return /\b(?:file)?name=(?:"([^"]{1,255})"|([^";\s]{1,255}))/i
    .exec(header)
    ?.slice(1)
    .find(Boolean);
}

interface Part {
  readonly name: string;
  readonly file: CarriedFile;
  readonly encoding: string;
  /** Characters of base64 that make no whole byte yet. */
  rest: string;
  isEmpty: boolean;
  /** Whether a line was left out in part. */
  isCut: boolean;
}

export class MailParts {
  private readonly begin: () => CarriedFile;
  private readonly told: (file: CarriedFile, name: string, isWhole: boolean) => void;
  private readonly boundaries: string[] = [];
  /** Of the part whose header is read; undefined in its body. */
  private header: string | undefined = '';
  private part: Part | undefined;

  /**
   * @param begin makes the file of a part
   * @param told gets it at its end
   */
  constructor(
    begin: () => CarriedFile,
    told: (file: CarriedFile, name: string, isWhole: boolean) => void,
  ) {
    this.begin = begin;
    this.told = told;
  }

  get heldBytes(): number {
    return 2 * (this.header?.length ?? 0) + (this.part?.file.heldBytes ?? 0);
  }

  /**
   * A line of the mail, without its end.
   * @param isCut whether its rest is left out, as it is too long
   */
  line(bytes: Uint8Array, start: number, end: number, isCut: boolean): void {
    if (isCut && this.part !== undefined) this.part.isCut = true;
    if (bytes[start] === DASH && bytes[start + 1] === DASH && this.boundary(bytes, start, end))
      return;
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
  }

  end(isWhole: boolean): void {
    this.endPart(isWhole && this.boundaries.length === 0);
  }

  private boundary(bytes: Uint8Array, start: number, end: number): boolean {
    if (this.boundaries.length === 0) return false;
    const text = textOf(bytes, start + 2, end).trimEnd();
    const at = this.boundaries.findLastIndex((one) => text === one || text === `${one}--`);
    if (at < 0) return false;
    this.endPart(true);
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
    const name = fileNameIn(of('content-disposition')) ?? fileNameIn(type);
    if (name === undefined) {
      // A mail within a mail has a header of its own.
      if (/^message\/rfc822\b/i.test(type)) this.header = '';
      return;
    }
    const encoding = of('content-transfer-encoding').toLowerCase();
    this.part = { name, file: this.begin(), encoding, rest: '', isEmpty: true, isCut: false };
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
      // The line goes on.
      if (line.endsWith('=')) part.isEmpty = true;
      const said = (part.isEmpty ? line.slice(0, -1) : line).replaceAll(
        /=([0-9a-f]{2})/gi,
        (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)),
      );
      part.file.add(Buffer.from(said, 'latin1'));
    } else part.file.add(bytes.subarray(start, end));
  }

  private endPart(isWhole: boolean): void {
    const { part } = this;
    this.part = undefined;
    if (part === undefined) return;
    if (part.rest !== '') part.file.add(Buffer.from(part.rest, 'base64'));
    this.told(part.file, part.name, isWhole && !part.isCut);
  }
}
