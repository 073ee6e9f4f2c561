/**
 * FTP and SMTP, whose servers greet clients with the same code: the text of the greeting distinguishes them, or the
 * first command.
 */
import { FtpStream } from '../files/ftp.ts';
import { HeldBytes } from './held-bytes.ts';
import {
  type Endpoints,
  type MessageSink,
  type Stamp,
  type StreamParser,
  type StreamProtocol,
  textOf,
} from '../messages.ts';
import { SmtpStream } from '../mail/smtp.ts';

const MAX_GREETING_BYTES = 16_384;
const FTP_PORT = 21;
const FTP_COMMANDS =
  /^(?:USER|PASS|AUTH|FEAT|SYST|HOST|OPTS|PBSZ|PROT|PASV|EPSV|PORT|EPRT|TYPE|CWD|PWD|SIZE|MDTM|REST|LIST|NLST|MLSD|RETR|STOR|APPE|DELE)(?:[ \r\n]|$)/i;
/** First bytes of a greeting or of the first SMTP command. */
const FIRST_BYTES = Buffer.from('2EHLMehlm');
const SMTP_COMMANDS = /^(?:EHLO|HELO|LHLO|MAIL FROM)(?:[ :\r\n]|$)/i;

class GreetedStream implements StreamParser {
  isDone = false;
  private readonly ends: Endpoints;
  private readonly sink: MessageSink;
  private readonly greeting = new HeldBytes();
  /** The client's first command. */
  private readonly first = new HeldBytes();
  private at: Stamp | undefined;
  private parser: FtpStream | SmtpStream | undefined;

  constructor(ends: Endpoints, sink: MessageSink) {
    this.ends = ends;
    this.sink = sink;
  }

  get service(): string | undefined {
    return this.parser?.service;
  }

  get heldBytes(): number {
    return this.greeting.capacity + this.first.capacity + (this.parser?.heldBytes ?? 0);
  }

  get isTunnel(): boolean {
    return this.parser?.isTunnel === true;
  }

  get unread(): number {
    return this.parser?.unread ?? 0;
  }

  data(isClient: boolean, bytes: Uint8Array, start: number, end: number, at: Stamp): void {
    if (this.parser !== undefined) {
      this.parser.data(isClient, bytes, start, end, at);
      this.isDone = this.parser.isDone;
      return;
    }
    this.at ??= at;
    const { greeting, first } = this;
    (isClient ? first : greeting).append(bytes.subarray(start, end));
    const text = textOf(first.bytes, 0, Math.min(first.length, 64));
    if (/[ \r\n]/.test(text) || text.length >= 64) this.choose(text);
    else if (greeting.length > MAX_GREETING_BYTES) this.giveUp();
  }

  private choose(first: string): void {
    const greeting = this.greeting.bytes;
    const text = textOf(greeting, 0, greeting.length);
    const isSmtp = SMTP_COMMANDS.test(first) || (/\bE?SMTP\b/i.test(text) && !/FTP/i.test(text));
    if (isSmtp) this.parser = new SmtpStream(this.ends, this.sink);
    else if (FTP_COMMANDS.test(first) || /FTP/i.test(text))
      this.parser = new FtpStream(this.ends, this.sink);
    else this.giveUp();
    const { parser } = this;
    if (parser === undefined) return;
    parser.data(false, greeting, 0, greeting.length, this.at!);
    parser.data(true, this.first.bytes, 0, this.first.length, this.at!);
    this.isDone = parser.isDone;
    this.greeting.clear();
    this.first.clear();
  }

  private giveUp(): void {
    this.isDone = true;
    this.greeting.clear();
    this.first.clear();
  }

  gap(isClient: boolean, size: number): void {
    this.parser?.gap(isClient, size);
  }

  end(): void {
    // Replies may still arrive.
  }

  finish(): void {
    this.parser?.finish();
  }
}

export const FTP_OR_SMTP: StreamProtocol = {
  /** A server's greeting, or where that was not captured a client's first command of SMTP, or one of FTP to its port. */
  recognise(bytes, start, end, { clientPort, serverPort }, isClient) {
    const isToFtp = (isClient ? serverPort : clientPort) === FTP_PORT;
    if (!isToFtp && !FIRST_BYTES.includes(bytes[start]!)) return undefined;
    const first = textOf(bytes, start, Math.min(end, start + 16));
    if (isToFtp && FTP_COMMANDS.test(first)) return 'client';
    if (/^220[ -]/.test(first)) return 'server';
    if (SMTP_COMMANDS.test(first) && first.length > 5) return 'client';
    return '220 '.startsWith(first) || /^(?:E|EH|H|HE|EHL|HEL|EHLO|HELO)$/i.test(first)
      ? 'more'
      : undefined;
  },
  parser: (ends, sink) => new GreetedStream(ends, sink),
};
