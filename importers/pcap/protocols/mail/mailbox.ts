/**
 * Logins to mailboxes: POP3 (RFC 1939, RFC 5034) and IMAP (RFC 9051). Nothing after a login is read.
 *
 * Invariant: lines are bounded (`lines.ts`).
 */
import { base64Text, Lines, plainLogin } from '../streams/lines.ts';
import { type Login, loginMessage } from '../login.ts';
import {
  type Endpoints,
  type MessageSink,
  type Stamp,
  type StreamParser,
  type StreamProtocol,
  textOf,
} from '../messages.ts';

/** What a line of the client starts: a login, whose answers are its next lines, or encryption. */
interface Begun {
  readonly tag: string;
  readonly command: 'login' | 'tls';
  readonly mechanism: string | undefined;
  readonly at: Stamp;
  user: string | undefined;
  password: string | undefined;
  /** Lines that the client sends as answers to questions. */
  readonly answers: string[];
  /** Whether its next lines are such answers. */
  isAsked: boolean;
}

interface Mailbox {
  readonly kind: 'pop3' | 'imap';
  begin(line: string, at: Stamp, user: string | undefined): Begun | { user: string } | undefined;
  /** Whether a line of the server accepts what was started; undefined: it is not an answer to it. */
  accepts(line: string, begun: Begun): boolean | undefined;
}

function begun(tag: string, command: Begun['command'], at: Stamp, mechanism?: string): Begun {
  return {
    ...{ tag, command, at, mechanism, user: undefined, password: undefined },
    ...{ answers: [], isAsked: mechanism !== undefined },
  };
}

class MailboxStream implements StreamParser {
  readonly service: string;
  isDone = false;
  isTunnel = false;
  unread = 0;
  private readonly ends: Endpoints;
  private readonly sink: MessageSink;
  private readonly mailbox: Mailbox;
  private readonly lines = [new Lines(), new Lines()] as const;
  private begun: Begun | undefined;
  private user: string | undefined;

  constructor(mailbox: Mailbox, ends: Endpoints, sink: MessageSink) {
    this.mailbox = mailbox;
    this.service = mailbox.kind;
    this.ends = ends;
    this.sink = sink;
  }

  get heldBytes(): number {
    return this.lines[0].held.capacity + this.lines[1].held.capacity;
  }

  data(isClient: boolean, bytes: Uint8Array, start: number, end: number, at: Stamp): void {
    const from = this.lines[isClient ? 0 : 1].take(bytes, start, end, (line, first, last) => {
      const text = textOf(line, first, last);
      if (isClient) this.client(text, at);
      else this.server(text);
      return !this.isDone;
    });
    if (this.isTunnel) this.unread = end - from;
  }

  private client(line: string, at: Stamp): void {
    const { begun } = this;
    if (begun?.isAsked === true) {
      if (begun.answers.length < 4) begun.answers.push(line);
      return;
    }
    const found = this.mailbox.begin(line, at, this.user);
    if (found === undefined) return;
    if ('tag' in found) this.begun = found;
    else this.user = found.user;
  }

  private server(line: string): void {
    const { begun } = this;
    const isAccepted = begun === undefined ? undefined : this.mailbox.accepts(line, begun);
    if (begun === undefined || isAccepted === undefined) return;
    this.begun = undefined;
    if (begun.command === 'login') {
      this.tell(begun, isAccepted, line.slice(begun.tag === '' ? 0 : begun.tag.length + 1));
      // Mail follows, which is not read.
      if (isAccepted) this.isDone = true;
    } else if (isAccepted) {
      this.isTunnel = true;
      this.isDone = true;
    }
  }

  private tell(login: Begun, isAccepted: boolean | undefined, reply: string | undefined): void {
    this.sink.message(
      this.ends,
      loginMessage(this.mailbox.kind, credentials(login), isAccepted, reply),
    );
  }

  gap(isClient: boolean): void {
    this.lines[isClient ? 0 : 1].lose();
  }

  end(): void {
    // Replies may still arrive.
  }

  finish(): void {
    if (this.begun?.command === 'login') this.tell(this.begun, undefined, undefined);
    this.begun = undefined;
  }
}

