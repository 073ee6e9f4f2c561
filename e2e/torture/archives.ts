/**
 * Malicious archives: bombs, overlapping members, names that lead elsewhere, links, endless nesting, false sizes.
 * An import of one ends in time and within its memory, writes nothing outside the case, and does not call complete
 * what it did not read.
 */
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { crc32, deflateRawSync, gzipSync } from 'node:zlib';
import type { Random } from '../../fixtures/evidence/random.ts';
import type { Attack, Prepared } from './attack.ts';
import { addsUp, crash, daybook, verify, type SourceJson } from './command.ts';

const MOST_RSS = 1.2e9;
const LINE = '2026-10-12T08:00:00Z gate app: the same line\n';

interface Trick {
  readonly what: string;
  /** Whether all of its content can be read: then nothing needs to be reported. */
  readonly whole: boolean;
  make(random: Random): { readonly name: string; readonly bytes: Buffer };
}

const log = (lines: number): Buffer => Buffer.from(LINE.repeat(lines));

const TRICKS: readonly Trick[] = [
  {
    what: 'much from little, gz',
    whole: false,
    make: (random) => {
      const zeros = Buffer.alloc(64 << 20, random.oneOf(['\0', 'A', '\n']));
      return { name: 'bomb.gz', bytes: gzipSync(zeros, { level: 9 }) };
    },
  },
  {
    what: 'gz in gz in gz',
    whole: false,
    make: (random) => {
      let bytes: Buffer = gzipSync(log(50));
      for (let depth = random.between(5, 40); depth > 0; depth--) bytes = gzipSync(bytes);
      return { name: 'nested.gz', bytes };
    },
  },
  {
    what: 'a bomb of bombs',
    whole: false,
    make: (random) => {
      const one = gzipSync(Buffer.alloc(48 << 20), { level: 9 });
      const twice = gzipSync(
        Buffer.concat(Array.from({ length: random.between(2, 30) }, () => one)),
      );
      return { name: 'twice.gz.gz', bytes: twice };
    },
  },
  {
    what: 'zip whose members overlap',
    whole: false,
    make: (random) => {
      const entry = zipEntry('member.log', log(200_000));
      const names = Array.from({ length: random.between(2, 2000) }, (_, n) => `member-${n}.log`);
      return {
        name: 'overlap.zip',
        bytes: zipOf(
          [entry],
          names.map((name) => ({ name, entry: 0 })),
        ),
      };
    },
  },
  {
    what: 'zip with names that lead elsewhere',
    whole: true,
    make: (random) => {
      const names = [
        '../escaped.log',
        '/tmp/escaped.log',
        '..\\escaped.log',
        'C:\\escaped.log',
        'a/../../escaped.log',
        '\u001b[2Jescaped.log',
      ];
      const used = names.filter(() => random.below(3) > 0);
      const members = used.length === 0 ? [names[0]!] : used;
      const entries = members.map((name, n) => zipEntry(name, log(10 + n)));
      return {
        name: 'slip.zip',
        bytes: zipOf(
          entries,
          members.map((name, entry) => ({ name, entry })),
        ),
      };
    },
  },
  {
    what: 'zip whose sizes lie',
    whole: false,
    make: (random) => {
      const entry = zipEntry('member.log', log(5000));
      const bytes = zipOf(
        [entry],
        [{ name: 'member.log', entry: 0, size: random.oneOf([1, 0xfffffff0, 77]) }],
      );
      return { name: 'lies.zip', bytes };
    },
  },
  {
    what: 'tar with links, devices and names that lead elsewhere',
    whole: true,
    make: (random) => {
      const members = [
        tarMember('../../escaped.log', log(10)),
        tarMember('link.log', Buffer.alloc(0), '2', '/etc/passwd'),
        tarMember('hard.log', Buffer.alloc(0), '1', '../../escaped.log'),
        tarMember('device', Buffer.alloc(0), '3'),
        tarMember('pipe', Buffer.alloc(0), '6'),
        tarMember('link.log/below.log', log(12)),
        tarMember('/absolute/escaped.log', log(14)),
      ].filter((_, n) => n === 0 || random.below(4) > 0);
      return { name: 'slip.tar', bytes: Buffer.concat([...members, Buffer.alloc(1024)]) };
    },
  },
  {
    what: 'tar whose sizes lie',
    whole: false,
    make: (random) => {
      const member = tarMember('member.log', log(100));
      member.write(
        random.oneOf(['77777777777', '00000000007', '-0000000001', 'zzzzzzzzzzz']),
        124,
        'latin1',
      );
      tarSum(member);
      return { name: 'lies.tar', bytes: Buffer.concat([member, Buffer.alloc(1024)]) };
    },
  },
  {
    what: 'tar of very many empty members',
    whole: true,
    make: (random) => {
      const count = random.between(1000, 20_000);
      const members = Array.from({ length: count }, (_, n) =>
        tarMember(`empty-${n}`, Buffer.alloc(0)),
      );
      return {
        name: 'empty.tar.gz',
        bytes: gzipSync(Buffer.concat([...members, Buffer.alloc(1024)])),
      };
    },
  },
  {
    what: 'zip in zip in zip',
    whole: false,
    make: (random) => {
      let bytes = log(40);
      let name = 'member.log';
      for (let depth = random.between(5, 20); depth > 0; depth--) {
        bytes = zipOf([zipEntry(name, bytes)], [{ name, entry: 0 }]);
        name = 'inner.zip';
      }
      return { name: 'deep.zip', bytes };
    },
  },
];

