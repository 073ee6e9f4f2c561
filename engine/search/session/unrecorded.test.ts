import { expect, it } from 'vitest';
import { evidence } from '../../../app/compose.ts';
import { rfc5424 } from '../../ingest/testing/small-evidence.ts';
import { Stopwatch } from '../../measure/operation-log.ts';
import { smallCase } from '../../operations/testing/small-case.ts';
import { CaseSession } from './case-session.ts';

it('counts operations that the latency log could not take, with the reason', async () => {
  const small = await smallCase({ 'a.log': rfc5424(3) }, evidence);
  const session = CaseSession.open(small.folder, { memoryLimit: 512 << 20, threads: 1 });
  try {
    session.record(new Stopwatch('query.run'), 'done', 'first');
    session.writeRecords();
    expect(session.unrecorded).toBeUndefined();
    expect(session.catalog.operations.all().at(-1)?.text).toBe('first');

    session.catalog.close();
    session.record(new Stopwatch('query.run'), 'done', 'second');
    session.record(new Stopwatch('query.run'), 'done', 'third');
    session.writeRecords();
    session.writeRecords();
    expect(session.unrecorded).toEqual({
      operations: 2,
      reason: expect.stringMatching(/not open/) as string,
    });
  } finally {
    await session.close();
    await small.dispose();
  }
});
