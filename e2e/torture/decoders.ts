/**
 * Compares our decoders with the tools of this machine on random streams, valid and corrupted.
 *
 * Every byte of a valid stream must be equal. Of a corrupted one, nothing may be accepted that the tool rejects,
 * and content reported as checked must be true: bytes that were read without a check are counted and reported,
 * never called good.
 *
 *   node e2e/torture/decoders.ts --runs 400 --seed 1
 *
 * Exits with status 1 when one of these does not hold. Tools that are not installed are skipped.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { DaybookError, SourceError } from '../../engine/contract/errors.ts';
import { compressionOf, openContent } from '../../importers/shared/decompress/decompress.ts';

const { values } = parseArgs({
  options: { runs: { type: 'string', default: '200' }, seed: { type: 'string', default: '1' } },
});
const runs = Number(values.runs);
let state = Number(values.seed) >>> 0 || 1;
if (!Number.isInteger(runs) || runs < 1) throw new Error('--runs N, at least 1');

/** xorshift32: a number below `n`. */
function random(n: number): number {
  state ^= state << 13;
  state ^= state >>> 17;
  state ^= state << 5;
  state >>>= 0;
  return state % n;
}
const pick = <T>(list: readonly T[]): T => list[random(list.length)]!;

const VARIANTS: Readonly<Record<string, readonly (readonly string[])[]>> = {
  gzip: [['-1'], ['-6'], ['-9']],
  bzip2: [['-1'], ['-5'], ['-9']],
  xz: [
    ['-0'],
    ['-6', '--check=crc32'],
    ['-3', '--check=sha256'],
    ['-1', '--check=none'],
    ['-1', '--block-size=30000'],
    ['--lzma2=lc=1,lp=3,pb=2,dict=4096'],
    ['--x86', '--lzma2=preset=1'],
    ['--arm', '--lzma2=preset=1'],
    ['--arm64', '--lzma2=preset=1'],
    ['--powerpc', '--lzma2=preset=1'],
    ['--delta=dist=4', '--lzma2=preset=1'],
  ],
  zstd: [
    ['-q', '-1'],
    ['-q', '-9', '--no-check'],
    ['-q', '-3', '--check'],
  ],
};
const tools = Object.keys(VARIANTS).filter(
  (tool) => spawnSync(tool, ['--version'], { stdio: 'ignore' }).error === undefined,
);

function content(): Buffer {
  const parts: Buffer[] = [];
  for (let n = 1 + random(4); n > 0; n--) {
    const size = random(60_000);
    switch (random(4)) {
      case 0:
        parts.push(Buffer.alloc(size, random(256)));
        break;
      case 1:
        parts.push(Buffer.from(Uint8Array.from({ length: size }, () => random(256))));
        break;
      case 2:
        parts.push(Buffer.from(Uint8Array.from({ length: size }, (_, i) => (i % 5 ? 0xe8 : i))));
        break;
      default:
        parts.push(
          Buffer.from(
            Array.from(
              { length: size / 60 },
              () =>
                `10:00:${random(60)} host${random(9)} sshd[${random(9999)}]: failed ${random(99)}\n`,
            ).join(''),
          ),
        );
    }
  }
  return Buffer.concat(parts);
}

function damaged(data: Buffer): Buffer {
  const out = Buffer.from(data);
  switch (random(5)) {
    case 0:
      return out.subarray(0, 1 + random(out.length - 1));
    case 1:
      for (let n = 1 + random(8); n > 0; n--) out[random(out.length)] = random(256);
      return out;
    case 2: {
      const at = random(out.length);
      out.fill(0, at, Math.min(out.length, at + random(200)));
      return out;
    }
    case 3: {
      const at = random(out.length);
      return Buffer.concat([out.subarray(0, at), out.subarray(at + 1 + random(40))]);
    }
    default:
      out[random(out.length)]! ^= 1 << random(8);
      return out;
  }
}

