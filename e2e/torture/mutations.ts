/**
 * Randomly changed evidence: bits, runs, truncation, lengths, pieces of other files, and one in four recompressed.
 * One run imports a few such files. No crash, no stack trace, ledgers that add up, the exit status that matches the
 * ledger, bounded memory, and a case that `verify` finds intact.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { generateEvidence } from '../../fixtures/generate.ts';
import type { Random } from '../../fixtures/evidence/random.ts';
import type { Attack, Prepared, Run } from './attack.ts';
import { addsUp, crash, daybook, verify, type SourceJson } from './command.ts';
import { moreEvidence, sampleOfFiles, type Made } from './evidence.ts';

const FILES = 10;
const MOST_REAL = 400;
/** An import of so little must not need more. */
const MOST_RSS = 1.5e9;

export const mutations: Attack = {
  name: 'mutations',
  unit: `imports of ${FILES} mutated files`,
  runs: { short: 1, usual: 30, long: 300 },
  async prepare(folder): Promise<Prepared> {
    generateEvidence(folder, 0.1, 7);
    const originals = [
      ...sampleOfFiles(path.join(folder, 'evidence'), Infinity),
      ...moreEvidence(),
    ];
    const real = process.env['DAYBOOK_SHARED'];
    if (real !== undefined) originals.push(...sampleOfFiles(real, MOST_REAL));
    const packers = PACKERS.filter(({ tool }) => tool === undefined || isThere(tool));
    const missing = PACKERS.filter((one) => !packers.includes(one)).map(({ name }) => name);
    return {
      summary: () => [
        `originals: ${originals.length} files${real === undefined ? '; none of real evidence: DAYBOOK_SHARED is not set' : ''}`,
        ...(missing.length > 0 ? [`not packed as ${missing.join(', ')}: no such tool here`] : []),
      ],
      async run(run) {
        const evidence = path.join(run.folder, 'evidence');
        mkdirSync(evidence);
        for (let n = 0; n < FILES; n++) {
          const { bytes, name } = mutated(run, originals, packers);
          writeFileSync(path.join(evidence, `${n}-${name}`), bytes);
        }
        run.tally('files', FILES);
        await importAndCheck(run, evidence);
      },
    };
  },
};

function mutated(run: Run, originals: readonly Made[], packers: readonly Packer[]): Made {
  const { random } = run;
  const original = random.oneOf(originals);
  let bytes: Buffer = Buffer.from(original.bytes);
  for (let times = random.between(1, 5); times > 0; times--) {
    const change = random.oneOf(CHANGES);
    bytes = change(bytes, random, originals);
  }
  const safe = original.name.replace(/[^\w.-]/g, '_').slice(-60);
  // Under its own name, or under a meaningless one.
  const name = random.below(2) === 0 ? safe : 'x';
  if (random.below(4) !== 0) return { name, bytes };
  const packer = random.oneOf(packers);
  run.tally(`packed as ${packer.name}`);
  let packed = packer.pack(bytes, name);
  // Occasionally the compressed file is damaged, too.
  if (random.below(3) === 0) packed = random.oneOf(CHANGES)(packed, random, originals);
  return { name: `${name}.${packer.name}`, bytes: packed };
}

type Change = (bytes: Buffer, random: Random, originals: readonly Made[]) => Buffer;

const NUMBERS = [0, 1, 0x7f, 0x80, 0xff, 0x7fff, 0xffff, 0x7fffffff, 0x80000000, 0xffffffff];

const CHANGES: readonly Change[] = [
  // Bits, mostly near the beginning, where the headers are.
  (bytes, random) => {
    for (let n = random.between(1, 24); n > 0 && bytes.length > 0; n--) {
      const at = random.below(random.below(2) === 0 ? Math.min(bytes.length, 200) : bytes.length);
      bytes[at]! ^= 1 << random.below(8);
    }
    return bytes;
  },
  // Cut off.
  (bytes, random) => bytes.subarray(0, random.below(bytes.length + 1)),
  // A run of one byte.
  (bytes, random) => {
    const from = random.below(bytes.length + 1);
    const to = Math.min(bytes.length, from + random.size(40, 100));
    return bytes.fill(random.oneOf([0, 0xff, 0x0a, 0x20, random.below(256)]), from, to);
  },
  // Something that may be a length, in either byte order.
  (bytes, random) => {
    if (bytes.length < 8) return bytes;
    for (let n = random.between(1, 6); n > 0; n--) {
      const at = random.below(bytes.length - 4);
      const value = random.below(4) === 0 ? random.bits() : random.oneOf(NUMBERS);
      if (random.below(2) === 0) bytes.writeUInt32LE(value, at);
      else bytes.writeUInt32BE(value, at);
    }
    return bytes;
  },
  // A piece of another file inserted.
  (bytes, random, originals) => {
    const other = random.oneOf(originals).bytes;
    const from = random.below(other.length);
    const at = random.below(bytes.length + 1);
    const piece = other.subarray(from, from + random.size(500, 50));
    return Buffer.concat([bytes.subarray(0, at), piece, bytes.subarray(at)]);
  },
  // A piece repeated, or removed.
  (bytes, random) => {
    const from = random.below(bytes.length + 1);
    const to = from + random.size(200, 50);
    const twice = random.below(2) === 0;
    return Buffer.concat([bytes.subarray(0, to), bytes.subarray(twice ? from : to + 37)]);
  },
  // Lines joined, or split elsewhere.
  (bytes, random) => {
    const [from, to] = random.below(2) === 0 ? [0x0a, 0x20] : [0x20, 0x0a];
    const odds = random.between(1, 50);
    for (let at = bytes.indexOf(from); at >= 0; at = bytes.indexOf(from, at + 1))
      if (random.below(odds) === 0) bytes[at] = to!;
    return bytes;
  },
];

