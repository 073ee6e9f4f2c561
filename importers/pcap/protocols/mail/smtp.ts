/**
 * SMTP (RFC 5321, RFC 4954): one event per mail, with the headers that name people and the names of its files, and
 * one per login. Mails are files, too, and so are those that they carry.
 *
 * Invariants: the text of a mail is not kept; recipients, files and lines are bounded.
 */
import { CarriedFile } from '../files/carried-file.ts';
import {
  base64Text,
  Lines,
  plainLogin,
  readCommand,
  Replies,
  type Reply,
  replyText,
} from '../streams/lines.ts';
import { loginMessage } from '../login.ts';
import { fileNameInLine } from '../files/file-names.ts';
import { MailParts } from './mail-parts.ts';
import {
  type Endpoints,
  type MessageSink,
  type Stamp,
  type StreamParser,
  textOf,
} from '../messages.ts';

const MAX_LISTED = 256;
const MAX_HEADER_BYTES = 65_536;
const [DOT, CR, LF] = [46, 13, 10];
const RETURN = Uint8Array.of(CR);
/** Headers in events, with their names in Zeek's smtp.log. */
const HEADERS: Readonly<Record<string, string>> = {
  ...{ from: 'from', to: 'to', cc: 'cc', subject: 'subject', date: 'date', 'reply-to': 'reply_to' },
  ...{ 'message-id': 'msg_id', 'in-reply-to': 'in_reply_to', 'user-agent': 'user_agent' },
  ...{ 'x-mailer': 'user_agent', 'x-originating-ip': 'x_originating_ip' },
};

interface Mail {
  readonly at: Stamp;
  readonly from: string;
  readonly recipients: string[];
  readonly headers: Map<string, string>;
  readonly files: string[];
  /** From its first byte on. */
  file: CarriedFile | undefined;
  parts: MailParts | undefined;
  /** Whether a line begins, and with a dot, which is not part of the mail (RFC 5321, 4.5.2). */
  isLineStart: boolean;
  isDot: boolean;
  /** Whether a CR followed it. */
  isReturn: boolean;
  size: number;
  headerBytes: number;
  isInHeader: boolean;
  /** The header that a line may continue. */
  last: string;
}

const GREETINGS: ReadonlySet<string> = new Set(['EHLO', 'HELO', 'LHLO']);
const [COMMANDS, BODY, CHUNK] = [0, 1, 2];

export class SmtpStream implements StreamParser {
  readonly service = 'smtp';
  isDone = false;
  isTunnel = false;
  unread = 0;
  private readonly ends: Endpoints;
  private readonly sink: MessageSink;
  private readonly lines = [new Lines(), new Lines()] as const;
  private readonly replies = new Replies();
  private state = COMMANDS;
  private helo: string | undefined;
  private mail: Mail | undefined;
  /** Mails that are at their end, and wait for the reply. */
  private readonly sent: Mail[] = [];
  private readonly chunkLines = new Lines();
  /** Time of the bytes being read. */
  private now: Stamp = { micros: NaN, nanos: 0, digits: 0 };
  /** Bytes left of a BDAT (RFC 3030). */
  private left = 0;
  private isLastChunk = false;
  /** A login whose next lines of the client are its answers to questions. */
  private login: { mechanism: string; answers: string[]; at: Stamp } | undefined;

  constructor(ends: Endpoints, sink: MessageSink) {
    this.ends = ends;
    this.sink = sink;
  }

  get heldBytes(): number {
    let kept = 0;
    for (const mail of this.mail === undefined ? this.sent : [this.mail, ...this.sent])
      kept += 1024 + 4 * mail.headerBytes;
    kept += (this.mail?.file?.heldBytes ?? 0) + (this.mail?.parts?.heldBytes ?? 0);
    const { lines, chunkLines } = this;
    return lines[0].held.capacity + lines[1].held.capacity + chunkLines.held.capacity + kept;
  }

