/** Items of an import that wait for each other: their numbers, and how many threads wait. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { tarOf } from '../../../importers/shared/testing/archives.ts';
import { Catalog } from '../../catalog/catalog.ts';
import type { FromWorker } from '../worker/protocol.ts';
import type { WorkerHandle } from './import-report.ts';
import { importInProcess, startInProcess } from '../testing/in-process.ts';
import { rfc3164 } from '../testing/small-evidence.ts';

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'daybook-order-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Starts workers; the request about the source `name` arrives once all others wait for the answer. */
function slowAbout(name: string): () => WorkerHandle {
  let starting = 0;
  /** Items given to a worker that has not asked about them yet. */
  let reading = 0;
  let held: (() => void) | undefined;
  let isOver = false;
  const isSlow = (message: FromWorker) =>
    !isOver && message.type === 'request' && message.begin.name.endsWith(name);
  return () => {
    const inner = startInProcess();
    starting += 1;
    return {
      ...inner,
      post: (message) => {
        if (message.type === 'start') starting -= 1;
        if (message.type === 'item') reading += 1;
        inner.post(message);
      },
      onMessage: (handler) =>
        inner.onMessage((message) => {
          if (message.type === 'request') reading -= 1;
          if (isSlow(message)) held = () => handler(message);
          else handler(message);
          if (held === undefined || starting > 0 || reading > 0) return;
          isOver = true;
          held();
          held = undefined;
        }),
    };
  };
}

it('a first source that is slow keeps few threads waiting', async () => {
  const evidence = join(folder, 'many');
  mkdirSync(evidence);
  for (let n = 10; n < 40; n++) writeFileSync(join(evidence, `${n}.log`), rfc3164(n));
  let threads = 0;
  const start = slowAbout('10.log');
  const path = join(folder, 'many.daybook');
  const { total } = await importInProcess(path, [evidence], {
    workers: 2,
    startWorker: () => {
      threads += 1;
      return start();
    },
  });
  expect(total.sources).toBe(30);
  // Waiting threads, and as many that read.
  expect(threads).toBeLessThan(7);
});

it('an archive that begins with what is no source comes before the file behind it', async () => {
  const evidence = join(folder, 'archive');
  mkdirSync(evidence);
  const log = rfc3164(50);
  const members = [
    { name: '0.bin', content: Uint8Array.of(0, 1, 2, 3, 255, 254, 0, 9) },
    { name: '1.log', content: log },
  ];
  writeFileSync(join(evidence, 'a.tar'), tarOf(members));
  writeFileSync(join(evidence, 'b.log'), log);
  const path = join(folder, 'archive.daybook');
  await importInProcess(path, [evidence], {
    workers: 2,
    startWorker: slowAbout('1.log'),
  });
  const catalog = Catalog.open(path);
  expect(catalog.sources.all().map(({ id, name }) => `${id} ${name}`)).toEqual(['1 a.tar!1.log']);
  catalog.close();
});

it('of files of one name from several folders, each is known that goes on from another', async () => {
  const paths = [20, 40, 60].map((lines) => {
    const of = join(folder, `day-${lines}`);
    mkdirSync(of);
    const path = join(of, 'auth.log');
    writeFileSync(path, rfc3164(lines));
    return path;
  });
  const { sources } = await importInProcess(join(folder, 'growing.daybook'), paths);
  expect(sources.map(({ source, stored }) => [source, stored])).toEqual(
    paths.map(() => ['auth.log', 20]),
  );
});
