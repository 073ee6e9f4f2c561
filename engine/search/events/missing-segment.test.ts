import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { evidence } from '../../../app/compose.ts';
import { importInProcess } from '../../ingest/testing/in-process.ts';
import { smallCase } from '../../operations/testing/small-case.ts';
import { startQuery } from '../query.ts';

/** A line of the `second`th second of a day of October 2026. */
const line = (day: number, second: number): string =>
  `<34>1 ${new Date(Date.UTC(2026, 9, day, 0, 0, second)).toISOString()} h app - - - event ${second}\n`;
const lines = (day: number, count: number): string =>
  Array.from({ length: count }, (_, second) => line(day, second)).join('');

it('ends a list at a missing segment, after events of a day in a segment of several', async () => {
  // The first day alone fills the first run of days; its segment has the second day, too.
  const small = await smallCase({ 'a.log': lines(11, 5000) + lines(12, 10) }, evidence);
  try {
    const later = join(small.root, 'b.log');
    writeFileSync(later, lines(12, 20));
    await importInProcess(small.folder, [later]);
    let given = 0;
    const reading = small.services.cases.use(small.folder, async (session) => {
      const { file } = session.snapshot().segments.at(-1)!;
      rmSync(join(small.folder, file));
      const query = { text: '*', zone: 'UTC', path: 'scan' } as const;
      for await (const { rows } of startQuery(session, query).rows()) given += rows.length;
    });
    await expect(reading).rejects.toThrow(/is missing/);
    expect(given).toBe(5000);
  } finally {
    await small.dispose();
  }
});
