/**
 * `node bench/fields.ts [LINES]`: cost of extracting fields, in CPU time per line, compared with reading the lines:
 * of a mixed log of servers (bench/generate/messages.ts), of firewalls' key=value, CEF and columns, and of lines
 * that match no extractor, including pairs. An import does more than reading, so extraction is a smaller share of
 * it.
 */
import { readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { EventBatch } from '../engine/columns/event-batch.ts';
import type { Kind } from '../engine/contract/event.ts';
import { shippedCutter } from '../engine/fields/cutting/extractors.ts';
import { Random } from '../fixtures/evidence/random.ts';
import { DEFAULT_OPTIONS, inputOf } from '../importers/shared/testing/collect.ts';
import { syslogImporter } from '../importers/syslog/index.ts';
import { writeMessages } from './generate/messages.ts';

const USAGE = `Usage: node bench/fields.ts [LINES]

Measures what extracting fields costs for each line, beside reading it. LINES: lines of the mixed log (500000).`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { help: { type: 'boolean', short: 'h' } },
});
if (values.help === true) {
  console.log(USAGE);
  process.exit(0);
}
const LINES = Number(positionals[0] ?? 500_000);
const random = new Random(1);
const ip = (): string => `192.0.2.${random.below(256)}`;
const port = (): number => random.between(1024, 65_000);

const KINDS: Readonly<Record<string, () => string>> = {
  'FortiGate key=value': () =>
    `<189>date=2026-03-04 time=05:06:07 devname="fw1" devid="FG" eventtime=1772600767 tz="+0000" logid="0000000013" type="traffic" subtype="forward" level="notice" vd="root" srcip=${ip()} srcport=${port()} srcintf="lan" srcintfrole="lan" dstip=${ip()} dstport=443 dstintf="wan1" dstintfrole="wan" sessionid=${port()} proto=6 action="close" policyid=1 policytype="policy" service="HTTPS" trandisp="snat" transip=203.0.113.1 transport=4711 duration=12 sentbyte=${port()} rcvdbyte=${port()} sentpkt=5 rcvdpkt=4 appcat="unscanned"`,
  CEF: () =>
    `Mar  4 05:06:07 fw1 CEF:0|Example|Wall|1.0|100|connection denied|5|src=${ip()} spt=${port()} dst=${ip()} dpt=443 proto=TCP act=blocked dvchost=fw1 suser=alice cs1Label=Rule Name cs1=web out msg=no match for this`,
  'PAN-OS columns': () =>
    `Mar  4 05:06:07 fw1 1,2026/03/04 05:06:07,0123,TRAFFIC,end,1,2026/03/04 05:06:07,${ip()},${ip()},203.0.113.1,198.51.100.1,web out,example\\alice,,ssl,vsys1,trust,untrust,ethernet1/2,ethernet1/1,fwd,2026/03/04 05:06:07,4711,1,${port()},443,2,443,0x400053,tcp,allow,900,300,600,9,2026/03/04 05:05:07,60,any,0,1,0x0,A,B,0,5,4,tcp-fin,0`,
  'failed logins of sshd': () =>
    `Mar  4 05:06:07 host1 sshd[${port()}]: Failed password for invalid user alice from ${ip()} port ${port()} ssh2`,
  netfilter: () =>
    `Mar  4 05:06:07 host1 kernel: [UFW BLOCK] IN=eth0 OUT= MAC=00:16:3e:5a SRC=${ip()} DST=${ip()} LEN=60 TOS=0x00 PREC=0x00 TTL=64 ID=${port()} PROTO=TCP SPT=${port()} DPT=443 WINDOW=1024 RES=0x00 SYN URGP=0`,
  cron: () => `Mar  4 05:06:07 host1 CRON[${port()}]: (root) CMD (/usr/lib/sysstat/debian-sa1 1 1)`,
  'requests that match no template': () =>
    `Mar  4 05:06:07 host1 nginx: ${ip()} - - "GET /index.php?id=${port()} HTTP/1.1" 200 ${port()} "-" "Mozilla/5.0"`,
  'no extractor': () =>
    `Mar  4 05:06:07 host1 worker[${port()}]: job ${port()} of tenant ${port()} took ${port()} ms on queue default`,
  'no extractor, pairs': () =>
    `Mar  4 05:06:07 host1 worker[${port()}]: job=${port()} tenant=${port()} ms=${port()} queue=default state=done attempt=1 node=n${port()} retry=no size=${port()} kind=mail`,
  'no extractor, logfmt': () =>
    `Mar  4 05:06:07 host1 worker[${port()}]: level=info ts=${port()} caller=main.go:12 msg="job done" job=${port()} tenant=${port()} ms=${port()} queue=default`,
};

/** CPU time for reading, and for cutting, in nanoseconds a line. */
async function cost(bytes: Buffer): Promise<{ read: number; cut: number; share: number }> {
  const cutter = shippedCutter();
  let rows = 0;
  let fitting = 0;
  let cutting = 0;
  const take = (batch: EventBatch): void => {
    rows += batch.length;
    const before = process.cpuUsage();
    fitting += cutter.cut(batch);
    const { user, system } = process.cpuUsage(before);
    cutting += user + system;
    batch.clear();
  };
  const batches = new Map<Kind, EventBatch>();
  const nothing = (): undefined => undefined;
  const sink = {
    batch: (kind: Kind) => {
      const batch = batches.get(kind) ?? new EventBatch(kind, take, 16_384);
      batches.set(kind, batch);
      return batch;
    },
    ...{ record: nothing, quarantine: nothing, skip: nothing, note: nothing },
    ...{ metadata: nothing, decide: nothing, drain: nothing },
  };
  const before = process.cpuUsage();
  await syslogImporter.read(inputOf(bytes), sink, { ...DEFAULT_OPTIONS, format: 'text' });
  for (const batch of batches.values()) take(batch);
  const { user, system } = process.cpuUsage(before);
  const all = user + system;
  return {
    read: ((all - cutting) * 1000) / rows,
    cut: (cutting * 1000) / rows,
    share: fitting / rows,
  };
}

async function print(name: string, bytes: Buffer): Promise<void> {
  await cost(bytes);
  const { read, cut, share } = await cost(bytes);
  console.log(
    `${name.padEnd(22)} ${(share * 100).toFixed(0).padStart(4)} % cut  read ${read.toFixed(0).padStart(5)} ns/line  cut ${cut.toFixed(0).padStart(5)} ns/line`,
  );
}

const file = path.join(os.tmpdir(), `daybook-bench-fields-${process.pid}.log`);
writeMessages(file, LINES);
await print('mixed log of servers', readFileSync(file));
rmSync(file);
for (const [name, line] of Object.entries(KINDS)) {
  const lines = Array.from({ length: Math.round(LINES / 5) }, line);
  await print(name, Buffer.from(`${lines.join('\n')}\n`));
}
