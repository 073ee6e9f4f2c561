/** A query within may return values that the outer query's field cannot have. */
import { expect, it } from 'vitest';
import { askQuery } from './query-within.ts';
import { caseOfFiles, ndjson } from './testing/case-of-files.ts';

const session = await caseOfFiles({
  'dns.json': ndjson([
    { timestamp: '2026-01-01T00:00:00Z', query: 'a.example', answer: 'b.example', port: 'https' },
    { timestamp: '2026-01-01T00:00:01Z', query: 'b.example', answer: '192.0.2.7', port: '443' },
  ]),
  'flows.csv': [
    'ts_start,src_ip,dst_ip,src_port,dst_port,proto,bytes,packets',
    '2026-01-01T00:00:02Z,10.0.0.1,192.0.2.7,1,443,TCP,5,1',
    '2026-01-01T00:00:03Z,10.0.0.1,192.0.2.8,1,80,TCP,5,1',
    '',
  ].join('\n'),
});

it.each([
  ['dst_ip in [ answer:* | values answer ]', 1, '1 of the 2 values .* dst_ip and matches nothing'],
  ['dst_ip not in [ answer:* | values answer ]', 1, 'such as "b.example"'],
  ['dst_ip in [ query:* | values query ]', 0, '2 of the 2 values .* match nothing'],
  ['bytes in [ query:* | values query ]', 0, '2 of the 2 values'],
  ['dst_ip in [ answer:192.0.2.7 | values answer ]', 1, undefined],
])('%s finds %i flows', async (text, count, note) => {
  const running = await askQuery(session, { text: `kind:flow ${text} | count`, zone: 'UTC' });
  expect(await running.answer()).toMatchObject({ count });
  const said = [...running.plan.readings].join();
  if (note === undefined) expect(said).toBe('');
  else expect(said).toMatch(new RegExp(note));
});

it('an unknown field is an error still', async () => {
  const asked = askQuery(session, { text: 'nosuch in [ query:* | values query ]', zone: 'UTC' });
  await expect(asked).rejects.toMatchObject({ code: 'unknown-field' });
});

it('is asked for the step of a sequence, too', async () => {
  const steps =
    'query in [ answer:b.example | values query ] then query in [ answer:* | values answer ]';
  const text = `* | sequence within 5m: ${steps} | count`;
  const running = await askQuery(session, { text, zone: 'UTC' });
  expect(await running.answer()).toMatchObject({ rows: [{ count: 1 }] });
});
