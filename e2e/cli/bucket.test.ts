/**
 * A case handed over to a bucket, on a local S3 server (moto): whatever interrupted it, the bucket ends up with
 * what a folder would contain; it is verified there, and nothing is sent without consent. Skipped where moto cannot
 * be fetched; the test's name says why.
 */
import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { generateEvidence } from '../harness.ts';
import { bucketServer, whyNot } from '../provision/index.ts';
import { type S3Server, s3Server } from '../s3-server.ts';
import {
  assertClearMessage,
  Commands,
  daybook,
  json,
  type Outcome,
  scratch,
  start,
} from './harness.ts';

/** How often a run is killed before one may finish; DAYBOOK_KILLS: more often. */
const INTERRUPTIONS = Number(process.env['DAYBOOK_KILLS'] ?? 8);

const space = scratch();
const reason = whyNot('s3');
const acme = path.join(space.folder, 'acme.daybook');
let server: S3Server | undefined;
let commands: Commands | undefined;

const env = (): Record<string, string> => ({
  AWS_ENDPOINT_URL: server!.url,
  AWS_ACCESS_KEY_ID: 'key',
  AWS_SECRET_ACCESS_KEY: 'secret',
  AWS_REGION: 'us-east-1',
});
const run = (...args: string[]) => commands!.run(args);
const verify = (place: string) => run('verify', place);

interface Report {
  readonly files: number;
  readonly written: number;
  readonly kept: number;
  readonly removed: number;
  readonly sha256: string;
  readonly notes: readonly string[];
}

async function handOver(place: string): Promise<Report> {
  const outcome = await run('hand-over', acme, place, '--yes', '--json');
  expect(outcome.status, outcome.err).toBe(0);
  return json<Report>(outcome);
}

/** Starts a run that is paused at a given request. */
async function heldAt(place: string, method: string, begin: string) {
  const held = server!.holdNext(method, begin);
  const { child, outcome } = start(['hand-over', acme, place, '--yes'], { env: env() });
  child.stdin.end();
  await Promise.race([
    held.came,
    outcome.then(({ err }) => Promise.reject(new Error(`it has not come to ${begin}: ${err}`))),
  ]);
  return {
    end: () => {
      held.release();
      return outcome;
    },
  };
}

function expectRefused({ status, out, err }: Outcome, place: string): void {
  expect({ status, out }).toEqual({ status: 1, out: '' });
  assertClearMessage(err);
  expect(err).toContain(`another hand-over writes to ${place}`);
}

const MARK = 'case/.hand-over.json';

/** A bucket contains what its manifest names, byte for byte, and nothing else. */
async function expectWhole(
  bucket: string,
  { sha256, files }: Report,
  marks: readonly string[] = [],
): Promise<void> {
  const there = await server!.objects(bucket);
  const manifest = there.get('case/manifest.json')!;
  expect(createHash('sha256').update(manifest).digest('hex')).toBe(sha256);
  const named = (JSON.parse(manifest.toString()) as { files: { path: string; sha256: string }[] })
    .files;
  expect(named).toHaveLength(files);
  expect([...there.keys()].sort()).toEqual(
    ['case/manifest.json', ...marks, ...named.map((file) => `case/${file.path}`)].sort(),
  );
  for (const file of named)
    expect(
      createHash('sha256')
        .update(there.get(`case/${file.path}`)!)
        .digest('hex'),
    ).toBe(file.sha256);
  const checked = await verify(`s3://${bucket}/case`);
  expect(checked.status, checked.out).toBe(0);
}

beforeAll(async () => {
  const found = bucketServer();
  if (reason !== undefined || found === undefined) return;
  server = await s3Server(found);
  commands = new Commands(env());
  await generateEvidence(space.folder, '--scale', '0.05');
  for (const args of [
    ['import', acme, path.join(space.folder, 'evidence'), '--recursive'],
    ['tag', acme, 'failed', 'odd'],
  ])
    expect((await daybook(args)).status).toBe(0);
});
afterAll(async () => {
  await commands?.close();
  await server?.close();
  space.remove();
});

const title = reason === undefined ? 'a case in a bucket' : `a case in a bucket (${reason})`;