  data(isClient: boolean, bytes: Uint8Array, start: number, end: number, at: Stamp): void {
    this.now = at;
    let from = start;
    while (from < end && !this.isDone) {
      if (isClient && this.state === CHUNK) {
        const size = this.chunk(end - from);
        if (size > 0) this.carry(this.mail, at)?.add(bytes.subarray(from, from + size));
        this.chunkLines.take(bytes, from, from + size, (line, first, last) => {
          this.mailLine(line, first, last, this.chunkLines.isCut);
          return true;
        });
        from += size;
        this.endChunk();
        continue;
      }
      const { state, mail } = this;
      const start = from;
      from = this.lines[isClient ? 0 : 1].take(bytes, from, end, (line, first, last) => {
        if (!isClient) this.server(line, first, last);
        else if (this.state === BODY) this.bodyLine(line, first, last);
        else this.client(line, first, last, at);
        return !this.isDone && this.state === state;
      });
      if (!isClient || state !== BODY || mail === undefined) continue;
      this.bodyBytes(mail, bytes.subarray(start, from), at);
      if (this.mail !== mail) this.endFiles(mail, true);
    }
    if (this.isTunnel) this.unread = end - from;
  }

  private client(bytes: Uint8Array, start: number, end: number, at: Stamp): void {
    const { login } = this;
    if (login !== undefined) {
      if (login.answers.length < 4) login.answers.push(textOf(bytes, start, end));
      return;
    }
    const command = readCommand(bytes, start, end, at);
    if (command === undefined) return;
    this.replies.sent(command);
    const { name, argument } = command;
    if (GREETINGS.has(name)) this.helo = argument;
    else if (name === 'RSET') this.drop();
    // Another within one is refused (RFC 5321, 4.1.4).
    else if (name === 'MAIL') this.mail ??= newMail(addressOf(argument), at);
    else if (name === 'RCPT') {
      if (this.mail !== undefined && this.mail.recipients.length < MAX_LISTED)
        this.mail.recipients.push(addressOf(argument));
    } else if (name === 'DATA') this.state = BODY;
    else if (name === 'BDAT') this.beginChunk(argument);
    else if (name === 'AUTH') {
      const [mechanism = '', initial] = argument.split(' ');
      const answers = initial === undefined || initial === '' ? [] : [initial];
      this.login = { mechanism: mechanism.toUpperCase(), answers, at };
    }
  }

  private beginChunk(argument: string): void {
    const parts = /^(\d{1,12})( +LAST)?$/i.exec(argument);
    if (parts === null) return;
    this.left = Number(parts[1]);
    this.isLastChunk = parts[2] !== undefined;
    this.state = CHUNK;
    this.endChunk();
  }

  private endChunk(): void {
    if (this.left > 0) return;
    this.state = COMMANDS;
    if (this.isLastChunk) this.endMail();
  }

  /** The mail that the client sends is at its end. */
  private endMail(): void {
    // At line ends, their bytes are still pending.
    if (this.mail !== undefined && this.state !== BODY) this.endFiles(this.mail, true);
    if (this.mail !== undefined && this.sent.length < MAX_LISTED) this.sent.push(this.mail);
    this.mail = undefined;
  }

  /** The client abandons a mail that it has started. */
  private drop(): void {
    this.tell(this.mail, undefined);
    this.mail = undefined;
  }

  private chunk(size: number): number {
    const taken = Math.min(this.left, size);
    this.left -= taken;
    if (this.mail !== undefined) this.mail.size += taken;
    return taken;
  }

  private bodyLine(bytes: Uint8Array, start: number, end: number): void {
    if (bytes[start] === DOT && end - start === 1) {
      this.endMail();
      this.state = COMMANDS;
      return;
    }
    if (this.mail !== undefined) this.mail.size += end - start + 2;
    const from = bytes[start] === DOT ? start + 1 : start;
    this.mailLine(bytes, from, end, this.lines[0].isCut);
  }

  /** The file that a mail is. */
  private carry(mail: Mail | undefined, at: Stamp): CarriedFile | undefined {
    if (mail === undefined) return undefined;
    mail.parts ??= new MailParts(
      () => new CarriedFile(this.ends, this.sink, this.now, true),
      (file, name, isWhole) => {
        listFile(mail, name);
        file.end({ service: 'smtp', name, isWhole, columns: envelopeOf(mail) });
      },
    );
    return (mail.file ??= new CarriedFile(this.ends, this.sink, at, true));
  }

