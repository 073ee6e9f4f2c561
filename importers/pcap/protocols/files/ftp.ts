/**
 * FTP (RFC 959, RFC 2428): logins, and commands that name files, with the server's replies; the files themselves,
 * which come over connections of their own.
 *
 * Invariant: lines and pending commands are bounded (`lines.ts`).
 */
import { FtpData, type Transfers } from './ftp-data.ts';
import {
  type Command,
  Lines,
  readCommand,
  Replies,
  type Reply,
  replyText,
} from '../streams/lines.ts';
import { loginMessage } from '../login.ts';
import type { Endpoints, MessageSink, Stamp, StreamParser } from '../messages.ts';

/** Commands that are events: those that name files or accounts, or run something. */
const TOLD: ReadonlySet<string> = new Set([
  ...['RETR', 'STOR', 'STOU', 'APPE', 'DELE', 'RNFR', 'RNTO', 'MKD', 'RMD', 'XMKD', 'XRMD'],
  ...['ACCT', 'SITE'],
]);
/** Commands that transfer a file over another connection. */
const TRANSFERS: ReadonlySet<string> = new Set(['RETR', 'STOR', 'STOU', 'APPE']);
const LISTS: ReadonlySet<string> = new Set(['LIST', 'NLST', 'MLSD']);
const LOGIN: ReadonlySet<string> = new Set(['USER', 'PASS']);

export class FtpStream implements StreamParser {
  readonly service = 'ftp';
  isDone = false;
  isTunnel = false;
  unread = 0;
  private readonly ends: Endpoints;
  private readonly sink: MessageSink;
  private readonly lines = [new Lines(), new Lines()] as const;
  private readonly replies = new Replies();
  private user: Command | undefined;
  /** The preliminary reply to the current command. */
  private begun: Reply | undefined;
  private readonly transfers: Transfers = { command: undefined, user: undefined, total: undefined };

  constructor(ends: Endpoints, sink: MessageSink) {
    this.ends = ends;
    this.sink = sink;
  }

  get heldBytes(): number {
    return this.lines[0].held.capacity + this.lines[1].held.capacity;
  }

  data(isClient: boolean, bytes: Uint8Array, start: number, end: number, at: Stamp): void {
    const lines = this.lines[isClient ? 0 : 1];
    const from = lines.take(bytes, start, end, (line, first, last) => {
      if (isClient) {
        const command = readCommand(line, first, last, at);
        if (command === undefined) return true;
        this.replies.sent(command);
        this.prepare(command);
      } else {
        const found = this.replies.received(line, first, last);
        if (found?.command !== undefined) this.answered(found.command, found.reply);
      }
      return !this.isDone;
    });
    if (this.isTunnel) this.unread = end - from;
  }

  /** Prepares for the data connection that follows a command. */
  private prepare({ name, argument }: Command): void {
    const { transfers, ends } = this;
    if (name === 'REST') transfers.from = Number(/^\d{1,15}$/.exec(argument)?.[0] ?? 0);
    const port = name === 'PORT' || name === 'EPRT' ? portOf(argument) : undefined;
    if (port !== undefined) this.expect(ends.client, port, true);
    // Lists of folders are not files.
    if (LISTS.has(name)) transfers.command = undefined;
    if (!TRANSFERS.has(name)) return;
    transfers.command = { name, argument };
    transfers.user = this.user?.argument;
    transfers.total = undefined;
  }

  /**
   * Only between the two ends of this connection: otherwise a connection could claim the contents of any other, and
   * behind address translation the named addresses are not theirs.
   */
  private expect(address: Uint8Array, port: number, isClient: boolean): void {
    const { transfers } = this;
    this.sink.expect?.({
      ...{ address, port, isClient, service: 'ftp-data' },
      parser: (ends, sink, isFromStart) =>
        transfers.command === undefined
          ? undefined
          : new FtpData(ends, sink, transfers, isFromStart),
    });
  }

  private answered(command: Command, reply: Reply): void {
    const { name } = command;
    const port = reply.code === 227 || reply.code === 229 ? portOf(reply.text) : undefined;
    if (port !== undefined) this.expect(this.ends.server, port, false);
    if (reply.code < 200) {
      this.begun = reply;
      const size = /\((\d{1,15}) bytes\)/.exec(reply.text)?.[1];
      if (size !== undefined && name === 'RETR') this.transfers.total = Number(size);
      return;
    }
    const { begun } = this;
    this.begun = undefined;
    if (name === 'AUTH' && reply.code === 234) {
      this.isTunnel = true;
      this.isDone = true;
    } else if (LOGIN.has(name)) this.login(command, reply);
    else if (TOLD.has(name)) this.tell(command, reply, begun);
  }

  private login(command: Command, reply: Reply | undefined): void {
    const isUser = command.name === 'USER';
    // A password or nothing else is requested.
    const isOpen = reply !== undefined && (reply.code === 331 || reply.code === 332);
    if (isUser) this.user = command;
    if (isUser && isOpen) return;
    const login = {
      user: this.user?.argument,
      password: isUser ? undefined : command.argument,
      at: command.at,
    };
    const isAccepted = reply === undefined || isOpen ? undefined : reply.code < 300;
    this.sink.message(this.ends, loginMessage('ftp', login, isAccepted, reply && replyText(reply)));
  }

  private tell(command: Command, reply: Reply | undefined, begun?: Reply): void {
    const { name, argument, at } = command;
    const isFailed = reply !== undefined && reply.code >= 400;
    this.sink.message(this.ends, {
      ...{ kind: 'ftp', type: 'command', at },
      text: [name, argument, reply === undefined ? undefined : `→ ${replyText(reply)}`]
        .filter((part) => part !== undefined && part !== '')
        .join(' '),
      columns: {
        user: this.user?.argument,
        command: name,
        file_path: name === 'SITE' || name === 'ACCT' ? undefined : argument,
        outcome: reply === undefined ? undefined : isFailed ? 'failure' : 'success',
        reason: isFailed ? reply.text : undefined,
      },
      attributes: {
        arg: argument === '' ? undefined : argument,
        reply_code: reply === undefined ? undefined : String(reply.code),
        reply_msg: reply?.text ?? begun?.text,
      },
    });
  }

  gap(isClient: boolean): void {
    this.lines[isClient ? 0 : 1].lose();
  }

  end(): void {
    // Replies may still arrive.
  }

  finish(): void {
    for (const command of this.replies.left()) {
      if (LOGIN.has(command.name)) this.login(command, undefined);
      else if (TOLD.has(command.name)) this.tell(command, undefined, this.begun);
    }
  }
}

/** `192,0,2,7,4,1`, `|1|192.0.2.7|1025|`, `|||1025|`: the port at which a connection for data is waited for. */
function portOf(text: string): number | undefined {
  const numbers = /(?:\d{1,3},){4}(\d{1,3}),(\d{1,3})/.exec(text);
  if (numbers !== null) return (Number(numbers[1]) << 8) | Number(numbers[2]);
  const extended = /([!-~])(?:[12]\1[0-9a-fA-F.:]+|\1)\1(\d{1,5})\1/.exec(text);
  return extended === null ? undefined : Number(extended[2]);
}
