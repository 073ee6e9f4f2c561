/**
 * A mixed bundle as responders receive it: many small sources of many hosts over many days, weekly logs in two
 * dialects, daily flow tables in two dialects, and captures of a few minutes. Seeded: the same sources, days and
 * seed give the same bytes.
 *
 *     node bench/generate/bundle.ts --out DIR [--scale 1] [--seed 1]
 *
 * Scale 1 is 5,000 sources over 800 days with 2 million records.
 */
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ByteFile } from '../../fixtures/evidence/byte-file.ts';
import { Random } from '../../fixtures/evidence/random.ts';
import { dotted } from './dotted.ts';
import { messageText } from './messages.ts';

interface BundleOptions {
  readonly sources: number;
  readonly days: number;
  readonly seed?: number;
}

interface WrittenBundle {
  readonly sources: number;
  readonly records: { log: number; flow: number; packet: number };
  readonly bytes: number;
}

const FROM = Date.UTC(2024, 7, 1);
const DAY_MS = 86_400_000;
const LOG_HOSTS = 120;
/** Percentages of logs and of flow tables among the sources; the rest are captures. */
const LOGS = 60;
const FLOWS = 25;
const RECORDS = { log: 200, flow: 160, packet: 260 };
const PORTS = [443, 80, 22, 445, 3389, 53];
const IPV4 = 0x0800;

export function bundleOptions(scale: number): BundleOptions {
  return {
    sources: Math.max(4, Math.round(5000 * scale)),
    days: Math.max(4, Math.round(800 * Math.min(1, scale * 2.5))),
  };
}

/** Writes the bundle into `out`, which is emptied. */
export function writeBundle(
  out: string,
  { sources, days, seed = 1 }: BundleOptions,
): WrittenBundle {
  rmSync(out, { recursive: true, force: true });
  for (const folder of ['logs', 'flows', 'captures'])
    mkdirSync(join(out, folder), { recursive: true });
  const random = new Random(seed);
  const records = { log: 0, flow: 0, packet: 0 };
  let bytes = 0;
  for (let i = 0; i < sources; i++) {
    const what = random.below(100);
    const number = String(i).padStart(5, '0');
    const start = FROM + Math.floor(random.next() * days * DAY_MS);
    const kind = what < LOGS ? 'log' : what < LOGS + FLOWS ? 'flow' : 'packet';
    // A long tail: a few sources have ten times as many as the others.
    const count = random.size(RECORDS[kind], 10);
    const host = Math.floor(random.next() * random.next() * LOG_HOSTS);
    records[kind] += count;
    if (kind === 'log')
      bytes += writeLog(join(out, 'logs', `host${host}-${number}.log`), start, count, host, random);
    else if (kind === 'flow') bytes += writeFlows(join(out, 'flows', number), start, count, random);
    else bytes += writeCapture(join(out, 'captures', `${number}.pcap`), start, count, random);
  }
  return { sources, records, bytes };
}

