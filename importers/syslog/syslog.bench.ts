/**
 * Lines per second through the reader; rows are dropped when a batch is full. Run: `node
 * importers/syslog/syslog.bench.ts [lines]`.
 */
import { EventBatch } from '../../engine/columns/event-batch.ts';
import type { EventSink } from '../../engine/evidence/importer.ts';
import { DEFAULT_OPTIONS } from '../shared/testing/collect.ts';
import { syslogImporter } from './index.ts';

const LINES = 10_000;
const lines = Math.ceil(Number(process.argv[2] ?? 1_000_000) / LINES) * LINES;
const two = (n: number) => String(n).padStart(2, '0');

/** The text of each line, by its share of the lines. */
function text(i: number): string {
  return `Failed password for invalid user user${i % 3000} from 10.0.${i % 250}.${i % 199} port ${1024 + i} ssh2`;
}
const WRITINGS: Record<string, (i: number, clock: string) => string> = {
  'RFC 3164': (i, clock) => `<34>Oct 11 ${clock} host${i % 200} sshd[${i}]: ${text(i)}`,
  'ISO 8601': (i, clock) => `2026-10-01T${clock}.000Z host${i % 200} sshd[${i}]: ${text(i)}`,
  'RFC 5424': (i, clock) =>
    `<34>1 2026-10-01T${clock}.000Z host${i % 200} sshd ${i} ID47 [origin@1 ip="10.0.0.1"] ${text(i)}`,
  'access log': (i, clock) =>
    `10.0.${i % 250}.7 - - [10/Oct/2026:${clock} +0000] "GET /${i} HTTP/1.1" 200 ${i}`,
  continued: (i, clock) =>
    i % 20 === 0
      ? `2026-10-01 ${clock},123 ERROR [main] failed`
      : `\tat org.example.C${i}.run(C.java:${i})`,
  'no header': (i) => `text ${i} without any time or header, as some programs write it to a file`,
};

async function run(name: string, zone: string | undefined): Promise<void> {
  const writing = WRITINGS[name]!;
  const part = Array.from({ length: LINES }, (_, i) => {
    const clock = `${two(Math.floor(i / 3600) % 24)}:${two(Math.floor(i / 60) % 60)}:${two(i % 60)}`;
    return `${writing(i, clock)}\n`;
  });
  const block = new TextEncoder().encode(part.join(''));
  const batch = new EventBatch('log', (full) => full.clear());
  let read = 0;
  const sink: EventSink = {
    batch: () => batch,
    record(n) {
      read += n;
    },
    quarantine() {},
    skip(_, n) {
      read += n;
    },
    note() {},
    metadata() {},
    decide() {},
    drain: () => undefined,
  };
  const input = {
    name,
    size: undefined,
    modifiedMs: Date.UTC(2026, 10, 21),
    async *blocks() {
      for (let done = 0; done < lines; done += LINES) yield block;
    },
  };
  const start = performance.now();
  await syslogImporter.read(input, sink, { ...DEFAULT_OPTIONS, timeZone: zone });
  const seconds = (performance.now() - start) / 1000;
  const megabytes = (block.length * lines) / LINES / 1e6;
  console.log(
    `${name.padEnd(12)} ${(zone ?? 'UTC').padEnd(14)} ${(read / seconds / 1e6).toFixed(2)} M lines/s  ` +
      `${(megabytes / seconds).toFixed(0)} MB/s`,
  );
}

for (const name of Object.keys(WRITINGS)) {
  // The first run of each is for the compiler.
  await run(name, undefined);
  await run(name, undefined);
}
await run('RFC 3164', 'Europe/Berlin');
