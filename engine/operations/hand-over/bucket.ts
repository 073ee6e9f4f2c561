/**
 * A place in a bucket, accessed through the official S3 client: Amazon's servers and all compatible ones. Only
 * commands that name an `s3://` address contact it. Region, credentials and endpoint are configured as for the
 * vendor's tools: AWS_REGION, AWS_PROFILE, AWS_ENDPOINT_URL and the like, and `endpoint_url` of a profile.
 * Reference: https://docs.aws.amazon.com/AmazonS3/latest/API/Welcome.html
 */
import { createReadStream, type ReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import { text as textOf } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';
import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3';
import { bucketAddress } from '../../contract/bucket-address.ts';
import { CancelledError, DaybookError } from '../../contract/errors.ts';
import { AnotherWrites, parsed, Unsupported } from './target.ts';

/** Largest object that one request can put. */
const MOST_BYTES = 5 * 2 ** 30;
/** The client does not send a stream again; we send all requests again, after waiting. */
const TRIES = 5;
const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 30_000;
/** Error of our clock that no server refuses: they allow some 5 or 15 minutes. */
const MOST_SKEW_MS = 60_000;

const ITSELF = './';

export interface BucketObject {
  /** Relative to the place; an object whose key is the place itself is `./`. */
  readonly path: string;
  readonly bytes: number;
  readonly etag: string | undefined;
}

/** Precondition on a request's key: nothing there, or the object with an ETag; undefined: none. */
export type Condition = 'absent' | { readonly etag: string | undefined } | undefined;

/** An object that was put. */
interface Put {
  readonly etag: string | undefined;
  /** The same content was there already, and not from a try of this run whose answer was lost. */
  readonly wasThere: boolean;
}

interface ObjectHead {
  /** Metadata that was stored with it. */
  readonly note: string | undefined;
  /** SHA-256 of its content, according to the server. */
  readonly sha256: string | undefined;
  readonly etag: string | undefined;
}

export class Bucket {
  /** Its name in messages. */
  readonly name: string;
  private readonly bucket: string;
  private readonly prefix: string;
  private readonly client: S3Client;
  private readonly signal: AbortSignal;
  private where: Promise<string> | undefined;

  /** @throws DaybookError usage for no address of a bucket */
  constructor(address: string, signal: AbortSignal) {
    const { bucket, prefix, name } = bucketAddress(address);
    this.bucket = bucket;
    this.prefix = prefix;
    this.name = name;
    this.signal = signal;
    const endpoint = process.env['AWS_ENDPOINT_URL_S3'] ?? process.env['AWS_ENDPOINT_URL'];
    this.client = new S3Client({
      maxAttempts: 1,
      ...(process.env['AWS_REGION'] === undefined && endpoint !== undefined
        ? { region: 'us-east-1' }
        : {}),
    });
  }

  /** Where requests go, whatever configured the endpoint. @throws DaybookError usage if no region is configured */
  async endpoint(): Promise<string> {
    try {
      return await (this.where ??= this.resolveEndpoint());
    } catch (error) {
      this.where = undefined;
      throw this.errorOf(error);
    }
  }

  /** The address of a request that is not sent. */
  private async resolveEndpoint(): Promise<string> {
    let host = '';
    const probe = new HeadBucketCommand({ Bucket: this.bucket });
    probe.middlewareStack.add(
      () => (args) => {
        host = originOf(args.request);
        return Promise.resolve({ response: undefined, output: { $metadata: {} } });
      },
      { step: 'build' },
    );
    await this.client.send(probe);
    const { config } = this.client;
    if (config.forcePathStyle === true || /[.]amazonaws[.]com(?:[.]cn)?$/.test(host)) return host;
    // Private servers seldom have a host name for each bucket.
    config.forcePathStyle = true;
    return this.resolveEndpoint();
  }

  /** @throws DaybookError not-found, unreadable, cancelled; as all that follow */
  async list(): Promise<BucketObject[]> {
    const out: BucketObject[] = [];
    let token: string | undefined;
    do {
      const page = await this.send((abort) =>
        this.client.send(
          new ListObjectsV2Command({
            ...{ Bucket: this.bucket, Prefix: this.prefix, ContinuationToken: token },
          }),
          abort,
        ),
      );
      for (const { Key: key, Size: bytes = 0, ETag: etag } of page.Contents ?? [])
        // Consoles and other tools mark folders by empty objects.
        if (key !== undefined && !(key.endsWith('/') && bytes === 0))
          out.push({ path: key.slice(this.prefix.length) || ITSELF, bytes, etag });
      token = page.NextContinuationToken;
    } while (token !== undefined);
    return out;
  }

  /** An object's metadata; undefined if there is no such object. */
  async head(path: string): Promise<ObjectHead | undefined> {
    const found = await this.maybe((abort) =>
      this.client.send(new HeadObjectCommand({ ...this.at(path), ChecksumMode: 'ENABLED' }), abort),
    );
    if (found === undefined) return undefined;
    const note = found.Metadata?.['daybook'];
    const sum = found.ChecksumSHA256;
    return {
      etag: found.ETag,
      note: note === undefined ? undefined : Buffer.from(note, 'base64').toString(),
      // For a multipart object it is a hash of hashes.
      sha256:
        sum !== undefined && /^[\w+/]{43}=$/.test(sum)
          ? Buffer.from(sum, 'base64').toString('hex')
          : undefined,
    };
  }

  /** The content of an object; undefined if there is none. */
  async read(path: string): Promise<Readable | undefined> {
    return (await this.object(path))?.content;
  }

  /** A JSON document, with an undefined value if it is not JSON; undefined if there is none. */
  async json(
    path: string,
  ): Promise<{ readonly etag: string | undefined; readonly value: unknown } | undefined> {
    const found = await this.object(path);
    if (found === undefined) return undefined;
    return { etag: found.etag, value: parsed(await textOf(found.content)) };
  }

  private async object(
    path: string,
  ): Promise<{ etag: string | undefined; content: Readable } | undefined> {
    const found = await this.maybe((abort) =>
      this.client.send(new GetObjectCommand(this.at(path)), abort),
    );
    // In Node a body is a Node stream.
    const body = found?.Body as Readable | undefined;
    return body && { etag: found?.ETag, content: Readable.from(this.parts(body)) };
  }

  /** @throws DaybookError case-locked if the condition does not hold; as `putFile` */
  async put(path: string, text: string, condition?: Condition): Promise<Put> {
    return this.putOnce(
      (abort) =>
        this.client.send(
          new PutObjectCommand({ ...this.at(path), ...headersOf(condition), Body: text }),
          abort,
        ),
      async () => {
        const found = await this.object(path);
        if (found === undefined || (await textOf(found.content)) !== text) return undefined;
        return found;
      },
    );
  }

  /**
   * @param same the ETag of the object if it already has the new content: the answer to an earlier try may have
   * been lost
   */
  private async putOnce(
    request: Request<{ readonly ETag?: string | undefined }>,
    same: () => Promise<Pick<Put, 'etag'> | undefined>,
  ): Promise<Put> {
    let tries = 0;
    try {
      const { ETag: etag } = await this.send((abort) => {
        tries += 1;
        return request(abort);
      });
      return { etag, wasThere: false };
    } catch (error) {
      if (!isConditionFalse(error)) throw error;
      const found = await same();
      if (found !== undefined) return { etag: found.etag, wasThere: tries === 1 };
      throw new AnotherWrites(this.name);
    }
  }

  /**
   * Uploads a file, whole or not at all.
   * @param sha256 of its content, which the server compares
   * @param note stored with it, at most some 1,400 bytes
   */
  async putFile(
    path: string,
    file: string,
    {
      bytes,
      sha256,
      note,
      condition,
    }: { bytes: number; sha256: string; note: string; condition?: Condition },
  ): Promise<Put> {
    if (bytes > MOST_BYTES)
      throw new DaybookError(
        'limit-exceeded',
        `${path} has more than 5 GiB: a bucket takes no such file at once`,
      );
    const request = {
      ...this.at(path),
      ...headersOf(condition),
      ContentLength: bytes,
      ChecksumAlgorithm: 'SHA256' as const,
      ChecksumSHA256: Buffer.from(sha256, 'hex').toString('base64'),
      Metadata: { daybook: Buffer.from(note).toString('base64') },
    };
    return this.putOnce(
      (abort) =>
        withFile(file, abort, (body, stops) =>
          this.client.send(new PutObjectCommand({ ...request, Body: body }), stops),
        ),
      async () => {
        const found = await this.head(path);
        const isSame = found?.note === note && (found.sha256 ?? sha256) === sha256;
        return isSame ? found : undefined;
      },
    );
  }

  /** @param etag of the only object that is removed. @throws DaybookError case-locked if it differs */
  async remove(path: string, etag?: string): Promise<void> {
    const request = { ...this.at(path), ...headersOf({ etag }) };
    try {
      await this.send((abort) => this.client.send(new DeleteObjectCommand(request), abort));
    } catch (error) {
      if (error instanceof DaybookError && isMissing(error.cause)) return;
      if (isConditionFalse(error)) throw new AnotherWrites(this.name);
      // A server that puts on condition need not remove so.
      if (etag === undefined || !(error instanceof Unsupported)) throw error;
      await this.remove(path);
    }
  }

  close(): void {
    this.client.destroy();
  }

  private at(path: string): { Bucket: string; Key: string } {
    return { Bucket: this.bucket, Key: this.prefix + path };
  }

  private async maybe<T>(request: Request<T>): Promise<T | undefined> {
    try {
      return await this.send(request);
    } catch (error) {
      if (error instanceof DaybookError && isMissing(error.cause)) return undefined;
      throw error;
    }
  }

  private async send<T>(request: Request<T>): Promise<T> {
    await this.endpoint();
    const { config } = this.client;
    for (let tried = 1; ; tried++) {
      const clock = config.systemClockOffset;
      try {
        return await request({ abortSignal: this.signal });
      } catch (error) {
        // The client reads the time in each answer, and signs later requests by it. The flag in the error
        // (`clockSkewCorrected`) is also set if an object is just missing.
        const wasSkewed = Math.abs(config.systemClockOffset - clock) > MOST_SKEW_MS;
        const isLast = tried === TRIES || (isFinal(error) && !wasSkewed) || this.signal.aborted;
        if (isLast) throw this.errorOf(error);
        try {
          await wait(waitMs(error, tried), undefined, { signal: this.signal });
        } catch (stopped) {
          throw this.errorOf(stopped);
        }
      }
    }
  }

  /** The body of an answer, which may be truncated. */
  private async *parts(body: Readable): AsyncGenerator<Buffer> {
    try {
      for await (const part of body) yield part as Buffer;
    } catch (error) {
      throw this.errorOf(error);
    }
  }

  private errorOf(error: unknown): unknown {
    if (this.signal.aborted) return new CancelledError();
    if (error instanceof DaybookError || !(error instanceof Error)) return error;
    const { name, bucket } = this;
    const code = 'code' in error ? String(error.code) : error.name;
    if (code === 'NoSuchBucket')
      return new DaybookError(
        'not-found',
        `there is no bucket ${bucket}`,
        'create it first',
        error,
      );
    if (isUnconfigured(error))
      return new DaybookError(
        'usage',
        `${name}: ${error.message.slice(0, 200)}`,
        'set AWS_REGION, and AWS_PROFILE or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY',
        error,
      );
    if (statusOf(error) === 501) return new Unsupported(name, error);
    const isServers = error instanceof S3ServiceException;
    return new DaybookError(
      'unreadable',
      isServers ? `${name} refuses: ${code}` : `${name} does not answer: ${code}`,
      isServers
        ? 'check that these credentials may list, read, write and delete there'
        : 'check that its endpoint can be reached from here (AWS_ENDPOINT_URL, AWS_REGION)',
      error,
    );
  }
}

interface Abort {
  readonly abortSignal: AbortSignal;
}

type Request<T> = (abort: Abort) => Promise<T>;

/**
 * Sends a file. The client does not handle errors of a stream that it sends: without a listener an error would end
 * the process.
 * @throws DaybookError unreadable if the file cannot be read
 */
async function withFile<T>(
  file: string,
  { abortSignal }: Abort,
  send: (body: ReadStream, abort: Abort) => Promise<T>,
): Promise<T> {
  const body = createReadStream(file);
  const unread = new AbortController();
  body.once('error', () => unread.abort());
  try {
    return await send(body, { abortSignal: AbortSignal.any([abortSignal, unread.signal]) });
  } catch (error) {
    const { errored } = body;
    if (errored === null) throw error;
    const code = 'code' in errored ? String(errored.code) : errored.message;
    throw new DaybookError('unreadable', `${file} cannot be read: ${code}`, undefined, errored);
  } finally {
    body.destroy();
  }
}

function originOf(request: unknown): string {
  const parts = new Map<string, unknown>(Object.entries(request ?? {}));
  const [protocol, hostname, port] = ['protocol', 'hostname', 'port'].map((name) => {
    const part = parts.get(name);
    return typeof part === 'string' || typeof part === 'number' ? String(part) : '';
  });
  return `${protocol}//${hostname}${port === '' ? '' : `:${port}`}`;
}

function headersOf(condition: Condition): { IfNoneMatch?: string; IfMatch?: string } {
  if (condition === 'absent') return { IfNoneMatch: '*' };
  return condition?.etag === undefined ? {} : { IfMatch: condition.etag };
}

function statusOf(error: unknown): number | undefined {
  const cause = error instanceof DaybookError ? error.cause : error;
  return cause instanceof S3ServiceException ? cause.$metadata.httpStatusCode : undefined;
}

/** Whether retrying is pointless, by the server's answer or because of a local error. */
function isFinal(error: unknown): boolean {
  if (!(error instanceof S3ServiceException))
    return error instanceof DaybookError || (error instanceof Error && isUnconfigured(error));
  const status = statusOf(error);
  // 400: the server did not receive everything in time.
  if (status === undefined || error.name === 'RequestTimeout') return false;
  // 409: concurrent writes to the same key.
  return status === 501 || (status < 500 && ![408, 409, 429].includes(status));
}

/** No region or credentials. */
function isUnconfigured({ name, message }: Error): boolean {
  return name === 'CredentialsProviderError' || /region is missing/i.test(message);
}

/** Whether a condition did not hold; also if the object to replace is gone. */
function isConditionFalse(error: unknown): boolean {
  return statusOf(error) === 412 || (error instanceof DaybookError && isMissing(error.cause));
}

/** The wait that the server requests, otherwise a random one up to a limit that doubles (exponential backoff). */
function waitMs(error: unknown, tried: number): number {
  const headers = error instanceof S3ServiceException ? error.$response?.headers : undefined;
  const asked = Number(headers?.['retry-after'] ?? Number.NaN) * 1000;
  const random = Math.random() * FIRST_WAIT_MS * 2 ** tried;
  return Math.min(asked >= 0 ? asked : random, LONGEST_WAIT_MS);
}

function isMissing(error: unknown): boolean {
  return error instanceof S3ServiceException && ['NoSuchKey', 'NotFound'].includes(error.name);
}