/** A week of one host. */
function writeLog(path: string, from: number, lines: number, host: number, random: Random): number {
  const file = new ByteFile(path);
  const structured = host % 3 === 0;
  for (let i = 0; i < lines; i++) {
    const time = new Date(from + Math.floor((i * 7 * DAY_MS) / lines)).toISOString();
    const text = messageText(random);
    if (structured) {
      const [, program = '-', pid = '-', rest = ''] =
        /^([^[:]+)(?:\[(\d+)\])?: (.*)$/.exec(text) ?? [];
      file.text(
        `<86>1 ${time} host${host} ${program} ${pid} - [meta@32473 site="s${host % 7}"] ${rest}\n`,
      );
    } else file.text(`${time} host${host} ${text}\n`);
  }
  return file.close().bytes;
}

function inside(random: Random): number {
  return 0x0a00_0000 + Math.floor(random.next() * random.next() * 4096);
}

function outside(random: Random): number {
  return 0xcb00_7100 + Math.floor(random.next() * random.next() * 8192);
}

/** A day of a sensor: Zeek's connections or a plain table. */
function writeFlows(path: string, from: number, rows: number, random: Random): number {
  const zeek = random.below(2) === 0;
  const file = new ByteFile(zeek ? `${path}-conn.log` : `${path}-flows.csv`);
  if (zeek)
    file.text(
      '#separator \\x09\n#set_separator\t,\n#empty_field\t(empty)\n#unset_field\t-\n#path\tconn\n' +
        '#fields\tts\tuid\tid.orig_h\tid.orig_p\tid.resp_h\tid.resp_p\tproto\tservice\tduration\torig_bytes\tresp_bytes\tconn_state\torig_pkts\tresp_pkts\n' +
        '#types\ttime\tstring\taddr\tport\taddr\tport\tenum\tstring\tinterval\tcount\tcount\tstring\tcount\tcount\n',
    );
  else file.text('ts_start,duration,proto,src_ip,src_port,dst_ip,dst_port,packets,bytes,flags\n');
  for (let i = 0; i < rows; i++) {
    const ms = from + Math.floor((i * DAY_MS) / rows);
    const [src, dst] = [dotted(inside(random)), dotted(outside(random))];
    const [sport, dport] = [random.between(1024, 65_000), random.oneOf(PORTS)];
    const packets = 1 + random.below(60);
    const bytes = packets * random.between(40, 1400);
    if (zeek) {
      const uid = `C${random.bits().toString(36)}${random.bits().toString(36)}`;
      const service = dport === 443 ? 'ssl' : dport === 53 ? 'dns' : '-';
      file.text(
        `${(ms / 1000).toFixed(6)}\t${uid}\t${src}\t${sport}\t${dst}\t${dport}\ttcp\t${service}\t0.${random.between(100000, 999999)}\t${bytes}\t${bytes * 3}\tSF\t${packets}\t${packets + 2}\n`,
      );
    } else
      file.text(
        `${new Date(ms).toISOString()},0.${random.between(100, 999)},TCP,${src},${sport},${dst},${dport},${packets},${bytes},.AP.SF\n`,
      );
  }
  return file.close().bytes;
}

const FRAME = 54;

/** Ten minutes of conversations of up to forty packets; Ethernet, IPv4, TCP, checksums left 0. */
function writeCapture(path: string, from: number, packets: number, random: Random): number {
  const file = new ByteFile(path);
  file.reserve(24);
  for (const word of [0xa1b2_c3d4, 0x0004_0002, 0, 0, 65_535, 1])
    file.at = file.buffer.writeUInt32LE(word, file.at);
  let left = 0;
  let ends = { src: 0, dst: 0, sport: 0, dport: 0 };
  for (let i = 0; i < packets; i++) {
    if (left === 0) {
      left = 2 + random.below(40);
      ends = {
        ...{ src: inside(random), dst: outside(random) },
        ...{ sport: random.between(1024, 65_000), dport: random.oneOf(PORTS) },
      };
    }
    const back = i % 2 === 1;
    writePacket(file, from + Math.floor((i * 600_000) / packets), ends, back, random.below(1000));
    left -= 1;
  }
  return file.close().bytes;
}

function writePacket(
  file: ByteFile,
  ms: number,
  { src, dst, sport, dport }: { src: number; dst: number; sport: number; dport: number },
  back: boolean,
  payload: number,
): void {
  const size = FRAME + payload;
  file.reserve(16 + size);
  const { buffer, at } = file;
  buffer.fill(0, at, at + 16 + size);
  buffer.writeUInt32LE(Math.floor(ms / 1000), at);
  buffer.writeUInt32LE((ms % 1000) * 1000, at + 4);
  buffer.writeUInt32LE(size, at + 8);
  buffer.writeUInt32LE(size, at + 12);
  const ip = at + 16 + 14;
  buffer.writeUInt16BE(IPV4, ip - 2);
  buffer.writeUInt16BE(0x4500, ip);
  buffer.writeUInt16BE(size - 14, ip + 2);
  buffer.writeUInt16BE(0x4006, ip + 8);
  buffer.writeUInt32BE(back ? dst : src, ip + 12);
  buffer.writeUInt32BE(back ? src : dst, ip + 16);
  buffer.writeUInt16BE(back ? dport : sport, ip + 20);
  buffer.writeUInt16BE(back ? sport : dport, ip + 22);
  buffer.writeUInt16BE(0x5018, ip + 32);
  file.at = at + 16 + size;
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      out: { type: 'string' },
      scale: { type: 'string', default: '1' },
      seed: { type: 'string', default: '1' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) {
    console.log('Usage: node bench/generate/bundle.ts --out DIR [--scale N] [--seed N]');
    process.exit(0);
  }
  if (values.out === undefined) throw new Error('name a folder: --out DIR');
  const options = { ...bundleOptions(Number(values.scale)), seed: Number(values.seed) };
  console.log(JSON.stringify(writeBundle(values.out, options)));
}
