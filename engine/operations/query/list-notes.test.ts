/** What a list of events says beside them. */
import { expect, it } from 'vitest';
import { evidence } from '../../../app/compose.ts';
import { called } from '../testing/called.ts';
import { smallCase } from '../testing/small-case.ts';
import { queryHandlers } from './handlers.ts';

it('says nothing of fields that the list shows and the query does not name', async () => {
  // More names than have columns: others may be among the rest.
  const many = Array.from({ length: 300 }, (_, i) => [`n${i}`, `v${i}`]);
  const record = JSON.stringify({ ts: 1_790_000_000, ...Object.fromEntries(many) });
  const made = await smallCase({ 'wide.json': `${record}\n` }, evidence);
  try {
    const handlers = queryHandlers(made.services);
    const open = async (query: string): Promise<readonly string[]> => {
      const request = { case: made.folder, query, fields: ['ts', 'attrs.nowhere'] };
      return (await called(handlers, 'result.open', request)).result.notes;
    };
    expect(await open('')).toEqual([]);
    expect(await open('attrs.elsewhere:x')).toEqual([
      expect.stringMatching(/^"elsewhere": in no column/),
    ]);
  } finally {
    await made.dispose();
  }
});
