/**
 * A capture that several workers read in pieces, one of them leading, is what one worker makes of it: every
 * packet and its flow, every flow, the ledger, what is known of the source, the quarantine and its order.
 */
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Section } from '../../importers/pcap/build.ts';
import type { PieceChunk } from './protocol.ts';
import type { WorkerHandle } from './run-import.ts';
import { classicCapture, damaged, pcapngCapture } from './testing/captures.ts';
import { contents, counting } from './testing/case-contents.ts';
import { importInProcess, startInProcess, type InProcessOptions } from './testing/in-process.ts';

let folder: string;
let made = 0;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'daybook-led-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function importInto(evidence: string, how: InProcessOptions) {
  const path = join(folder, `${++made}.daybook`);
  await importInProcess(path, [evidence], how);
  const held = await contents(path);
  rmSync(path, { recursive: true });
  return held;
}

/** A capture, and what is to be made of it. */
type Case = [name: string, capture: () => Buffer, options?: InProcessOptions['options']];

const CAPTURES: Case[] = [
  ['classic.pcap', () => classicCapture(700)],
  ['big-endian.pcap', () => classicCapture(900, { little: false, nano: true })],
  ['cut.pcap', () => classicCapture(700).subarray(0, -30)],
  ['damaged.pcap', () => damaged(classicCapture(700), [0.1, 0.35, 0.36, 0.8])],
  ['sections.pcapng', () => pcapngCapture(700)],
  ['damaged.pcapng', () => damaged(pcapngCapture(700), [0.7])],
  ['no-flows.pcap', () => classicCapture(700), { flows: false }],
];

describe.each(CAPTURES)('%s', (name, capture, options = {}) => {
  it('is the same from one worker and from many', async () => {
    const evidence = join(folder, name);
    writeFileSync(evidence, capture());
    const one = await importInto(evidence, { workers: 1, options });
    const hash = createHash('sha256').update(capture()).digest('hex');
    expect(one.sources[0]).toMatchObject({ rawSha256: hash, status: 'complete' });
    expect(one.rows.length).toBeGreaterThan(300);
    const { startWorker, pieces, readOnInOne } = counting();
    const chunk = { pieceLines: 120 };
    const many = await importInto(evidence, { workers: 3, chunk, startWorker, options });
    expect(pieces()).toBeGreaterThan(3);
    expect(readOnInOne()).toBe(false);
    expect(many.sources).toEqual(one.sources);
    expect(many.quarantine).toEqual(one.quarantine);
    expect(many.rows).toEqual(one.rows);
  });
});

it('packets are read in one where no rows are made of them', async () => {
  const evidence = join(folder, 'flows-only.pcap');
  writeFileSync(evidence, classicCapture(700));
  const { startWorker, pieces } = counting();
  const options = { packets: false };
  const chunk = { pieceLines: 110 };
  const many = await importInto(evidence, { workers: 3, chunk, startWorker, options });
  expect(pieces()).toBe(0);
  expect(many.rows).toEqual((await importInto(evidence, { workers: 1, options })).rows);
});

it('a section of more interfaces than a position holds is read in one, from where it begins', async () => {
  const evidence = join(folder, 'interfaces.pcapng');
  const section = new Section(true);
  const parts = [pcapngCapture(150), section.header()];
  for (let i = 0; i < 65; i++) parts.push(section.interface(1, 0));
  for (let i = 0n; i < 150n; i++) parts.push(section.packet(64, i, new Uint8Array(60)));
  writeFileSync(evidence, Buffer.concat(parts));
  const { startWorker, pieces, readOnInOne } = counting();
  const chunk = { pieceLines: 20 };
  const held = await importInto(evidence, { workers: 3, chunk, startWorker });
  expect(pieces()).toBeGreaterThan(0);
  expect(readOnInOne()).toBe(true);
  expect(held).toEqual(await importInto(evidence, { workers: 1 }));
});

it('a capture that is cut off behind the leader is read in one', async () => {
  const evidence = join(folder, 'changing.pcap');
  writeFileSync(evidence, classicCapture(700));
  let isChanged = false;
  const startWorker = (): WorkerHandle => {
    const inner = startInProcess();
    return {
      ...inner,
      onMessage: (handler) =>
        inner.onMessage((message) => {
          if (message.type === 'surveyed') {
            truncateSync(evidence, classicCapture(500).length);
            isChanged = true;
          }
          handler(message);
        }),
    };
  };
  const chunk = { pieceLines: 110 };
  const { sources, rows } = await importInto(evidence, { workers: 2, chunk, startWorker });
  expect(isChanged).toBe(true);
  const read = readFileSync(evidence).subarray(0, sources[0]!.contentSize);
  expect(sources[0]?.contentSha256).toBe(createHash('sha256').update(read).digest('hex'));
  const packets = rows.filter(({ kind }) => kind === 'packet').map(({ seq }) => seq);
  expect(packets).toEqual(Array.from(packets, (_, i) => i + 1));
  expect(sources[0]?.read).toBe(packets.length);
});