/** The credentials in a login's answers to questions. */
function credentials({ mechanism, answers, user, password, at }: Begun): Login {
  if (mechanism === undefined) {
    // Literals: each may name the size of the next.
    const texts = answers.map((line) => line.replace(/ ?\{\d{1,9}\+?\}$/, ''));
    return { user: user ?? texts.shift(), password: password ?? texts.shift(), at };
  }
  const [first = '', second = ''] = answers;
  const plain = mechanism === 'PLAIN' ? plainLogin(first) : undefined;
  if (plain !== undefined) return { ...plain, mechanism, at };
  if (mechanism === 'LOGIN')
    return { user: base64Text(first), password: base64Text(second), mechanism, at };
  const name = mechanism === 'CRAM-MD5' ? base64Text(first)?.split(' ')[0] : user;
  return { user: name, password: undefined, mechanism, at };
}

const POP3_COMMANDS: Mailbox = {
  kind: 'pop3',
  begin(line, at, user) {
    const [, name = '', argument = ''] = /^([A-Za-z]{3,4})(?: +(.*))?$/.exec(line) ?? [];
    switch (name.toUpperCase()) {
      case 'USER':
        return { user: argument };
      case 'PASS':
        return { ...begun('', 'login', at), user, password: argument };
      case 'APOP':
        return {
          ...begun('', 'login', at, 'APOP'),
          ...{ user: argument.split(' ')[0], isAsked: false },
        };
      case 'AUTH': {
        const [mechanism = '', initial] = argument.split(' ');
        if (mechanism === '') return undefined;
        const found = begun('', 'login', at, mechanism.toUpperCase());
        if (initial !== undefined && initial !== '') found.answers.push(initial);
        return found;
      }
      case 'STLS':
        return begun('', 'tls', at);
      default:
        return undefined;
    }
  },
  accepts(line) {
    if (line.startsWith('+OK')) return true;
    return line.startsWith('-ERR') ? false : undefined;
  },
};

/** An atom, or a text in quotes. */
const IMAP_TEXT = /^ *(?:"((?:[^"\\]|\\.){0,512})"|([^ "{]{1,512}))/;

function imapText(text: string): { value: string; rest: string } | undefined {
  const found = IMAP_TEXT.exec(text);
  if (found === null) return undefined;
  const value = found[1]?.replace(/\\(.)/g, '$1') ?? found[2]!;
  return { value, rest: text.slice(found[0].length) };
}

const IMAP_COMMANDS: Mailbox = {
  kind: 'imap',
  begin(line, at) {
    const [, tag = '', name = '', rest = ''] =
      /^([^ +*]{1,64}) ([A-Za-z]{1,16})(?= |$)(.*)$/.exec(line) ?? [];
    switch (name.toUpperCase()) {
      case 'LOGIN': {
        const user = imapText(rest);
        const password = user && imapText(user.rest);
        const found = begun(tag, 'login', at);
        // Literals are separate lines (RFC 9051, 4.3).
        if (user === undefined || password === undefined)
          return { ...found, user: user?.value, isAsked: true };
        return { ...found, user: user.value, password: password.value };
      }
      case 'AUTHENTICATE': {
        const [mechanism = '', initial] = rest.trim().split(' ');
        const found = begun(tag, 'login', at, mechanism.toUpperCase());
        if (initial !== undefined) found.answers.push(initial);
        return found;
      }
      case 'STARTTLS':
        return begun(tag, 'tls', at);
      default:
        return undefined;
    }
  },
  accepts(line, { tag }) {
    if (!line.startsWith(`${tag} `)) return undefined;
    return /^OK\b/i.test(line.slice(tag.length + 1));
  },
};

/** Whether the available text is a prefix of another. */
function greets(
  bytes: Uint8Array,
  start: number,
  end: number,
  greeting: string,
): 'server' | 'more' | undefined {
  if (bytes[start] !== greeting.charCodeAt(0)) return undefined;
  const first = textOf(bytes, start, Math.min(end, start + greeting.length));
  if (first === greeting) return 'server';
  return greeting.startsWith(first) ? 'more' : undefined;
}

export const POP3: StreamProtocol = {
  recognise(bytes, start, end) {
    return greets(bytes, start, end, '+OK');
  },
  parser: (ends, sink) => new MailboxStream(POP3_COMMANDS, ends, sink),
};

export const IMAP: StreamProtocol = {
  recognise(bytes, start, end) {
    return greets(bytes, start, end, '* OK') ?? greets(bytes, start, end, '* PREAUTH');
  },
  parser: (ends, sink) => new MailboxStream(IMAP_COMMANDS, ends, sink),
};
