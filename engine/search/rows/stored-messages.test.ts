/**
 * Queries on messages that are stored as shapes give the same answers as on whole ones, although most are not
 * assembled.
 */
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { evidence } from '../../../app/compose.ts';
import { CaseSession } from '../session/case-session.ts';
import { startQuery } from '../query.ts';
import { type SmallCase, smallCase } from '../../operations/testing/small-case.ts';

const ROWS = 6000;
let small: SmallCase;
let session: CaseSession;

const MESSAGES: readonly ((i: number) => string)[] = [
  (i) =>
    `Failed password for invalid user user${i % 97} from 10.${i % 3}.0.${i % 250} port ${i * 7}`,
  (i) =>
    `key SHA256:${(i * 7919).toString(36)} für Bénédicte${i % 9} 日本 code ${String(i).padStart(6, '0')}`,
  (i) => `(root) CMD (it's "quoted" \\ %s {} ${i % 2})`,
  (i) => `session ${i % 5} closed`,
  // Different shapes with the same variables.
  (i) => `session ${i % 5} opened`,
  // Of unique length: stored whole.
  (i) => (i % 50 === 0 ? `${'-'.repeat(i % 97)} user${i} dead beef` : 'nothing to see'),
];

beforeAll(async () => {
  const lines = Array.from({ length: ROWS }, (_, i) => {
    const time = new Date(Date.UTC(2026, 10, 1) + i * 1000).toISOString();
    return `${time} web${i % 3} app: ${MESSAGES[i % MESSAGES.length]!(i)}`;
  });
  small = await smallCase({ 'a.log': `${lines.join('\n')}\n` }, evidence);
  session = CaseSession.open(small.folder, { memoryLimit: 3e8, threads: 2 });
}, 60_000);
afterAll(async () => {
  await session.close();
  await small.dispose();
});

async function answer(text: string, path?: 'scan'): Promise<unknown> {
  const running = startQuery(session, { text, zone: 'UTC', path });
  if (running.plan.shape !== 'rows') return running.answer();
  const rows: unknown[] = [];
  for await (const batch of running.rows()) for (const row of batch.rows) rows.push(row);
  return rows.length;
}

const found = async (filter: string): Promise<unknown> => [
  await answer(`${filter} | count`),
  await answer(`${filter} | top 3 host`),
  await answer(`${filter} | head 7`),
];
const scanned = async (filter: string): Promise<unknown> => [
  await answer(`${filter} | count`, 'scan'),
  await answer(`${filter} | top 3 host`, 'scan'),
  await answer(`${filter} | head 7`, 'scan'),
];

it('patterns on shapes of every kind find what they find in whole messages', async () => {
  const [segment] = session.snapshot().segments;
  expect(segment?.shapes).toBeGreaterThan(4);
  const told = vi.spyOn(session.store, 'messageShapes');
  const filters = [
    ...[
      'message:/[a-f]{4}/',
      'message:/user1\\d from/',
      'message:/SESSION \\d c/i',
      'message:/^$/',
      'message:/closed$/',
    ],
    ...[
      'message:/\\d{6}/',
      'message:/7\\b.*2\\b/',
      'message:/^app: session [0-3] (closed|opened)$/',
      'NOT message:/session/',
    ],
    ...[
      'message:*user1*',
      'message:"app: session 3 closed"',
      'message:"APP: nothing to see"',
      'message:app*closed',
    ],
    ...[
      'message:/dead/ OR message:/B.n.dicte[1-3]/',
      'message:/für.*日/ host:web1',
      'message:/[^a-z]user/ NOT message:/user1/',
    ],
    ...[
      'message:/it\'s "quoted" \\\\ %s/',
      'message:/x/ OR host:web2',
      'message:/\\x{1}/',
      'message:/(?s).{90}/',
    ],
  ];
  for (const filter of filters)
    expect([filter, await found(filter)]).toEqual([filter, await scanned(filter)]);
  const shapes: unknown = await told.mock.results[0]!.value;
  expect(shapes instanceof Map && shapes.get(segment!.id)).toHaveLength(segment!.shapes);
  told.mockRestore();
  // For a pattern that no variable can complete only whole messages are read.
  expect(await answer('message:/[a-f]{4}/ | count')).toMatchObject({ shape: 'count' });
});

it('so do patterns put together at random', async () => {
  const piece = fc.constantFrom(
    ...[
      'user',
      '\\d',
      'session ',
      '[0-4]',
      '.',
      '\\b',
      'ed',
      '日',
      ' ',
      'a',
      '(?:for|from)',
      '[^ ]',
      '^',
      '$',
      'app',
    ],
  );
  const pattern = fc
    .tuple(
      fc.array(piece, { minLength: 1, maxLength: 4 }),
      fc.constantFrom('', '+', '*', '{2}', '?'),
    )
    .map(([parts, sign]) => `${parts.slice(0, -1).join('')}(?:${parts.at(-1)})${sign}`);
  await fc.assert(
    fc.asyncProperty(pattern, fc.boolean(), async (one, ignoreCase) => {
      const filter = `message:/${one}/${ignoreCase ? 'i' : ''}`;
      const both = await Promise.all([
        answer(`${filter} | count`),
        answer(`${filter} | count`, 'scan'),
      ]);
      expect(both[0]).toEqual(both[1]);
    }),
    { numRuns: 25, seed: 11 },
  );
});

it.each([
  ['there are none', 'message:/close[d]$/', []],
  ['they cannot be read', 'message:/[c]losed$/', undefined],
])('where %s, messages are found as DuckDB puts them together', async (_, filter, shapes) => {
  const [segment] = session.snapshot().segments;
  const told = vi
    .spyOn(session.store, 'messageShapes')
    .mockImplementation(async () => new Map(shapes && [[segment!.id, shapes]]));
  expect(await answer(`${filter} | count`)).toEqual(await answer(`${filter} | count`, 'scan'));
  expect(told).toHaveBeenCalled();
  // Which the engine cannot do.
  await expect(answer('user13 | head 7')).rejects.toMatchObject({ code: 'case-damaged' });
  told.mockRestore();
});
