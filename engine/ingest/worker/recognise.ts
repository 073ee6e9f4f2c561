/** Chooses the importer for a content: by its first bytes, or as a person said. */
import { createHash } from 'node:crypto';
import { messageOfError } from '../../contract/errors.ts';
import { HASH_LIST } from '../../contract/left-out.ts';
import { firstLines } from '../../evidence/pieces.ts';
import { isHashList } from '../manifests/read-manifest.ts';
import type { Importer, SniffResult, SourceInput } from '../../evidence/importer.ts';

/** Bytes that importers see to judge a content. */
const SNIFF_BYTES = 64 * 1024;
/** Bytes whose hash identifies earlier copies of a growing log. */
const HEAD_BYTES = 1024;

export interface Head {
  readonly bytes: Uint8Array;
  /** Whether that is the whole content. */
  readonly complete: boolean;
  /** Why the content's beginning is lost: these are the first whole lines after damage. */
  readonly lost?: unknown;
}

export interface Recognised {
  readonly importer: Importer;
  readonly result: SniffResult;
}

/** The first bytes of a content. Errors after the first block do not matter yet. */
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
    if (size === 0) return headAfter(error, input);
  }
  return { bytes: head.subarray(0, size), complete: true };
}

/** The first whole lines after damage at the content's beginning; throws `lost`, that damage, if there are none. */
async function headAfter(lost: unknown, input: SourceInput): Promise<Head> {
  const head = new Uint8Array(SNIFF_BYTES);
  let size = 0;
  for await (const block of firstLines(input)) {
    const part = block.subarray(0, SNIFF_BYTES - size);
    head.set(part, size);
    size += part.length;
    if (size === SNIFF_BYTES) break;
  }
  if (size === 0) throw lost;
  return { bytes: head.subarray(0, size), complete: size < SNIFF_BYTES, lost };
}

/** A hash that identifies equal beginnings, and the number of bytes it covers. */
export function headHash(head: Head): { headSha256: string; headSize: number } {
  return {
    headSize: Math.min(head.bytes.length, HEAD_BYTES),
    headSha256: createHash('sha256').update(head.bytes.subarray(0, HEAD_BYTES)).digest('hex'),
  };
}

