/** Which importer reads a content: judged by its first bytes, or as a person said. */
import { createHash } from 'node:crypto';
import type { Importer, SniffResult, SourceInput } from '../contract/importer.ts';

/** Bytes an importer sees to judge a content. */
const SNIFF_BYTES = 64 * 1024;
/** Bytes whose hash finds earlier copies of a growing log. */
const HEAD_BYTES = 1024;

export interface Head {
  readonly bytes: Uint8Array;
  /** Whether that is the whole content. */
  readonly complete: boolean;
}

export interface Recognised {
  readonly importer: Importer;
  readonly result: SniffResult;
}

/** The first bytes of a content. What cannot be read after the first block does not matter yet. */
export async function readHead(input: SourceInput): Promise<Head> {
  const head = new Uint8Array(SNIFF_BYTES);
  let size = 0;
  try {
    for await (const block of input.beginning?.() ?? input.blocks()) {
      const part = block.subarray(0, SNIFF_BYTES - size);
      head.set(part, size);
      size += part.length;
      if (size === SNIFF_BYTES) return { bytes: head, complete: false };
    }
  } catch (error) {
    if (size === 0) throw error;
  }
  return { bytes: head.subarray(0, size), complete: true };
}

/** Hash by which equal beginnings are found, and of how many bytes. */
export function headHash(head: Head): { headSha256: string; headSize: number } {
  return {
    headSize: Math.min(head.bytes.length, HEAD_BYTES),
    headSha256: createHash('sha256').update(head.bytes.subarray(0, HEAD_BYTES)).digest('hex'),
  };
}

/** The importer that is surest of a content; with `forced`, the one that was asked for. */
export function recognise(
  importers: readonly Importer[],
  head: Head,
  name: string,
  forced: string | undefined,
): Recognised | undefined {
  if (head.bytes.length === 0) return undefined;
  let best: Recognised | undefined;
  for (const importer of importers) {
    const result = importer.sniff(head.bytes, { name, complete: head.complete });
    if (forced !== undefined) {
      if (importer.id === forced)
        return { importer, result: result ?? { score: 1, format: importer.id } };
      if (importer.formats.includes(forced))
        return { importer, result: { score: 1, format: forced } };
      continue;
    }
    if (result !== undefined && result.score > 0 && result.score > (best?.result.score ?? 0)) {
      best = { importer, result };
    }
  }
  return best;
}

/**
 * Formats of evidence that no importer reads, by their first bytes, with the tool that turns them into
 * one that is read.
 */
const FOREIGN: readonly (readonly [signature: string, reason: string])[] = [
  ...['\x0c\xa5', '\xa5\x0c'].map(
    (magic) =>
      [
        magic,
        'flows in the binary form of nfdump, to be converted first: nfdump -r FILE -o csv > FILE.csv',
      ] as const,
  ),
  [
    'LPKSHHRH',
    'a binary journal, to be converted first: journalctl --file FILE -o export > FILE.export',
  ],
  ['ElfFile\0', 'a Windows event log, to be converted first: evtx_dump -o jsonl FILE > FILE.jsonl'],
];

/** Why nothing reads a content that `recognise` found no importer for, and what can be done. */
export function unknownReason(head: Head): string {
  if (head.bytes.length === 0) return 'empty';
  const start = Buffer.from(head.bytes.subarray(0, 8)).toString('latin1');
  const foreign = FOREIGN.find(([signature]) => start.startsWith(signature));
  return foreign?.[1] ?? 'no importer recognises this content';
}
