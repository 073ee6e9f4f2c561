/**
 * FTP (RFC 959): logins, and commands that name files, with the server's replies.
 *
 * Invariant: lines and waiting commands are bounded (`lines.ts`).
 */
import { type Command, Lines, readCommand, Replies, type Reply, replyText } from './lines.ts';
import { loginMessage } from './login.ts';
import type { Endpoints, MessageSink, Stamp, StreamParser } from './messages.ts';

/** Commands that are events: those that name files or accounts, or run something. */
const TOLD: ReadonlySet<string> = new Set([
  ...['RETR', 'STOR', 'STOU', 'APPE', 'DELE', 'RNFR', 'RNTO', 'MKD', 'RMD', 'XMKD', 'XRMD'],
  ...['ACCT', 'SITE'],
]);
/** Also where a port for data is agreed on: those are of the flow that follows. */
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
  /** What a command that is under way has been told first. */
  private begun: Reply | undefined;

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
        if (command !== undefined) this.replies.sent(command);
      } else {
        const found = this.replies.received(line, first, last);
        if (found?.command !== undefined) this.answered(found.command, found.reply);
      }
      return !this.isDone;
    });
    if (this.isTunnel) this.unread = end - from;
  }

  private answered(command: Command, reply: Reply): void {
    const { name } = command;
    if (reply.code < 200) {
      this.begun = reply;
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
    // A password or nothing else is asked for.
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
    // Replies may still come.
  }

  finish(): void {
    for (const command of this.replies.left()) {
      if (LOGIN.has(command.name)) this.login(command, undefined);
      else if (TOLD.has(command.name)) this.tell(command, undefined, this.begun);
    }
  }
}