  /** Bytes of a mail as sent, up to the line that ends it. */
  private bodyBytes(mail: Mail, bytes: Uint8Array, at: Stamp): void {
    const file = this.carry(mail, at)!;
    for (let from = 0; from < bytes.length;) {
      if (mail.isLineStart) {
        if (!mail.isDot && bytes[from] === DOT) {
          mail.isDot = true;
          from += 1;
          continue;
        }
        if (mail.isDot && bytes[from] === LF) return;
        if (mail.isDot && !mail.isReturn && bytes[from] === CR) {
          // Only with a line feed it is the end.
          mail.isReturn = true;
          from += 1;
          continue;
        }
        if (mail.isReturn) file.add(RETURN);
        mail.isDot = false;
        mail.isReturn = false;
        mail.isLineStart = false;
      }
      const at = bytes.indexOf(LF, from);
      const to = at < 0 ? bytes.length : at + 1;
      file.add(bytes.subarray(from, to));
      mail.isLineStart = at >= 0;
      from = to;
    }
  }

  private endFiles(mail: Mail, isWhole: boolean): void {
    const { file, parts } = mail;
    mail.file = undefined;
    mail.parts = undefined;
    parts?.end(isWhole);
    file?.end({
      ...{ service: 'smtp', name: undefined, mime: 'message/rfc822', isWhole },
      title: mail.headers.get('subject'),
      columns: envelopeOf(mail),
    });
  }

  private mailLine(bytes: Uint8Array, start: number, end: number, isCut: boolean): void {
    const { mail } = this;
    if (mail === undefined) return;
    this.carry(mail, this.now);
    mail.parts!.line(bytes, start, end, isCut);
    if (mail.isInHeader) {
      if (end === start) mail.isInHeader = false;
      else this.header(mail, bytes, start, end);
      return;
    }
    // Parts of a mail name their files in their own headers.
    if ((bytes[start]! | 32) !== 99 && bytes[start] !== 32 && bytes[start] !== 9) return;
    listFile(mail, fileNameInLine(textOf(bytes, start, Math.min(end, start + 512))));
  }

  private header(mail: Mail, bytes: Uint8Array, start: number, end: number): void {
    mail.headerBytes += end - start;
    if (mail.headerBytes > MAX_HEADER_BYTES) return;
    const line = textOf(bytes, start, end);
    listFile(mail, fileNameInLine(line));
    if (/^[ \t]/.test(line)) {
      const before = mail.headers.get(mail.last);
      if (before !== undefined) mail.headers.set(mail.last, `${before} ${line.trim()}`);
      return;
    }
    const colon = line.indexOf(':');
    mail.last = HEADERS[line.slice(0, Math.max(colon, 0)).toLowerCase()] ?? '';
    if (mail.last !== '' && !mail.headers.has(mail.last))
      mail.headers.set(mail.last, line.slice(colon + 1).trim());
  }

  private server(bytes: Uint8Array, start: number, end: number): void {
    const found = this.replies.received(bytes, start, end);
    if (found === undefined) return;
    const { reply, command } = found;
    if (this.login !== undefined) {
      // Another question follows; the command still waits for its reply.
      if (reply.code === 334 && command !== undefined) this.replies.again(command);
      else if (command?.name === 'AUTH') this.giveLogin(reply);
      return;
    }
    if (command === undefined) return;
    const isRefused = reply.code >= 400;
    if (GREETINGS.has(command.name) && !isRefused) this.drop();
    switch (command.name) {
      case 'STARTTLS':
        if (reply.code !== 220) return;
        this.isTunnel = true;
        this.isDone = true;
        return;
      case 'DATA':
        if (reply.code === 354) this.replies.again({ ...command, name: 'END' });
        else if (isRefused) {
          this.state = COMMANDS;
          this.refuse(reply);
        }
        return;
      case 'END':
        this.tell(this.sent.shift(), reply);
        return;
      case 'BDAT':
        if (/ LAST$/i.test(command.argument)) this.tell(this.sent.shift(), reply);
        else if (isRefused) this.refuse(reply);
        return;
      case 'MAIL':
        if (isRefused && this.mail?.at === command.at) this.refuse(reply);
    }
  }

