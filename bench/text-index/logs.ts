/** Logs that are unlike, seeded: templates with variables, free text, identifiers. */
import { Random } from '../../fixtures/evidence/random.ts';
import type { Question } from './designs.ts';

export interface Log {
  readonly name: string;
  /** Without line ends; ASCII. */
  readonly lines: readonly Buffer[];
  readonly questions: Readonly<Record<string, Question>>;
}

const word = (text: string): Question => ({ words: [text], prefix: false, leading: false });

/** Mixed syslog: six templates, addresses, users, ports; some numbers are never the same. */
function templates(count: number): Log {
  const random = new Random(1);
  const n = (below: number): number => random.below(below);
  const skewed = (below: number): number => Math.floor(random.next() * random.next() * below);
  const ip = (): string => `${10 + n(3)}.${skewed(256)}.${n(256)}.${n(256)}`;
  const key = (): string => n(2 ** 31).toString(36) + n(2 ** 24).toString(36);
  const kinds = [
    () =>
      `sshd[${n(32768)}]: Failed password for invalid user user${n(3000)} from ${ip()} port ${1024 + n(60000)} ssh2`,
    () =>
      `sshd[${n(32768)}]: Accepted publickey for user${skewed(3000)} from ${ip()} port ${1024 + n(60000)} ssh2: RSA SHA256:${key()}`,
    () =>
      `kernel: [UFW BLOCK] IN=eth0 OUT= MAC=00:16:3e:5a SRC=${ip()} DST=${ip()} LEN=${40 + n(1460)} TTL=${n(255)} ID=${n(65536)} PROTO=TCP SPT=${n(65536)} DPT=${random.oneOf([22, 80, 443, 3389])} WINDOW=1024 SYN URGP=0`,
    () => `CRON[${n(32768)}]: (root) CMD (/usr/lib/sysstat/debian-sa1 1 1)`,
    () => `systemd[1]: Started Session ${n(100000)} of user user${skewed(3000)}.`,
    () =>
      `nginx: ${ip()} - - "GET /index.php?id=${n(1e6)} HTTP/1.1" ${random.oneOf([200, 200, 404, 500])} ${n(50000)} "-" "Mozilla/5.0"`,
  ];
  const lines = Array.from({ length: count }, () => Buffer.from(random.oneOf(kinds)()));
  return {
    name: 'templates',
    lines,
    questions: {
      rare: word('51234'),
      frequent: word('failed'),
      and: { words: ['failed', 'user77'], prefix: false, leading: false },
      prefix: { words: ['user29'], prefix: true, leading: false },
      leading: { words: ['word'], prefix: false, leading: true },
      absent: word('nosuchtoken'),
    },
  };
}

/** Sentences of 6 to 19 words of 50,000, by Zipf's law; a number in every fifth. */
function freeText(count: number): Log {
  const random = new Random(2);
  const syllables = [...'bcdfglmnrst'].flatMap((a) => [...'aeiou'].map((b) => a + b));
  const words = Array.from({ length: 50_000 }, (_, i) => {
    let text = '';
    for (let rest = i + 1; rest > 0; rest = Math.floor(rest / syllables.length)) {
      text += syllables[rest % syllables.length]!;
    }
    return text;
  });
  const lines = Array.from({ length: count }, () => {
    const some = Array.from(
      { length: 6 + random.below(14) },
      () => words[Math.floor(words.length ** random.next()) - 1]!,
    );
    if (random.next() < 0.2) some.push(String(random.below(1000)));
    return Buffer.from(`${some.join(' ')}.`);
  });
  const [rare, frequent, other] = [words[41_234]!, words[0]!, words[30]!];
  return {
    name: 'free text',
    lines,
    questions: {
      rare: word(rare),
      frequent: word(frequent),
      and: { words: [frequent, other], prefix: false, leading: false },
      prefix: { words: [frequent], prefix: true, leading: false },
      leading: { words: [rare.slice(2)], prefix: false, leading: true },
      absent: word('nosuchtoken'),
    },
  };
}

/** Requests with a UUID, a span, an address and a SHA-1 each. */
function identifiers(count: number): Log {
  const random = new Random(3);
  const hex = (digits: number): string => {
    let text = '';
    while (text.length < digits) text += random.bits().toString(16).padStart(8, '0');
    return text.slice(0, digits);
  };
  const ip = (): string => Array.from({ length: 4 }, () => random.below(256)).join('.');
  const rare = hex(12);
  const lines = Array.from({ length: count }, (_, i) =>
    Buffer.from(
      `request ${hex(8)}-${hex(4)}-4${hex(3)}-a${hex(3)}-${i === 4321 ? rare : hex(12)} span=${hex(16)} from ${ip()} sha1:${hex(40)} ok`,
    ),
  );
  return {
    name: 'identifiers',
    lines,
    questions: {
      rare: word(rare),
      frequent: word('request'),
      and: { words: ['17', '99'], prefix: false, leading: false },
      prefix: { words: ['beef'], prefix: true, leading: false },
      leading: { words: ['cafe1'], prefix: false, leading: true },
      absent: word('nosuchtoken'),
    },
  };
}

/** The first is also asked its questions of lines that are given. */
export const LOGS: readonly ((count: number, given?: readonly string[]) => Log)[] = [
  (count, given) => {
    const log = templates(count);
    if (given === undefined) return log;
    return { ...log, name: 'given', lines: given.map((line) => Buffer.from(line, 'latin1')) };
  },
  freeText,
  identifiers,
];