/** The importer with the highest score for a content; with `forced`, the one that was requested. */
export function recognise(
  importers: readonly Importer[],
  head: Head,
  name: string,
  forced: string | undefined,
): Recognised | undefined {
  if (head.bytes.length === 0) return undefined;
  if (forced === undefined && foreignReason(head) !== undefined) return undefined;
  let best: Recognised | undefined;
  const late = head.lost !== undefined;
  for (const importer of importers) {
    if (late && importer.readsOn !== true) continue;
    const result = importer.sniff(head.bytes, { name, complete: head.complete, late });
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

/** Formats of evidence that no importer reads, by their first bytes, and the tools that convert them. */
const FOREIGN: readonly (readonly [signature: string, reason: string, at?: number])[] = [
  ...['\x0c\xa5\x03\0', '\xa5\x0c\0\x03'].map(
    (magic) =>
      [
        magic,
        'nfdump flows in layout 3; convert them first: nfdump -r FILE -o csv > FILE.csv',
      ] as const,
  ),
  [
    'SQLite format 3\0',
    'an SQLite database; convert it first: sqlite3 -header -csv FILE "SELECT * FROM TABLE" > FILE.csv',
  ],
  ['regf', 'a registry hive; convert it first (RECmd, regripper, or plaso: psteal -w FILE.csv)'],
  ['MAM\x04', 'a Windows prefetch file; convert it first: PECmd -f FILE --csv FOLDER'],
  ['SCCA', 'a Windows prefetch file; convert it first: PECmd -f FILE --csv FOLDER', 4],
  ['L\0\0\0\x01\x14\x02\0', 'a Windows shortcut; convert it first: LECmd -f FILE --csv FOLDER'],
  ['\xef\xcd\xab\x89', 'an ESE database; convert it first (SrumECmd, SumECmd, esedbexport)', 4],
  ['FILE0', 'an NTFS file table; convert it first: MFTECmd -f FILE --csv FOLDER'],
  [
    'LfLe',
    'a Windows event log in the old format (EVT); convert it first (evtexport, or plaso)',
    4,
  ],
  [
    'ASL DB\0',
    'a binary log of macOS (ASL); convert it first, on a Mac: syslog -f FILE -F std > FILE.log',
  ],
  [
    '\0\x10\0\0\x11\0\0\0',
    'a Unified Log of macOS (tracev3); convert it first, on a Mac: log show --archive FOLDER --style ndjson > FILE.json',
  ],
  ['bplist00', 'a binary property list; convert it first: plutil -convert json FILE'],
  ['EVF\t\r\n\xff\0', 'a disk image (EWF); import the files in it, or a timeline made from it'],
  ['PAR1', 'a Parquet file; convert it first: COPY (FROM FILE) TO FILE.csv in DuckDB'],
  ['%PDF-', 'a PDF document, which holds no records'],
  [
    '\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1',
    'an OLE document (Office, jump list), which holds no records',
  ],
];

/** Text that tools write for people: its numbers are shortened, or it lacks what makes an event. */
const REPORTS: readonly (readonly [test: (lines: readonly string[]) => boolean, reason: string])[] =
  [
    [
      ([first = '']) => {
        const names = first.trim().split(/\s+/);
        const isHeading = names.length > 2 && names.every((name) => /^[A-Za-z]{2,12}$/.test(name));
        return isHeading && names.includes('SrcAddr') && names.includes('DstAddr');
      },
      'flows as Argus ra prints them for people, without dates and with truncated names; export them again: ra -r FILE -n -u -c , > FILE.csv (with --format text its lines are read as they are)',
    ],
    [
      ([first = '', second = '', third = '']) =>
        /^={20,}$/.test(first) && / Conversations$/.test(second) && third.startsWith('Filter:'),
      'a table of conversations as tshark prints it, with rounded numbers and times relative to its capture; import the capture itself (with --format text its lines are read as they are)',
    ],
    [isHashList, HASH_LIST],
  ];
const REPORT_LINES = 20;

/** Why a content cannot be imported although it may look like text; undefined for any other. */
function foreignReason({ bytes, complete }: Head): string | undefined {
  const start = Buffer.from(bytes.subarray(0, 16)).toString('latin1');
  const foreign = FOREIGN.find(([signature, , at = 0]) => start.startsWith(signature, at));
  if (foreign !== undefined) return foreign[1];
  const lines = Buffer.from(bytes.subarray(0, 8192)).toString('latin1').split(/\r?\n/);
  if (lines.length > 1 && (bytes.length > 8192 || !complete)) lines.pop();
  const first = lines.filter((line) => line.trim() !== '').slice(0, REPORT_LINES);
  return first.length === 0 ? undefined : REPORTS.find(([test]) => test(first))?.[1];
}

/** The content may still be what somebody says it is: a format can be forced. */
export const UNRECOGNISED = 'no importer recognises this content';

const ONLY_NULS = 'only NUL bytes';
/** Occurs in a log that was truncated while a program wrote to it, or that lost blocks. */
const HOLE =
  'begins with more NUL bytes than recognition examines; if it is a log, import it with --format text';

/** Why no importer recognises a content, and what can be done. */
export function unknownReason(head: Head): string {
  if (head.lost !== undefined)
    return `${messageOfError(head.lost)}; the intact rest cannot be read without the beginning`;
  if (head.bytes.length === 0) return 'empty';
  if (head.bytes.every((byte) => byte === 0)) return head.complete ? ONLY_NULS : HOLE;
  return foreignReason(head) ?? UNRECOGNISED;
}