  private refuse(reply: Reply): void {
    this.tell(this.mail, reply);
    this.mail = undefined;
  }

  private giveLogin(reply: Reply | undefined): void {
    const { login } = this;
    this.login = undefined;
    if (login === undefined) return;
    const { mechanism, answers, at } = login;
    const [first = '', second = ''] = answers;
    const plain = mechanism === 'PLAIN' ? plainLogin(first) : undefined;
    const said = base64Text(first);
    const isLogin = mechanism === 'LOGIN';
    const user =
      plain?.user ?? (isLogin ? said : mechanism === 'CRAM-MD5' ? said?.split(' ')[0] : undefined);
    const password = plain?.password ?? (isLogin ? base64Text(second) : undefined);
    const isAccepted = reply === undefined ? undefined : reply.code < 300;
    this.sink.message(
      this.ends,
      loginMessage(
        'smtp',
        { user, password, mechanism, at },
        isAccepted,
        reply && replyText(reply),
      ),
    );
  }

  private tell(mail: Mail | undefined, reply: Reply | undefined): void {
    if (mail === undefined) return;
    this.endFiles(mail, false);
    const { headers, files, recipients } = mail;
    const subject = headers.get('subject');
    this.sink.message(this.ends, {
      ...{ kind: 'smtp', type: 'mail', at: mail.at },
      text: [`${mail.from} → ${recipients.join(', ')}`, subject, reply && replyText(reply)]
        .filter((part) => part !== undefined && part !== '')
        .join(' '),
      columns: {
        ...envelopeOf(mail),
        user_agent: headers.get('user_agent'),
        outcome: reply === undefined ? undefined : reply.code < 400 ? 'success' : 'failure',
      },
      attributes: {
        helo: this.helo,
        mailfrom: mail.from === '' ? undefined : mail.from,
        rcptto: recipients.length === 0 ? undefined : recipients,
        ...{ from: headers.get('from'), to: headers.get('to'), cc: headers.get('cc') },
        ...{ subject, date: headers.get('date'), reply_to: headers.get('reply_to') },
        ...{ msg_id: headers.get('msg_id'), in_reply_to: headers.get('in_reply_to') },
        x_originating_ip: headers.get('x_originating_ip'),
        filenames: files.length === 0 ? undefined : files,
        body_len: String(mail.size),
        last_reply: reply && replyText(reply),
      },
    });
  }

  gap(isClient: boolean, size: number): void {
    this.lines[isClient ? 0 : 1].lose();
    if (isClient && this.state !== COMMANDS) {
      this.carry(this.mail, this.now)?.skip(size);
      this.mail?.parts?.gap(size);
      if (this.mail !== undefined)
        Object.assign(this.mail, { isLineStart: false, isDot: false, isReturn: false });
    }
    if (isClient && this.state === CHUNK) {
      this.chunkLines.lose();
      this.chunk(Math.min(size, this.left));
      this.endChunk();
    }
  }

  end(): void {
    // Replies may still arrive.
  }

  finish(): void {
    this.giveLogin(undefined);
    for (const mail of this.sent.splice(0)) this.tell(mail, undefined);
    this.drop();
  }
}

function newMail(from: string, at: Stamp): Mail {
  return {
    ...{ at, from, recipients: [], headers: new Map<string, string>(), files: [] },
    ...{ file: undefined, parts: undefined, isLineStart: true, isDot: false, isReturn: false },
    ...{ size: 0, headerBytes: 0, isInHeader: true, last: '' },
  };
}

/** `FROM:<alice@example.com> SIZE=10` */
function addressOf(argument: string): string {
  const text = argument.slice(argument.indexOf(':') + 1).trim();
  const path = /^<([^>]*)>/.exec(text)?.[1];
  return path ?? text.split(' ')[0]!;
}

function envelopeOf({ from, recipients, headers }: Mail): Record<string, string | undefined> {
  return {
    email_from: from === '' ? undefined : from,
    email_to: recipients.length === 0 ? undefined : recipients.join(', '),
    email_subject: headers.get('subject'),
  };
}

function listFile(mail: Mail, name: string | undefined): void {
  if (name === undefined || mail.files.length >= MAX_LISTED || mail.files.includes(name)) return;
  mail.files.push(name);
}