async function ours(data: Buffer): Promise<{ bytes: Buffer; error: unknown }> {
  async function* blocks(): AsyncGenerator<Uint8Array> {
    const size = 1 + random(70_000);
    for (let at = 0; at < data.length; at += size) yield data.subarray(at, at + size);
  }
  const out: Buffer[] = [];
  try {
    const opened = await openContent(blocks());
    for await (const block of opened.blocks()) out.push(Buffer.from(block));
  } catch (error) {
    return { bytes: Buffer.concat(out), error };
  }
  return { bytes: Buffer.concat(out), error: undefined };
}

const folder = mkdtempSync(join(tmpdir(), 'daybook-decoders-'));
const counts = {
  valid: 0,
  corrupted: 0,
  withoutMagic: 0,
  refused: 0,
  cutOff: 0,
  readUnchecked: 0,
  uncheckedAndWrong: 0,
};
const failures: string[] = [];
try {
  for (let run = 0; run < runs; run++) {
    const tool = pick(tools);
    const options = pick(VARIANTS[tool]!);
    const seed = state;
    const what = `run ${run} (state ${seed}): ${tool} ${options.join(' ')}`;
    const plain = content();
    const path = join(folder, 'input');
    writeFileSync(path, plain);
    let data = execFileSync(tool, [...options, '-c', path], { maxBuffer: 1 << 28 });
    let whole = plain;
    // Now and then two streams are one content.
    if (random(4) === 0) {
      data = Buffer.concat([data, data]);
      whole = Buffer.concat([plain, plain]);
    }
    const valid = await ours(data);
    counts.valid += 1;
    if (valid.error !== undefined || !valid.bytes.equals(whole))
      failures.push(`${what}: a valid stream: ${String(valid.error ?? 'wrong bytes')}`);

    const bad = damaged(data);
    counts.corrupted += 1;
    if (compressionOf(bad) === 'none') {
      counts.withoutMagic += 1;
      continue;
    }
    const theirs = spawnSync(tool, ['-d', '-c', '-q'], { input: bad, maxBuffer: 1 << 28 });
    const { bytes, error } = await ours(bad);
    if (error === undefined) {
      // Trailing bytes that are not a stream are a warning of gzip (status 2), an error of zstd, and a note of
      // ours.
      const trailing =
        (tool === 'gzip' && theirs.status === 2) ||
        (tool === 'zstd' && /unsupported format/.test(String(theirs.stderr)));
      const accepted = theirs.status === 0 || trailing;
      const sameBytes = bytes.equals(theirs.stdout);
      const isPrefix = whole.subarray(0, bytes.length).equals(bytes);
      if (!accepted && !isPrefix) failures.push(`${what}: accepted what ${tool} rejects`);
      // No specification defines the content of corrupted data without a checksum.
      if (accepted && !sameBytes && !options.some(isWithoutSum))
        failures.push(`${what}: accepted, with other bytes`);
      continue;
    }
    counts.refused += 1;
    if (!(error instanceof DaybookError)) failures.push(`${what}: ${String(error)}`);
    if (!(error instanceof SourceError)) continue;
    const { offset, checked = 0 } = error.place;
    if (offset !== bytes.length) failures.push(`${what}: ${offset} said, ${bytes.length} given`);
    if (!whole.subarray(0, checked).equals(bytes.subarray(0, checked)))
      failures.push(`${what}: wrong bytes called checked`);
    if (error.state === 'partial') counts.cutOff += 1;
    if (checked < bytes.length) {
      counts.readUnchecked += 1;
      if (!whole.subarray(0, bytes.length).equals(bytes)) counts.uncheckedAndWrong += 1;
    }
    // Content of this size is held back until its sum agrees: only what is cut off comes without.
    if (error.state === 'damaged' && checked < bytes.length && !options.some(isWithoutSum))
      failures.push(`${what}: damaged, and given without a check`);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function isWithoutSum(option: string): boolean {
  return option === '--check=none' || option === '--no-check';
}

process.stdout.write(`${JSON.stringify({ tools, seed: Number(values.seed), ...counts })}\n`);
for (const failure of failures.slice(0, 20)) process.stderr.write(`${failure}\n`);
if (failures.length > 0) process.exitCode = 1;
