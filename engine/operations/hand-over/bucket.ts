/**
 * A place in a bucket, through the client of the S3 interface's vendor: Amazon's and every server that has the same one.
 * Only commands that name an `s3://` address contact it. Region, credentials and another endpoint are those of the
 * vendor's own tools: AWS_REGION, AWS_PROFILE, AWS_ENDPOINT_URL and the like.
 * Reference: https://docs.aws.amazon.com/AmazonS3/latest/API/Welcome.html
 */
import { createReadStream } from 'node:fs';
import type { Readable } from 'node:stream';
import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3';
import { bucketAddress } from '../../contract/bucket-address.ts';
import { CancelledError, DaybookError } from '../../contract/errors.ts';

/** What one request can put. */
const MOST_BYTES = 5 * 2 ** 30;
/** A stream is sent once: what fails on the way is sent again by us. */
const TRIES = 4;

export interface BucketObject {
  /** Below the place. */
  readonly path: string;
  readonly bytes: number;
}

export class Bucket {
  /** As messages name it. */
  readonly name: string;
  private readonly bucket: string;
  private readonly prefix: string;
  private readonly client: S3Client;
  private readonly signal: AbortSignal;

  /** @throws DaybookError usage for no address of a bucket */
  constructor(address: string, signal: AbortSignal) {
    const { bucket, prefix, name } = bucketAddress(address);
    this.bucket = bucket;
    this.prefix = prefix;
    this.name = name;
    this.signal = signal;
    const endpoint = process.env['AWS_ENDPOINT_URL_S3'] ?? process.env['AWS_ENDPOINT_URL'];
    this.client = new S3Client({
      // A server of one's own seldom has a name for each bucket.
      forcePathStyle: endpoint !== undefined,
      ...(endpoint === undefined ? {} : { endpoint }),
      ...(process.env['AWS_REGION'] === undefined && endpoint !== undefined
        ? { region: 'us-east-1' }
        : {}),
    });
  }

  /** Where requests go. @throws DaybookError usage where no region is named */
  async endpoint(): Promise<string> {
    try {
      const region = await this.client.config.region();
      const own = await this.client.config.endpoint?.();
      if (own === undefined) return `${this.bucket}.s3.${region}.amazonaws.com`;
      return `${own.protocol}//${own.hostname}${own.port === undefined ? '' : `:${own.port}`}`;
    } catch (error) {
      throw this.errorOf(error);
    }
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
      for (const { Key: key, Size: bytes } of page.Contents ?? [])
        if (key !== undefined) out.push({ path: key.slice(this.prefix.length), bytes: bytes ?? 0 });
      token = page.NextContinuationToken;
    } while (token !== undefined);
    return out;
  }

  /** What was put beside an object; undefined: nothing was, or there is none. */
  async note(path: string): Promise<string | undefined> {
    const found = await this.maybe((abort) =>
      this.client.send(new HeadObjectCommand(this.at(path)), abort),
    );
    const note = found?.Metadata?.['daybook'];
    return note === undefined ? undefined : Buffer.from(note, 'base64').toString();
  }

  /** The content of an object; undefined: there is none. */
  async read(path: string): Promise<Readable | undefined> {
    const found = await this.maybe((abort) =>
      this.client.send(new GetObjectCommand(this.at(path)), abort),
    );
    // In Node a body is a stream of Node.
    return found?.Body as Readable | undefined;
  }

  /** @param note kept beside it, at most some 1,400 bytes */
  async put(path: string, text: string): Promise<void> {
    await this.send((abort) =>
      this.client.send(new PutObjectCommand({ ...this.at(path), Body: text }), abort),
    );
  }

  /** Puts a file, whole or not at all. @param sha256 of its content, which the server compares */
  async putFile(
    path: string,
    file: string,
    { bytes, sha256, note }: { bytes: number; sha256: string; note: string },
  ): Promise<void> {
    if (bytes > MOST_BYTES)
      throw new DaybookError(
        'limit-exceeded',
        `${path} has more than 5 GiB: a bucket takes no such file at once`,
      );
    const request = {
      ...this.at(path),
      ContentLength: bytes,
      ChecksumSHA256: Buffer.from(sha256, 'hex').toString('base64'),
      Metadata: { daybook: Buffer.from(note).toString('base64') },
    };
    await this.send((abort) =>
      this.client.send(new PutObjectCommand({ ...request, Body: createReadStream(file) }), abort),
    );
  }

  async remove(path: string): Promise<void> {
    await this.send((abort) => this.client.send(new DeleteObjectCommand(this.at(path)), abort));
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
    for (let tried = 1; ; tried++) {
      try {
        return await request({ abortSignal: this.signal });
      } catch (error) {
        const isServers = error instanceof S3ServiceException && error.$metadata.httpStatusCode;
        const isFinal = typeof isServers === 'number' && isServers < 500;
        if (tried === TRIES || isFinal || this.signal.aborted) throw this.errorOf(error);
      }
    }
  }

  private errorOf(error: unknown): unknown {
    if (this.signal.aborted) return new CancelledError();
    if (error instanceof DaybookError || !(error instanceof Error)) return error;
    const { name, bucket } = this;
    const code = 'code' in error ? String(error.code) : error.name;
    if (code === 'NoSuchBucket')
      return new DaybookError('not-found', `there is no bucket ${bucket}`, 'make it first', error);
    if (error.name === 'CredentialsProviderError' || /region is missing/i.test(error.message))
      return new DaybookError(
        'usage',
        `${name}: ${error.message.slice(0, 200)}`,
        'set AWS_REGION, and AWS_PROFILE or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY',
        error,
      );
    const isServers = error instanceof S3ServiceException;
    return new DaybookError(
      'unreadable',
      isServers ? `${name} refuses: ${code}` : `${name} does not answer: ${code}`,
      isServers
        ? 'see whether these credentials may list, read, write and delete there'
        : 'see whether its endpoint can be reached from here (AWS_ENDPOINT_URL, AWS_REGION)',
      error,
    );
  }
}

type Request<T> = (options: { abortSignal: AbortSignal }) => Promise<T>;

function isMissing(error: unknown): boolean {
  return error instanceof S3ServiceException && ['NoSuchKey', 'NotFound'].includes(error.name);
}
