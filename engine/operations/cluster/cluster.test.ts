/** What happens on a server when nobody waits for its answer any more, with a server that never answers. */
import { createServer } from 'node:http';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { clusterAddress } from '../../contract/cluster-address.ts';
import { Cluster } from './cluster.ts';

it('ends a statement that changes something when it is cancelled', async () => {
  const asked: { query: string; id: string | null }[] = [];
  const { promise: began, resolve: begin } = Promise.withResolvers<undefined>();
  const server = createServer((request, response) => {
    void text(request).then((query) => {
      const id = new URL(request.url ?? '/', 'http://localhost').searchParams.get('query_id');
      asked.push({ query, id });
      if (query.startsWith('INSERT')) begin(undefined);
      else response.end();
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const at = server.address();
  const port = typeof at === 'object' ? at?.port : undefined;
  const stop = new AbortController();
  const cluster = new Cluster(clusterAddress(`clickhouse://127.0.0.1:${port}/acme`), stop.signal);
  const running = cluster.run('INSERT INTO acme.tags SELECT 1');
  await began;
  stop.abort();
  await expect(running).rejects.toMatchObject({ code: 'cancelled' });
  const [insert, kill] = asked;
  expect(insert!.id).toMatch(/^[\w-]{36}$/);
  // Nothing more is sent.
  for (const next of [cluster.run('SELECT 2'), cluster.rows('SELECT 3')])
    await expect(next).rejects.toMatchObject({ code: 'cancelled' });
  await expect(cluster.send('INSERT', Readable.from(['x']))).rejects.toMatchObject({
    code: 'cancelled',
  });
  expect(asked).toHaveLength(2);
  expect(kill!.query).toContain(`KILL QUERY WHERE query_id = '${insert!.id}'`);
  await cluster.close();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});