interface Packer {
  readonly name: string;
  /** A tool that it needs on this machine. */
  readonly tool?: string;
  pack(bytes: Buffer, name: string): Buffer;
}

const filter =
  (tool: string, ...args: string[]) =>
  (bytes: Buffer): Buffer =>
    spawnSync(tool, args, { input: bytes, maxBuffer: 1 << 30 }).stdout;

/** Packs a file of that name by a tool that takes names. */
function withFile(
  bytes: Buffer,
  name: string,
  pack: (folder: string) => readonly [string, string[]],
): Buffer {
  const folder = mkdtempSync(path.join(process.env['TMPDIR'] ?? '/tmp', 'daybook-pack-'));
  try {
    writeFileSync(path.join(folder, name), bytes);
    const [tool, args] = pack(folder);
    return spawnSync(tool, args, { maxBuffer: 1 << 30 }).stdout;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const PACKERS: readonly Packer[] = [
  { name: 'gz', pack: (bytes) => gzipSync(bytes) },
  { name: 'bz2', tool: 'bzip2', pack: filter('bzip2', '-c') },
  { name: 'xz', tool: 'xz', pack: filter('xz', '-c') },
  { name: 'zst', tool: 'zstd', pack: filter('zstd', '-c', '-q') },
  {
    ...{ name: 'zip', tool: 'zip' },
    pack: (bytes, name) =>
      withFile(bytes, name, (folder) => ['zip', ['-q', '-j', '-', path.join(folder, name)]]),
  },
  {
    ...{ name: 'tar', tool: 'tar' },
    pack: (bytes, name) =>
      withFile(bytes, name, (folder) => ['tar', ['-cf', '-', '-C', folder, name]]),
  },
];

function isThere(tool: string): boolean {
  return spawnSync(tool, ['--help'], { stdio: 'ignore' }).error === undefined;
}

interface ImportedSource extends SourceJson {
  broken?: unknown;
}

async function importAndCheck(run: Run, evidence: string): Promise<void> {
  const folder = path.join(run.folder, 'mutated.daybook');
  const ended = await daybook(['import', folder, evidence, '--recursive', '--json']);
  const problem = crash(ended);
  if (problem !== undefined) return run.fail(problem);
  run.tally(`exit status ${ended.status}`);
  const lines = ended.out
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as ImportedSource | Total);
  const last = lines.at(-1);
  if (last === undefined || !('total' in last)) return run.fail(`no total: ${ended.err}`);
  const sources = lines.filter((line) => 'source' in line);
  for (const source of sources) {
    run.tally(`sources ${source.status}`);
    if (!addsUp(source)) run.fail(`the ledger of ${source.source} does not add up`);
  }
  const { total } = last;
  if (!addsUp(total)) run.fail(`the ledger does not add up: ${JSON.stringify(total)}`);
  for (const part of ['read', 'stored', 'duplicate', 'quarantined', 'skipped'] as const) {
    const sum = sources.reduce((n, source) => n + source[part], 0);
    if (sum !== total[part]) run.fail(`${part}: ${total[part]} in all, ${sum} in the sources`);
  }
  run.tally('records', total.read);
  const want = statusFor(sources, total.quarantined);
  if (ended.status !== want)
    run.fail(`exit status ${ended.status} instead of ${want}: ${JSON.stringify(sources)}`);
  run.most('largest memory of an import in MB', Math.round(last.peakRssBytes / 1e6));
  if (last.peakRssBytes > MOST_RSS) run.fail(`the import took ${last.peakRssBytes} bytes`);
  const verified = await verify(folder);
  if (!verified.ok) run.fail(`verify: ${verified.problem}`);
  const count = await daybook(['count', folder, 'kind:*', '--json']);
  const events = Object.values(total.byKind).reduce((sum, n) => sum + n, 0);
  if (count.status !== 0) return run.fail(`count: ${count.err}`);
  const counted = (JSON.parse(count.out) as { count: number }).count;
  if (counted !== events) run.fail(`${counted} events in the case, ${events} in the ledger`);
}

interface Total {
  total: Omit<SourceJson, 'source' | 'sha256' | 'status'>;
  peakRssBytes: number;
}

/** As the help of `import` says. */
function statusFor(sources: readonly ImportedSource[], quarantined: number): number {
  const readable = sources.filter(({ status }) => status !== 'failed' && status !== 'ignored');
  if (readable.length === 0 || sources.some(({ status }) => status === 'failed')) return 1;
  const broken = sources.some(({ status }) => status === 'partial' || status === 'damaged');
  return broken || quarantined > 0 ? 3 : 0;
}