export const archives: Attack = {
  name: 'archives',
  unit: 'archives',
  runs: { short: 3, usual: 30, long: 200 },
  async prepare(): Promise<Prepared> {
    return {
      async run(run) {
        const trick = run.random.oneOf(TRICKS);
        run.tally(trick.what);
        const evidence = path.join(run.folder, 'evidence');
        const work = path.join(run.folder, 'work/below/here');
        mkdirSync(evidence);
        mkdirSync(work, { recursive: true });
        const { name, bytes } = trick.make(run.random);
        writeFileSync(path.join(evidence, name), bytes);
        const at = path.join(run.folder, 'case.daybook');
        const limits = run.random.below(2) === 0 ? [] : ['--max-bytes', '50M'];
        const command = ['import', at, path.join(evidence, name), '--json', ...limits];
        const before = performance.now();
        const ended = await daybook(command, {}, work);
        run.most('longest import in s', Math.round((performance.now() - before) / 1000));
        const problem = crash(ended);
        if (problem !== undefined) return run.fail(`${trick.what}: ${problem}`);
        run.tally(`exit status ${ended.status}`);
        const lines = ended.out
          .split('\n')
          .filter((line) => line !== '')
          .map(
            (line) => JSON.parse(line) as SourceJson | { total: SourceJson; peakRssBytes: number },
          );
        for (const line of lines) {
          if ('source' in line) {
            if (!addsUp(line))
              run.fail(`${trick.what}: the ledger of ${line.source} does not add up`);
          } else {
            run.most('largest memory in MB', Math.round(line.peakRssBytes / 1e6));
            if (line.peakRssBytes > MOST_RSS) run.fail(`${trick.what}: ${line.peakRssBytes} bytes`);
          }
        }
        if (!trick.whole && ended.status === 0)
          run.fail(
            `${trick.what} is imported as if all of it had been read: ${ended.out.slice(-500)}`,
          );
        if (/[\u001b\u009b]/.test(ended.err))
          run.fail(`${trick.what}: raw escapes on the terminal`);
        const seen = readdirSync(run.folder, { recursive: true, encoding: 'utf8' }).filter(
          (file) => !file.startsWith('case.daybook') && file.includes('escaped'),
        );
        if (seen.length > 0) run.fail(`${trick.what} wrote ${seen.join(', ')}`);
        const { ok, problem: why } = await verify(at);
        if (!ok) run.fail(`${trick.what}: verify: ${why}`);
      },
    };
  },
};

interface ZipEntry {
  readonly header: Buffer;
  readonly packed: Buffer;
  readonly crc: number;
  readonly size: number;
}

function zipEntry(name: string, bytes: Buffer): ZipEntry {
  const packed = deflateRawSync(bytes);
  const crc = crc32(bytes);
  const text = Buffer.from(name);
  const header = Buffer.alloc(30);
  header.writeUInt32LE(0x04034b50, 0);
  header.writeUInt16LE(20, 4);
  header.writeUInt16LE(8, 8);
  header.writeUInt32LE(crc, 14);
  header.writeUInt32LE(packed.length, 18);
  header.writeUInt32LE(bytes.length, 22);
  header.writeUInt16LE(text.length, 26);
  return { header: Buffer.concat([header, text]), packed, crc, size: bytes.length };
}

/** A zip whose directory names its members as it likes. */
function zipOf(
  entries: readonly ZipEntry[],
  directory: readonly { name: string; entry: number; size?: number }[],
): Buffer {
  const offsets: number[] = [];
  const parts: Buffer[] = [];
  let at = 0;
  for (const { header, packed } of entries) {
    offsets.push(at);
    parts.push(header, packed);
    at += header.length + packed.length;
  }
  const start = at;
  for (const { name, entry, size } of directory) {
    const { packed, crc, size: memberSize } = entries[entry]!;
    const text = Buffer.from(name);
    const record = Buffer.alloc(46);
    record.writeUInt32LE(0x02014b50, 0);
    record.writeUInt16LE(20, 6);
    record.writeUInt16LE(8, 10);
    record.writeUInt32LE(crc, 16);
    record.writeUInt32LE(packed.length, 20);
    record.writeUInt32LE(size ?? memberSize, 24);
    record.writeUInt16LE(text.length, 28);
    record.writeUInt32LE(offsets[entry]!, 42);
    parts.push(record, text);
    at += record.length + text.length;
  }
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(directory.length, 8);
  end.writeUInt16LE(directory.length, 10);
  end.writeUInt32LE(at - start, 12);
  end.writeUInt32LE(start, 16);
  return Buffer.concat([...parts, end]);
}

function tarMember(name: string, bytes: Buffer, type = '0', link = ''): Buffer {
  const header = Buffer.alloc(512 + Math.ceil(bytes.length / 512) * 512);
  header.write(name, 0, 100);
  header.write('0000644\0' + '0000000\0'.repeat(2), 100, 'latin1');
  header.write(`${bytes.length.toString(8).padStart(11, '0')}\0`, 124, 'latin1');
  header.write('15000000000\0', 136, 'latin1');
  header.write(type, 156);
  header.write(link, 157, 100);
  header.write('ustar\x0000', 257, 'latin1');
  bytes.copy(header, 512);
  tarSum(header);
  return header;
}

function tarSum(header: Buffer): void {
  header.fill(0x20, 148, 156);
  const sum = header.subarray(0, 512).reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
}
