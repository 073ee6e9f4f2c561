import { afterAll, beforeAll, expect, it } from 'vitest';
import { join } from 'node:path';
import { Connection, OperationError } from '../../engine/contract/wire/client.ts';
import { reached, scratch, startEngine } from './shell.ts';

const { folder, remove } = scratch();
let env: NodeJS.ProcessEnv;
beforeAll(() => {
  env = { DAYBOOK_STATE: join(folder, 'state'), DAYBOOK_CHUNK_ROWS: '2000', DAYBOOK_THREADS: '1' };
});
afterAll(remove);

it('stops an import at the edge of a chunk when the shell ends, and the case is whole', async () => {
  const path = join(folder, 'ended.daybook');
  const first = startEngine(env).engine;
  const connection = new Connection(first.openChannel());
  await reached(connection, 'ready');
  const { paths } = await connection.call('sample.prepare', {});
  await connection.call('case.create', { case: path });
  const items = paths.map((one) => ({ path: one }));
  const importing = connection
    .call('import.start', { case: path, items })
    .catch((error: unknown) => error);
  await new Promise<void>((resolve) => {
    const onPart = ({ info }: { info: { events: number } }): void => {
      if (info.events > 0) resolve();
    };
    connection.call('case.watch', { case: path }, { onPart }).catch(() => undefined);
  });
  const { pid } = await connection.call('engine.info', {});
  await first.stop();
  expect(await importing).toBeInstanceOf(OperationError);
  expect(() => process.kill(pid, 0)).toThrow();

  const second = startEngine(env).engine;
  const again = new Connection(second.openChannel());
  const info = await again.call('case.open', { case: path });
  expect(info.recovered).toEqual([]);
  expect(info.events).toBeGreaterThan(0);
  const { imports } = await again.call('import.list', { case: path });
  expect(imports.map(({ status }) => status)).toEqual(['cancelled']);
  expect(await again.call('case.verify', { case: path })).toMatchObject({
    ...{ case: { intact: true }, exitStatus: 3, evidence: { state: 'incomplete' } },
  });
  await second.stop();
});
