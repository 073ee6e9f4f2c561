/**
 * Files that protocols carry: one event each, with hashes of all its bytes. Their content is not stored.
 *
 * Invariant: only the beginning of a file is buffered, and bytes yet to be decoded, up to a limit.
 */
import { createHash, hash, type Hash } from 'node:crypto';
import type { FileReceiver } from '../../../../engine/evidence/carried-files.ts';
import { decodeContent, type Decoded, isContentEncoding } from '../http/content-encodings.ts';
import { HeldBytes } from '../streams/held-bytes.ts';
import { MAGIC_BYTES, mediaType } from './magic.ts';
import type { Endpoints, MessageSink, ProtocolMessage, Stamp } from '../messages.ts';

/** Encoded bytes that are buffered until they are complete; a longer file is recorded as transferred. */
const MAX_ENCODED_BYTES = 4 << 20;
/** Hardly any text becomes smaller. */
const MAX_RATIO = 128;
const LEAST_DECODED_BYTES = 1 << 20;
const ALGORITHMS = ['md5', 'sha1', 'sha256'] as const;

export type Digests = Readonly<Record<(typeof ALGORITHMS)[number], string>>;

export interface FileDetails {
  readonly service: string;
  /** Path, or name alone. */
  readonly name: string | undefined;
  /** Its name in the message if it has none itself. */
  readonly title?: string | undefined;
  /** Its size as transferred, if stated. */
  readonly total?: number | undefined;
  /** Whether its end was seen. */
  readonly isWhole: boolean;
  /** Whether it is a part of a file: then its hashes are not the file's. */
  readonly isPart?: boolean;
  /** Its media type, if the protocol states it reliably. */
  readonly mime?: string;
  /** Another fault. */
  readonly problem?: string | undefined;
  readonly columns?: ProtocolMessage['columns'];
  readonly attributes?: ProtocolMessage['attributes'];
}

export class CarriedFile {
  private readonly ends: Endpoints;
  private readonly sink: MessageSink;
  private readonly at: Stamp;
  private readonly isFromClient: boolean;
  private readonly receiver: FileReceiver | undefined;
  /** Compression to remove; undefined for none. */
  private encoding: string | undefined;
  private readonly encoded = new HeldBytes();
  private readonly beginning = new HeldBytes();
  private begun: readonly Hash[] | undefined;
  private whole: Digests | undefined;
  private size = 0;
  private missing = 0;
  private problem: string | undefined;
  private isDecoded = false;

  /** @param at time of its first byte */
  constructor(
    ends: Endpoints,
    sink: MessageSink,
    at: Stamp,
    isFromClient: boolean,
    encoding?: string,
  ) {
    this.ends = ends;
    this.sink = sink;
    this.at = at;
    this.isFromClient = isFromClient;
    const name = encoding?.trim().toLowerCase() ?? '';
    if (isContentEncoding(name)) this.encoding = name;
    else if (name !== '' && name !== 'identity') this.problem = `is encoded as ${name}`;
    this.receiver = sink.file?.(ends, isFromClient);
  }

  get heldBytes(): number {
    return 2048 + this.encoded.capacity + this.beginning.capacity;
  }

  /** @param isAll whether these are all its bytes */
  add(part: Uint8Array, isAll = false): void {
    if (this.encoding === undefined) this.take(part, isAll);
    else {
      this.encoded.append(part);
      if (this.encoded.length > MAX_ENCODED_BYTES) this.leaveEncoded('is too long to be decoded');
    }
  }

  /** Bytes that were not captured. */
  skip(size: number): void {
    if (this.encoding !== undefined)
      this.leaveEncoded('cannot be decoded without its missing bytes');
    this.missing += size;
    this.receiver?.gap(size);
  }

  private take(part: Uint8Array, isAll: boolean): void {
    const { beginning } = this;
    const wanted = MAGIC_BYTES - beginning.length;
    if (wanted > 0 && this.missing === 0) beginning.append(part.subarray(0, wanted));
    if (isAll && this.size === 0 && this.missing === 0) this.whole = digestsAtOnce(part);
    else if (this.missing === 0) {
      this.begun ??= ALGORITHMS.map((name) => createHash(name));
      for (const one of this.begun) one.update(part);
    }
    this.size += part.length;
    this.receiver?.data(part);
  }

  private leaveEncoded(problem: string): void {
    const encoded = this.encoded.bytes;
    this.problem = problem;
    this.encoding = undefined;
    this.take(encoded, false);
    this.encoded.clear();
  }

  private decode(): void {
    const { encoding, encoded } = this;
    if (encoding === undefined) return;
    const maxOutputLength = LEAST_DECODED_BYTES + MAX_RATIO * encoded.length;
    let decoded: Decoded;
    try {
      decoded = decodeContent(encoded.bytes, encoding, { maxOutputLength });
    } catch {
      this.leaveEncoded(`cannot be decoded as ${encoding}`);
      return;
    }
    // A hash of bytes that may not be those that were encoded would be wrong.
    if (decoded.flaw === 'a wrong checksum') {
      this.leaveEncoded(`its ${encoding} encoding has ${decoded.flaw}`);
      return;
    }
    if (decoded.flaw !== undefined) this.problem = `its ${encoding} encoding has ${decoded.flaw}`;
    this.encoding = undefined;
    this.encoded.clear();
    this.isDecoded = true;
    this.take(decoded.content, true);
  }

  /** Emits its event, unless no byte of it was captured. @returns its hashes, for a complete file */
  end(details: FileDetails): Digests | undefined {
    const { service, name, isWhole } = details;
    if (isWhole) this.decode();
    else if (this.encoding !== undefined) this.leaveEncoded('cannot be decoded without its end');
    if (this.size === 0) {
      this.receiver?.end(undefined);
      return undefined;
    }
    const total = this.isDecoded ? undefined : details.total;
    const isComplete = isWhole && this.missing === 0;
    const digests = isComplete ? (this.whole ?? this.digests()) : undefined;
    const { isFromClient, size, missing } = this;
    const mime = details.mime ?? mediaType(this.beginning.bytes);
    const problems = [
      missing > 0 ? `${missing} bytes are missing` : undefined,
      isWhole ? undefined : 'its end is missing',
      ...[this.problem, details.problem],
    ].filter((problem) => problem !== undefined);
    const type = isFromClient ? 'upload' : 'download';
    const seq = this.sink.message(this.ends, {
      ...{ kind: 'file', type, at: this.at, service },
      text: [
        type,
        name === undefined || name === '' ? details.title : name,
        mime,
        `${size} bytes`,
        ...problems,
      ]
        .filter(Boolean)
        .join(', '),
      columns: {
        ...details.columns,
        file_path: name === '' ? undefined : name,
        ...(details.isPart === true ? {} : digests),
      },
      attributes: {
        filename: /[^\\/]+$/.exec(name ?? '')?.[0],
        mime_type: mime,
        seen_bytes: String(size),
        total_bytes: total === undefined ? undefined : String(total),
        missing_bytes: String(missing),
        is_orig: isFromClient ? 'T' : 'F',
        ...details.attributes,
        problem: problems.length === 0 ? undefined : problems.join('; '),
      },
    });
    this.receiver?.end(seq);
    return digests;
  }

  private digests(): Digests | undefined {
    const [md5, sha1, sha256] = (this.begun ?? []).map((one) => one.digest('hex'));
    return sha256 === undefined ? undefined : { md5: md5!, sha1: sha1!, sha256 };
  }
}

function digestsAtOnce(bytes: Uint8Array): Digests {
  return { md5: hash('md5', bytes), sha1: hash('sha1', bytes), sha256: hash('sha256', bytes) };
}
