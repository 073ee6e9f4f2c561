/**
 * Line-based protocols: a client sends commands, a server answers each in order with a three-digit code (RFC 959,
 * 4.2; RFC 5321, 4.2), possibly on several lines.
 *
 * Invariants: lines are truncated at a limit; pending commands are bounded.
 */
import { HeldBytes } from './held-bytes.ts';
import { type Stamp, textOf } from '../messages.ts';

const [CR, LF] = [13, 10];
const MAX_LINE_BYTES = 8192;
const MAX_WAITING = 256;

/** The lines of one direction. */
export class Lines {
  readonly held = new HeldBytes();
  private isCutShort = false;

  /** Whether the last line was too long and truncated. */
  get isCut(): boolean {
    return this.isCutShort;
  }

  /**
   * Passes whole lines, without their ends, until no more are wanted.
   * @param take returns whether more lines are wanted
   * @returns start of the unread bytes
   */
  take(
    bytes: Uint8Array,
    start: number,
    end: number,
    take: (bytes: Uint8Array, start: number, end: number) => boolean,
  ): number {
    let from = start;
    while (from < end) {
      const at = bytes.subarray(from, end).indexOf(LF);
      const stop = at < 0 ? end : from + at;
      if (!this.isCutShort && (at < 0 || this.held.length > 0)) {
        const room = MAX_LINE_BYTES - this.held.length;
        this.held.append(bytes.subarray(from, Math.min(stop, from + Math.max(room, 0))));
        if (at < 0 && this.held.length >= MAX_LINE_BYTES) {
          const cut = this.held.bytes;
          this.isCutShort = true;
          this.held.clear();
          if (!take(cut, 0, cut.length)) return stop;
        }
      }
      if (at < 0) return end;
      const next = stop + 1;
      if (this.isCutShort) this.isCutShort = false;
      else {
        const isBegun = this.held.length > 0;
        const line = isBegun ? this.held.bytes : bytes;
        const first = isBegun ? 0 : from;
        let last = isBegun ? line.length : stop;
        if (last > first && line[last - 1] === CR) last -= 1;
        this.held.clear();
        if (!take(line, first, last)) return next;
      }
      from = next;
    }
    return end;
  }

  /** Bytes are missing: the line that contains the gap is dropped. */
  lose(): void {
    this.held.clear();
    this.isCutShort = true;
  }
}

export interface Command {
  /** In capitals. */
  readonly name: string;
  readonly argument: string;
  readonly at: Stamp;
}

/** The command in a client's line. */
export function readCommand(
  bytes: Uint8Array,
  start: number,
  end: number,
  at: Stamp,
): Command | undefined {
  const line = textOf(bytes, start, end);
  const space = line.indexOf(' ');
  const name = (space < 0 ? line : line.slice(0, space)).toUpperCase();
  if (!/^[A-Z0-9]{1,12}$/.test(name)) return undefined;
  return { name, argument: space < 0 ? '' : line.slice(space + 1).trim(), at };
}

export interface Reply {
  readonly code: number;
  readonly text: string;
}

export function replyText({ code, text }: Reply): string {
  return text === '' ? String(code) : `${code} ${text}`;
}

/** Commands in order, and the replies to them. */
export class Replies {
  private readonly waiting: Command[] = [];
  /** Code of a multi-line reply. */
  private code = '';

  sent(command: Command): void {
    if (this.waiting.length < MAX_WAITING) this.waiting.push(command);
  }

  /**
   * @returns the reply that a line ends, with the command that it answers; undefined if it continues, or is not one
   */
  received(
    bytes: Uint8Array,
    start: number,
    end: number,
  ): { reply: Reply; command: Command | undefined } | undefined {
    const line = textOf(bytes, start, end);
    const code = /^\d{3}(?=[ -]|$)/.exec(line)?.[0];
    if (code === undefined || (this.code !== '' && code !== this.code)) return undefined;
    if (line[3] === '-') {
      this.code = code;
      return undefined;
    }
    this.code = '';
    const reply = { code: Number(code), text: line.slice(4).trim() };
    // A preliminary reply is followed by another one.
    const command = reply.code < 200 ? this.waiting[0] : this.waiting.shift();
    return { reply, command };
  }

  /** A command gets another reply. */
  again(command: Command): void {
    this.waiting.unshift(command);
  }

  /** Commands without a reply. */
  left(): readonly Command[] {
    return this.waiting.splice(0);
  }
}

/** Base64 that encodes text; undefined otherwise. */
export function base64Text(text: string): string | undefined {
  if (!/^[A-Za-z0-9+/]{1,4096}={0,2}$/.test(text)) return undefined;
  const bytes = Buffer.from(text, 'base64');
  return textOf(bytes, 0, bytes.length);
}

/** Account and password of SASL's PLAIN (RFC 4616). */
export function plainLogin(base64: string): { user: string; password: string } | undefined {
  const parts = base64Text(base64)?.split('\0');
  return parts?.length === 3 ? { user: parts[1]! || parts[0]!, password: parts[2]! } : undefined;
}