it('a capture that has fewer packets than are in the case by then keeps the counts of these', async () => {
  const evidence = join(folder, 'shorter.pcap');
  writeFileSync(evidence, classicCapture(1500));
  let isChanged = false;
  const startWorker = (): WorkerHandle => {
    const inner = startInProcess();
    let second: number | undefined;
    return {
      ...inner,
      onMessage: (handler) =>
        inner.onMessage((message) => {
          const { piece, id } = message.type === 'chunk' ? message : {};
          if (piece?.index === 1 && piece.leads !== true) second = id;
          handler(message);
        }),
      post: (message) => {
        if (message.type === 'committed' && message.id === second) {
          truncateSync(evidence, classicCapture(50).length);
          isChanged = true;
        }
        inner.post(message);
      },
    };
  };
  const chunk = { pieceLines: 110 };
  const { sources, rows } = await importInto(evidence, { workers: 2, chunk, startWorker });
  expect(isChanged).toBe(true);
  const packets = rows.filter(({ kind }) => kind === 'packet').length;
  expect(packets).toBeGreaterThan(100);
  expect(sources[0]).toMatchObject({
    read: packets,
    stored: packets,
    emitted: { packet: packets, flow: rows.length - packets },
  });
});

it('goes on to the same after a cancellation in the middle', async () => {
  const evidence = join(folder, 'cancelled.pcap');
  writeFileSync(evidence, damaged(classicCapture(700), [0.5]));
  const whole = await importInto(evidence, { workers: 1 });
  const path = join(folder, 'cancelled.daybook');
  const controller = new AbortController();
  const startWorker = (): WorkerHandle => {
    const inner = startInProcess();
    let first: number | undefined;
    return {
      ...inner,
      onMessage: (handler) =>
        inner.onMessage((message) => {
          const { piece, id } = message.type === 'chunk' ? message : {};
          if (piece?.index === 0 && piece.leads !== true) first = id;
          handler(message);
        }),
      post: (message) => {
        if (message.type === 'committed' && message.id === first) controller.abort();
        inner.post(message);
      },
    };
  };
  const chunk = { pieceLines: 110 };
  const { signal } = controller;
  const cancelled = importInProcess(path, [evidence], { workers: 3, chunk, startWorker, signal });
  await expect(cancelled).rejects.toThrow();
  const before = (await contents(path)).rows.length;
  expect(before).toBeGreaterThan(0);
  expect(before).toBeLessThan(whole.rows.length);
  await importInProcess(path, [evidence], { workers: 3, chunk });
  const held = await contents(path);
  expect(held.rows).toEqual(whole.rows);
  expect(held.quarantine).toEqual(whole.quarantine);
  expect(held.sources).toEqual(whole.sources);
});

it('goes on to the same after two cancellations, the first while flows were ahead of their packets', async () => {
  const evidence = join(folder, 'twice.pcap');
  // Of several blocks, between which a chunk may be cut.
  writeFileSync(evidence, classicCapture(700, {}, 16_000));
  const whole = await importInto(evidence, { workers: 1 });
  const path = join(folder, 'twice.daybook');
  /** Cancels at the commit of the first chunk of which `isLast` holds. */
  const cancelled = async (
    how: InProcessOptions,
    isLast: (chunk: PieceChunk | undefined) => boolean,
  ) => {
    const controller = new AbortController();
    const startWorker = (): WorkerHandle => {
      const inner = startInProcess();
      let last: number | undefined;
      return {
        ...inner,
        onMessage: (handler) =>
          inner.onMessage((message) => {
            if (message.type === 'chunk' && isLast(message.piece)) last ??= message.id;
            handler(message);
          }),
        post: (message) => {
          if (message.type === 'committed' && message.id === last) controller.abort();
          inner.post(message);
        },
      };
    };
    const { signal } = controller;
    await expect(
      importInProcess(path, [evidence], { ...how, startWorker, signal }),
    ).rejects.toThrow();
    return (await contents(path)).rows;
  };
  const ahead = await cancelled(
    { workers: 3, chunk: { pieceLines: 300 } },
    (piece) => piece?.leads === true,
  );
  expect(ahead.length).toBeGreaterThan(0);
  expect(ahead.filter(({ kind }) => kind === 'packet')).toEqual([]);
  const again = await cancelled({ workers: 1, chunk: { rows: 10 } }, () => true);
  expect(again.length).toBeGreaterThan(ahead.length);
  expect(again.length).toBeLessThan(whole.rows.length);
  await importInProcess(path, [evidence], { workers: 1 });
  const held = await contents(path);
  expect(held.rows).toEqual(whole.rows);
  expect(held.sources).toEqual(whole.sources);
});

it('is the same whatever is damaged and wherever it is cut', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.boolean(),
      fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 3 }),
      fc.nat({ max: 4000 }),
      fc.integer({ min: 15, max: 60 }),
      fc.integer({ min: 2, max: 4 }),
      async (isClassic, places, cut, pieceLines, workers) => {
        const evidence = join(folder, 'hostile');
        const capture = isClassic ? classicCapture(120) : pcapngCapture(120);
        writeFileSync(evidence, damaged(capture, places).subarray(0, capture.length - cut));
        const one = await importInto(evidence, { workers: 1 });
        expect(await importInto(evidence, { workers, chunk: { pieceLines } })).toEqual(one);
      },
    ),
    { numRuns: 5 },
  );
});

const shared = process.env['DAYBOOK_SHARED'] ?? join(import.meta.dirname, '../../../shared');
const real = ['pcap/slips/test8-malicious.pcap']
  .map((name) => join(shared, 'data', name))
  .filter((path) => existsSync(path));

it.skipIf(real.length === 0)('real captures (skipped without the shared evidence)', async () => {
  for (const evidence of real) {
    const one = await importInto(evidence, { workers: 1 });
    const { startWorker, pieces } = counting();
    const chunk = { pieceLines: 60 };
    expect(await importInto(evidence, { workers: 3, chunk, startWorker })).toEqual(one);
    expect(pieces()).toBeGreaterThan(1);
  }
});
