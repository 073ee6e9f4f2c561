/**
 * Evidence in addition to that of fixtures/: every other format that an importer reads, in a few lines each, and
 * attributes of every kind.
 */
import { closeSync, openSync, readdirSync, readSync } from 'node:fs';
import path from 'node:path';

/** Of a file; longer ones are truncated. */
const MOST_BYTES = 96 * 1024;
const T0 = Date.UTC(2026, 9, 12, 8) / 1000;
const iso = (n: number): string => new Date((T0 + n * 7) * 1000).toISOString();

export interface Made {
  readonly name: string;
  readonly bytes: Buffer;
}

const lines = (count: number, line: (n: number) => string): Buffer =>
  Buffer.from(Array.from({ length: count }, (_, n) => `${line(n)}\n`).join(''));

const address = (n: number): string => `10.${n % 3}.${n % 7}.${n % 251}`;

/** Few records of many forms. */
export function moreEvidence(count = 200): Made[] {
  return [
    { name: 'events.json', bytes: jsonLines(count) },
    {
      name: 'eve.json',
      bytes: lines(count, (n) =>
        JSON.stringify({
          timestamp: iso(n).replace('Z', '000+0000'),
          flow_id: 1e6 + n,
          event_type: n % 3 === 0 ? 'alert' : 'flow',
          src_ip: address(n),
          src_port: 1024 + n,
          dest_ip: '192.0.2.9',
          dest_port: 443,
          proto: 'TCP',
          alert: { signature: `rule ${n % 5}`, severity: n % 4 },
        }),
      ),
    },
    {
      name: 'access.log',
      bytes: lines(
        count,
        (n) =>
          `${address(n)} - - [12/Oct/2026:08:${String(n % 60).padStart(2, '0')}:00 +0000] "GET /p${n % 9}?q=%41 HTTP/1.1" ${n % 5 === 0 ? 404 : 200} ${n * 13} "-" "agent/${n % 4}"`,
      ),
    },
    {
      name: 'export.journal',
      bytes: lines(
        count,
        (n) =>
          `__CURSOR=s=1;i=${n}\n__REALTIME_TIMESTAMP=${(T0 + n) * 1e6}\n_BOOT_ID=0\nMESSAGE=unit ${n} started\n_HOSTNAME=gate\nPRIORITY=${n % 8}\n`,
      ),
    },
    {
      name: 'table.csv',
      bytes: Buffer.concat([
        Buffer.from('time,source,destination,port,bytes,note\n'),
        lines(
          count,
          (n) => `${iso(n)},${address(n)},192.0.2.${n % 250},${n % 1000},${n * 11},"a, ""b"" ${n}"`,
        ),
      ]),
    },
    {
      name: 'dns.log',
      bytes: Buffer.concat([
        Buffer.from(
          '#separator \\x09\n#set_separator\t,\n#empty_field\t(empty)\n#unset_field\t-\n#path\tdns\n#fields\tts\tuid\tid.orig_h\tid.orig_p\tid.resp_h\tid.resp_p\tproto\tquery\tanswers\n#types\ttime\tstring\taddr\tport\taddr\tport\tenum\tstring\tvector[string]\n',
        ),
        lines(
          count,
          (n) =>
            `${T0 + n}.25\tC${n}\t${address(n)}\t${5000 + n}\t192.0.2.53\t53\tudp\thost${n % 20}.example.org\t192.0.2.${n % 9},198.51.100.${n % 5}`,
        ),
      ]),
    },
    {
      name: 'kernel.log',
      bytes: lines(
        count,
        (n) =>
          `[${String(n * 3).padStart(5)}.${100000 + n}] eth0: link ${n % 2 === 0 ? 'up' : 'down'} on port ${n}`,
      ),
    },
    {
      name: 'relay.log',
      bytes: Buffer.concat(
        Array.from({ length: count }, (_, n) => {
          const text = Buffer.from(
            `<${n % 190}>1 ${iso(n)} relay app${n % 4} ${n} ID${n} [x@1 k="v${n}"] größe ${n} ✓`,
          );
          return Buffer.concat([Buffer.from(`${text.length} `), text]);
        }),
      ),
    },
    {
      name: 'notes.txt',
      bytes: lines(
        count,
        (n) => `${n % 4 === 0 ? '  continued' : `${iso(n)} note ${n}`} of the shift`,
      ),
    },
  ];
}

/** Attributes of every kind: numbers, texts that are numbers, lists, other case, other scripts, nothing. */
export function jsonLines(count: number): Buffer {
  return lines(count, (n) =>
    JSON.stringify({
      // One in fifty has no time.
      ...(n % 50 === 0 ? {} : { timestamp: new Date((T0 + n * 11) * 1000).toISOString() }),
      host: `web${n % 5}`,
      message: `request ${n} of user${n % 17} took ${n % 400} ms, ${n % 7 === 0 ? 'FAILED: größe ß ſ K' : 'done'}`,
      src_ip: n % 9 === 0 ? `2001:db8::${(n % 64).toString(16)}` : address(n),
      status: n % 6 === 0 ? 'unknown' : 200 + (n % 5) * 100,
      user: n % 3 === 0 ? `User${n % 17}` : `user${n % 17}`,
      ...(n % 4 === 0 ? { User: 'ADMIN' } : {}),
      ...(n % 5 === 0 ? { answers: [`192.0.2.${n % 30}`, 'x', n % 12] } : {}),
      ratio: (n % 100) / 8 - 3,
      'Flow Bytes/s': n * 1e3,
      ...(n % 11 === 0 ? { empty: '', quoted: 'a "b" \\ c', 名前: `値${n % 3}` } : {}),
    }),
  );
}

/** Files below a folder, truncated to a size; at most `most`, spread over all of them. */
export function sampleOfFiles(folder: string, most: number): Made[] {
  const names = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name))
    .sort();
  const step = Math.max(1, names.length / most);
  const found: Made[] = [];
  for (let at = 0; at < names.length; at += step) {
    const file = names[Math.floor(at)]!;
    const bytes = head(file);
    if (bytes.length > 0) found.push({ name: path.basename(file), bytes });
  }
  return found;
}

function head(file: string): Buffer {
  const handle = openSync(file, 'r');
  try {
    const bytes = Buffer.alloc(MOST_BYTES);
    return Buffer.from(bytes.subarray(0, readSync(handle, bytes, 0, MOST_BYTES, 0)));
  } finally {
    closeSync(handle);
  }
}