describe.skipIf(reason !== undefined)(title, () => {
  it('is what was written; a second run puts what is new', async () => {
    await server!.makeBucket('plain');
    const first = await handOver('s3://plain/case/');
    expect(first).toMatchObject({ written: first.files, kept: 0, removed: 0 });
    await expectWhole('plain', first);
    const deleted = await run('delete', acme, 'kind:dns', '--reason', 'a test');
    expect(deleted.status, deleted.err).toBe(0);
    const second = await handOver('s3://plain/case');
    expect(second.kept).toBeGreaterThan(0);
    expect(second.written).toBeGreaterThan(0);
    await expectWhole('plain', second);
    const audit = (await server!.objects('plain')).get('case/audit/audit.jsonl')!.toString();
    expect(audit).toMatch(/"hand-over".*s3:\/\/plain\/case/);
  });

  it('is finished by the next run, whenever it was interrupted', async () => {
    await server!.makeBucket('cut');
    const seed = 1 + (Date.now() % 1e6);
    let state = seed;
    const random = (): number => (state = (state * 48_271) % 0x7fffffff) / 0x7fffffff;
    let interrupted = 0;
    for (let i = 0; interrupted < INTERRUPTIONS && i < 3 * INTERRUPTIONS; i++) {
      const { child, outcome } = start(['hand-over', acme, 's3://cut/case', '--yes'], {
        env: env(),
      });
      child.stdin.end();
      // From its first request on, at a random one.
      const requests = server!.requests();
      const at = requests + 1 + Math.floor(random() * 30);
      await Promise.race([server!.cameTo(at), outcome]);
      child.kill('SIGKILL');
      await outcome;
      if ((await server!.objects('cut')).has('case/.hand-over.json')) interrupted += 1;
      // It is complete, or not started: begin again with an empty place.
      else await server!.empty('cut');
    }
    expect(interrupted, `seed ${seed}`).toBe(INTERRUPTIONS);
    expect((await run('verify', 's3://cut/case')).status, `seed ${seed}`).toBe(1);
    await expectWhole('cut', await handOver('s3://cut/case'));
  });

  it('leaves nothing of a killed run on this machine once the next has run', async () => {
    await server!.makeBucket('killed');
    const temporary = path.join(space.folder, 'temporary');
    mkdirSync(temporary);
    const staging = () => readdirSync(path.join(acme, 'staging'));
    const before = staging();
    const held = server!.holdNext('PUT', '/killed/case/events/');
    const { child, outcome } = start(['hand-over', acme, 's3://killed/case', '--yes'], {
      env: { ...env(), TMPDIR: temporary, TEMP: temporary, TMP: temporary },
    });
    child.stdin.end();
    await held.came;
    child.kill('SIGKILL');
    await outcome;
    held.release();
    expect(readdirSync(temporary)).toEqual([]);
    expect(staging().length).toBeGreaterThan(before.length);
    await expectWhole('killed', await handOver('s3://killed/case'));
    expect(staging()).toEqual(before);
  });

  it.each([
    { name: 'after a run that was finished', isFinished: true },
    { name: 'after one that was interrupted', isFinished: false },
  ])('puts again what holds something else of the same size, $name', async ({ isFinished }) => {
    const bucket = isFinished ? 'finished' : 'unfinished';
    await server!.makeBucket(bucket);
    const place = `s3://${bucket}/case`;
    const { files } = await handOver(place);
    const there = await server!.objects(bucket);
    const events = [...there.keys()].filter((key) => key.startsWith('case/events/'));
    const changed = (key: string) => {
      const content = Uint8Array.from(there.get(key)!);
      content[content.length >>> 1]! ^= 1;
      return content;
    };
    const note = async (key: string) => ({ 'x-amz-meta-daybook': await server!.note(bucket, key) });
    const [bare, noted, unproven] = events;
    // Changed by another tool; by one that also copies the metadata; and the same without a checksum.
    await server!.put(bucket, bare!, changed(bare!));
    const content = changed(noted!);
    await server!.put(bucket, noted!, content, {
      ...(await note(noted!)),
      'x-amz-sdk-checksum-algorithm': 'SHA256',
      'x-amz-checksum-sha256': createHash('sha256').update(content).digest('base64'),
    });
    await server!.put(
      bucket,
      unproven!,
      Uint8Array.from(there.get(unproven!)!),
      await note(unproven!),
    );
    const { id } = (
      JSON.parse(there.get('case/manifest.json')!.toString()) as { case: { id: string } }
    ).case;
    if (!isFinished)
      await server!.put(
        bucket,
        'case/.hand-over.json',
        JSON.stringify({ format: 'daybook-hand-over', case: id, run: 'killed' }),
      );
    const report = await handOver(place);
    await expectWhole(bucket, report);
    expect(report.notes).toEqual([
      `${place}: put again: 1 object that held something else`,
      `${place}: put again: 2 objects without a SHA-256 to compare`,
    ]);
    // The audit log has the run before.
    expect(report.kept).toBe(files - 4);
  });

  it('is of the run that came first where two begin at once', async () => {
    await server!.makeBucket('first');
    const place = 's3://first/case';
    const slow = await heldAt(place, 'PUT', `/first/${MARK}`);
    const fast = await heldAt(place, 'PUT', '/first/case/events/');
    expectRefused(await slow.end(), place);
    expect((await fast.end()).status).toBe(0);
    expect((await verify(place)).status).toBe(0);
  });

  it('is of the run that came last where one was not killed, which says so', async () => {
    await server!.makeBucket('last');
    const place = 's3://last/case';
    const slow = await heldAt(place, 'PUT', '/last/case/events/');
    const report = await handOver(place);
    expectRefused(await slow.end(), place);
    await expectWhole('last', report);
  });

  it('keeps the mark of a run that took over the one whose end was on its way', async () => {
    await server!.makeBucket('ending');
    const place = 's3://ending/case';
    const slow = await heldAt(place, 'DELETE', `/ending/${MARK}`);
    await run('tag', acme, 'failed', 'ending');
    const fast = await heldAt(place, 'PUT', '/ending/case/tags/');
    expectRefused(await slow.end(), place);
    expect((await server!.objects('ending')).has(MARK)).toBe(true);
    expect((await fast.end()).status).toBe(0);
    expect((await server!.objects('ending')).has(MARK)).toBe(false);
    expect((await verify(place)).status).toBe(0);
  });

  it.each([
    { bucket: 'late', isLast: false, isLost: false },
    { bucket: 'late-unanswered', isLast: false, isLost: true },
    { bucket: 'last-late', isLast: true, isLost: false },
    { bucket: 'last-late-unanswered', isLast: true, isLost: true },
  ])('is marked again where a file came after another run was done: $bucket', async (how) => {
    const { bucket, isLast, isLost } = how;
    const copied = (name: string): string => {
      const to = path.join(space.folder, `${name}-${bucket}.daybook`);
      cpSync(acme, to, { recursive: true });
      return to;
    };
    const copy = copied('own');
    await server!.makeBucket(bucket);
    const place = `s3://${bucket}/case`;
    if (isLast) {
      const before = await run('hand-over', copied('before'), place, '--yes');
      expect(before.status, before.err).toBe(0);
      const flows = [...(await server!.objects(bucket)).keys()].filter((key) =>
        key.startsWith('case/events/kind=flow/'),
      );
      await server!.remove(bucket, flows.at(-1)!);
    }
    const late = `/${bucket}/case/events/kind%3Dflow/`;
    const slow = await heldAt(place, 'PUT', late);
    const deleted = await run('delete', copy, 'kind:flow', '--reason', 'a test');
    expect(deleted.status, deleted.err).toBe(0);
    const done = await run('hand-over', copy, place, '--yes');
    expect(done.status, done.err).toBe(0);
    expect((await verify(place)).status).toBe(0);
    if (isLost) server!.loseAnswer('PUT', late);
    expectRefused(await slow.end(), place);
    const { status, out } = await verify(place);
    expect(status).toBe(1);
    expect(out).toContain('the hand-over was interrupted, or is still being written');
    await expectWhole(bucket, await handOver(place));
  });

  it('goes on where a put was done and its answer was lost', async () => {
    await server!.makeBucket('answers');
    for (const begin of [MARK, 'case/events/', 'case/manifest.json'])
      server!.loseAnswer('PUT', `/answers/${begin}`);
    server!.loseAnswer('DELETE', `/answers/${MARK}`);
    const report = await handOver('s3://answers/case');
    await expectWhole('answers', report);
    expect(report.notes).toEqual([]);
  });

  it.each(['refuse', 'ignore'] as const)(
    'says that runs at once may not be noticed on a server whose conditional puts are: %sd',
    async (how) => {
      await server!.makeBucket(`${how}d`);
      server!.conditions(how);
      try {
        const report = await handOver(`s3://${how}d/case`);
        await expectWhole(`${how}d`, report);
        expect(report.notes.join()).toContain('its server does not support conditional puts');
      } finally {
        server!.conditions('keep');
      }
    },
  );

  it('is not sent without a yes', async () => {
    await server!.makeBucket('asked');
    const { status, out, err } = await run('hand-over', acme, 's3://asked/case');
    expect({ status, out }).toEqual({ status: 2, out: '' });
    assertClearMessage(err);
    expect(err).toContain(`to s3://asked/case at ${server!.url} needs confirmation`);
    expect((await server!.objects('asked')).size).toBe(0);
  });

  it('waits before it asks again as the server says, and says that an answer was cut', async () => {
    await server!.makeBucket('slow');
    await server!.put('slow', 'case/', '');
    const times = server!.refuseNext('PUT', 2);
    await expectWhole('slow', await handOver('s3://slow/case'), ['case/']);
    expect(times).toHaveLength(3);
    for (const at of [1, 2]) expect(times[at]! - times[at - 1]!).toBeGreaterThanOrEqual(990);
    server!.cutNext(1000);
    const { status, err } = await run('verify', 's3://slow/case');
    server!.cutNext(0);
    expect(status).toBe(1);
    assertClearMessage(err);
    expect(err).toContain('s3://slow/case does not answer');
  });

  it('goes where a profile says', async () => {
    await server!.makeBucket('profiled');
    const config = path.join(space.folder, 'aws-config');
    const keys = 'aws_access_key_id = key\naws_secret_access_key = secret';
    const profile = `region = eu-central-1\nendpoint_url = ${server!.url}`;
    writeFileSync(config, `[profile own]\n${profile}\n${keys}\n`);
    const profileEnv = { AWS_CONFIG_FILE: config, AWS_PROFILE: 'own' };
    const place = 's3://profiled/case';
    const asked = await daybook(['hand-over', acme, place], { env: profileEnv });
    expect(asked.err).toContain(`to ${place} at ${server!.url} needs confirmation`);
    const sent = await daybook(['hand-over', acme, place, '--yes'], { env: profileEnv });
    expect(sent.status, sent.err).toBe(0);
    const others = { ...profileEnv, AWS_ENDPOINT_URL_S3: 'http://localhost:1' };
    expect((await daybook(['hand-over', acme, place], { env: others })).err).toContain(
      `to ${place} at http://localhost:1 needs confirmation,`,
    );
  });

  it('finds what was changed, is missing, or is too many', async () => {
    await server!.makeBucket('bad');
    await handOver('s3://bad/case');
    const [first, second] = [...(await server!.objects('bad')).keys()].filter((key) =>
      key.startsWith('case/events/'),
    );
    await server!.put('bad', first!, 'other');
    await server!.remove('bad', second!);
    await server!.put('bad', 'case/events/kind=log/day=2020-01-01/1.parquet', 'more');
    const { status, out } = await run('verify', 's3://bad/case');
    expect(status).toBe(1);
    for (const text of [' instead of the ', 'is missing', 'does not belong to the hand-over'])
      expect(out).toContain(text);
  });

  it('reports objects that are named as folders and hold something', async () => {
    await server!.makeBucket('slashes');
    await server!.put('slashes', 'case/', 'x');
    const refused = await run('hand-over', acme, 's3://slashes/case', '--yes');
    expect(refused.status).toBe(2);
    expect(refused.err).toContain('s3://slashes/case holds other files (./)');
    await handOver('s3://slashes/deep/place');
    await server!.put('slashes', 'deep/place/', 'x');
    await server!.put('slashes', 'deep/place/events/', 'x');
    await server!.put('slashes', 'deep/place/more/', '');
    const again = await run('hand-over', acme, 's3://slashes/deep/place', '--yes');
    expect(again.err).toContain(
      'do not belong to the hand-over and were left alone: ./, events/\n',
    );
    const { status, out } = await run('verify', 's3://slashes/deep/place');
    expect(status).toBe(1);
    expect(out).toContain('warning: ./ does not belong to the hand-over\n');
    expect(out).toContain('error: events/ does not belong to the hand-over\n');
    expect(out).not.toContain('more/');
  });

  it('says what is wrong with a place', async () => {
    await server!.put('asked', 'strange/file', 'x');
    for (const [place, message] of [
      ['s3://nosuchbucket/x', 'there is no bucket nosuchbucket'],
      ['s3://asked/strange', 'holds other files (file)'],
      ['s3://a', 'is not a place in a bucket'],
    ] as const) {
      const { status, out, err } = await run('hand-over', acme, place, '--yes');
      expect(status).toBeGreaterThan(0);
      expect(out).toBe('');
      assertClearMessage(err);
      expect(err).toContain(message);
    }
  });
});
