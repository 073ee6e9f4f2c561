/**
 * A mixed syslog of one week, as a collector writes it: RFC 3339 time, host, program, message. Seeded.
 *
 * Skew: 200 hosts and 3,000 accounts, the first ones far more frequent; eight programs of very unlike
 * rates and shapes, from a line that is always the same to lines full of addresses and identifiers.
 * `Marked` words let every program that is measured be asked for the same lines.
 */
import { ByteFile, type WrittenFile } from '../../fixtures/evidence/byte-file.ts';
import { Random } from '../../fixtures/evidence/random.ts';
import { dotted } from './dotted.ts';

/** The week that the messages fill, `to` exclusive; milliseconds since 1970. */
export const MESSAGE_WEEK = { from: Date.UTC(2026, 9, 1), to: Date.UTC(2026, 9, 8) } as const;

/**
 * Words that stand in no other word of the messages, so that looking for a part of a line and for a
 * token find the same: one line in 8, in 50,000, in 25; `apple` and `applied` share a beginning.
 */
export const Marked = { frequent: 'failed', rare: 'quasar', usual: 'applied' } as const;

const HOSTS = 200;
const ACCOUNTS = 3_000;
const PORTS = [22, 80, 443, 3389, 445];
const STATUS = [200, 404, 500, 301];

const program = (random: Random): string => String(random.below(32_768));
const address = (random: Random): string =>
  dotted(
    0x0a00_0000 +
      random.below(3) * 0x0100_0000 +
      Math.floor(random.next() * random.next() * 256) * 65_536 +
      random.below(65_536),
  );
const account = (random: Random): string =>
  `user${Math.floor(random.next() * random.next() * ACCOUNTS)}`;

type Template = (random: Random) => string;
const FAILED: Template = (r) =>
  `sshd[${program(r)}]: Failed password for invalid user ${account(r)} from ${address(r)} port ${r.between(1024, 65_000)} ssh2`;
const ACCEPTED: Template = (r) =>
  `sshd[${program(r)}]: Accepted publickey for ${account(r)} from ${address(r)} port ${r.between(1024, 65_000)} ssh2: RSA SHA256:${r.bits().toString(36)}${r.bits().toString(36)}`;
const BLOCKED: Template = (r) =>
  `kernel: [UFW BLOCK] IN=eth0 OUT= MAC=00:16:3e:5a SRC=${address(r)} DST=${address(r)} LEN=${r.between(40, 1500)} TOS=0x00 PREC=0x00 TTL=${r.below(255)} ID=${r.below(65_536)} PROTO=TCP SPT=${r.below(65_536)} DPT=${r.oneOf(PORTS)} WINDOW=1024 RES=0x00 SYN URGP=0`;
const CRON: Template = (r) => `CRON[${program(r)}]: (root) CMD (/usr/lib/sysstat/debian-sa1 1 1)`;
const SESSION: Template = (r) =>
  `systemd[1]: Started Session ${r.below(100_000)} of user ${account(r)}.`;
const WEB: Template = (r) =>
  `nginx: ${address(r)} - - "GET /index.php?id=${r.below(1_000_000)} HTTP/1.1" ${STATUS[Math.floor(r.next() * r.next() * 4)]} ${r.below(50_000)} "-" "Mozilla/5.0"`;
const UPDATE: Template = (r) =>
  `updater[${program(r)}]: ${Marked.usual} package apple-${r.below(40)}.${r.below(20)} in ${r.below(9000)} ms`;
const ALARM: Template = (r) =>
  `sensor[${program(r)}]: reading ${Marked.rare} of unit ${r.below(64)} is out of range`;

/** Templates by how many of a thousand lines have them; the rest are web requests. */
const SHARES: readonly (readonly [number, Template])[] = [
  [125, FAILED],
  [125, ACCEPTED],
  [250, BLOCKED],
  [120, CRON],
  [140, SESSION],
  [40, UPDATE],
];
const BY_THOUSANDTH: readonly Template[] = [
  ...SHARES.flatMap(([share, template]) => Array<Template>(share).fill(template)),
  ...Array<Template>(1000).fill(WEB),
].slice(0, 1000);
const RARE_EVERY = 50_000;

/** Writes `lines` messages over `MESSAGE_WEEK`, or the part of it from `fromShare` on. */
export function writeMessages(path: string, lines: number, seed = 2, fromShare = 0): WrittenFile {
  const random = new Random(seed);
  const file = new ByteFile(path);
  const from = MESSAGE_WEEK.from + fromShare * (MESSAGE_WEEK.to - MESSAGE_WEEK.from);
  const span = MESSAGE_WEEK.to - from;
  let second = -1;
  let stamp = '';
  for (let i = 0; i < lines; i++) {
    const ms = Math.floor(from + (i * span) / lines);
    const now = Math.floor(ms / 1000);
    if (now !== second) {
      second = now;
      stamp = new Date(now * 1000).toISOString().slice(0, 20);
    }
    const host = Math.floor(random.next() * random.next() * HOSTS);
    const template = i % RARE_EVERY === 777 ? ALARM : anyTemplate(random);
    const fraction = String(ms - now * 1000).padStart(3, '0');
    file.text(`${stamp}${fraction}Z host${host} ${template(random)}\n`);
  }
  return file.close();
}

function anyTemplate(random: Random): Template {
  return BY_THOUSANDTH[Math.floor(random.next() * 1000)]!;
}

/** Program and message of one line of such a log; about one in `RARE_EVERY` is an alarm. */
export function messageText(random: Random): string {
  const template = random.below(RARE_EVERY) === 0 ? ALARM : anyTemplate(random);
  return template(random);
}
