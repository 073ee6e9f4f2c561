/** Retries of requests to a bucket, with a server that answers as the test says. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Bucket } from './bucket.ts';

interface Answer {
  readonly status: number;
  readonly code: string;
}

let server: Server;
let asked: number;
let answer: (request: IncomingMessage, at: number) => Answer;
/** How far the server's clock is ahead of ours. */
let ahead: number;
let bucket: Bucket;
beforeEach(async () => {
  [asked, ahead] = [0, 0];
  server = createServer((request, back) => {
    request.resume();
    const { status, code } = answer(request, (asked += 1));
    back.setHeader('Date', new Date(Date.now() + ahead).toUTCString());
    back.writeHead(status).end(`<Error><Code>${code}</Code></Error>`);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  vi.stubEnv('AWS_ENDPOINT_URL', `http://127.0.0.1:${address.port}`);
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'key');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'secret');
  vi.stubEnv('AWS_REGION', 'us-east-1');
  bucket = new Bucket('s3://bucket/case', new AbortController().signal);
});
afterEach(async () => {
  bucket.close();
  vi.unstubAllEnvs();
  server.closeAllConnections();
  server.close();
  await once(server, 'close');
});

const HOUR_MS = 3_600_000;
const MISSING = { status: 404, code: 'NoSuchKey' };

/** Refuses requests signed for a time more than 15 minutes off. */
function checked(then: Answer): typeof answer {
  return ({ headers }) => {
    const signed = String(headers['x-amz-date']);
    const [, year, month, day, hour, minute, second] =
      /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(signed) ?? [];
    const at = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
    const isSkewed = !(Math.abs(at - Date.now() - ahead) < HOUR_MS / 4);
    return isSkewed ? { status: 403, code: 'RequestTimeTooSkewed' } : then;
  };
}

describe('a server with another clock', () => {
  it.each([HOUR_MS, -HOUR_MS])('is asked again by its own (%s ms ahead)', async (skew) => {
    ahead = skew;
    answer = checked(MISSING);
    expect(await bucket.read('a')).toBeUndefined();
    expect(asked).toBe(2);
    // Answers about requests with the right time are final.
    expect(await bucket.head('a')).toBeUndefined();
    expect(asked).toBe(3);
    answer = checked({ status: 403, code: 'AccessDenied' });
    await expect(bucket.list()).rejects.toThrow('AccessDenied');
    expect(asked).toBe(4);
  });

  it('is asked again by each of several at once', async () => {
    ahead = HOUR_MS;
    answer = checked(MISSING);
    const paths = Array.from({ length: 8 }, (_, i) => String(i));
    const found = await Promise.all(paths.map((path) => bucket.head(path)));
    expect(found).toEqual(paths.map(() => undefined));
  });
});

it('is asked again where it did not get a request in time, and not where it refuses one', async () => {
  answer = (_, at) => (at === 1 ? { status: 400, code: 'RequestTimeout' } : MISSING);
  expect(await bucket.read('a')).toBeUndefined();
  expect(asked).toBe(2);
  answer = () => ({ status: 400, code: 'InvalidRequest' });
  await expect(bucket.read('a')).rejects.toThrow('refuses: InvalidRequest');
  expect(asked).toBe(3);
});

it.each([
  ['there is not', 'ENOENT', '/nowhere/file'],
  ['is a folder', 'EISDIR', import.meta.dirname],
])('says at once that a file %s', async (_, code, file) => {
  answer = () => ({ status: 500, code: 'InternalError' });
  const told = { bytes: 4, sha256: '00'.repeat(32), note: '' };
  const unread = bucket.putFile('a', file, told);
  await expect(unread).rejects.toMatchObject({
    ...{ code: 'unreadable', message: `${file} cannot be read: ${code}` },
  });
  expect(asked).toBeLessThan(2);
});

describe('what is not configured', () => {
  beforeEach(() => {
    vi.stubEnv('AWS_CONFIG_FILE', '/nowhere/config');
    vi.stubEnv('AWS_SHARED_CREDENTIALS_FILE', '/nowhere/credentials');
    vi.stubEnv('AWS_EC2_METADATA_DISABLED', 'true');
  });

  it('is not asked for five times', async () => {
    vi.stubEnv('AWS_ACCESS_KEY_ID', undefined);
    const waits = vi.spyOn(Math, 'random');
    const other = new Bucket('s3://bucket/case', new AbortController().signal);
    await expect(other.read('a')).rejects.toMatchObject({ code: 'usage' });
    expect(waits).not.toHaveBeenCalled();
    waits.mockRestore();
    other.close();
  });

  it('is looked for again by the next request', async () => {
    vi.stubEnv('AWS_REGION', undefined);
    vi.stubEnv('AWS_ENDPOINT_URL', undefined);
    const other = new Bucket('s3://bucket/case', new AbortController().signal);
    await expect(other.endpoint()).rejects.toMatchObject({ code: 'usage' });
    vi.stubEnv('AWS_REGION', 'us-east-1');
    expect(await other.endpoint()).toBe('https://bucket.s3.us-east-1.amazonaws.com');
    other.close();
  });
});
