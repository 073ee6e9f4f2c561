/**
 * Opens the cases whose folders are named in lines of JSON, one after the other: verifies each and reads everything
 * in it, as `daybook verify`, `query` and `sources` do, without a process for each.
 */
import { createInterface } from 'node:readline';
import { settings } from '../../app/settings.ts';
import { CaseSession, statusOf, shownRows, startQuery } from '../../engine/search/index.ts';
import { verifyCase } from '../../engine/operations/verify/verify-case.ts';
import { importers } from '../../importers/registry.ts';
import { walkFile } from '../../importers/shared/archives/walk.ts';
import { contentsOf, type Checked } from './command.ts';

const { queryMemory: memoryLimit, threads, importMemory } = settings(process.env);
/** Of each source; the attack imports few. */
const SAMPLE = 30;

async function check(folder: string): Promise<Checked> {
  const session = CaseSession.open(folder, { memoryLimit, threads });
  try {
    const report = await verifyCase(session, {
      ...{ repair: false, sample: SAMPLE, builder: { memoryLimit: importMemory, threads } },
      tools: {
        importers,
        walk: (path, name, temporary, limits) => walkFile(path, name, temporary, limits),
      },
    });
    const lines = await shown(session, 'kind:*');
    for (const { name } of session.snapshot().tags)
      lines.push(
        ...(await shown(session, `kind:* tag:"${name}" | fields event_id`)).map(
          (line) => `${name} ${line}`,
        ),
      );
    const sources = session
      .snapshot()
      .sources()
      .map((one) => ({
        ...one,
        ...{ source: one.name, sha256: one.rawSha256 ?? null, status: statusOf(one) },
      }));
    const { exitStatus, case: kept, evidence, sample, findings } = report;
    return {
      ...{ exitStatus, case: kept, evidence, sample, findings },
      contents: contentsOf(lines, sources),
    };
  } finally {
    await session.close();
  }
}

async function shown(session: CaseSession, text: string): Promise<string[]> {
  const running = startQuery(session, { text, zone: 'UTC' });
  const lines: string[] = [];
  for await (const records of shownRows(running, 'UTC'))
    for (const record of records) lines.push(JSON.stringify(record, bigintsAsText));
  return lines;
}

const bigintsAsText = (_: string, value: unknown): unknown =>
  typeof value === 'bigint' ? String(value) : value;

for await (const line of createInterface({ input: process.stdin })) {
  const folder = JSON.parse(line) as string;
  let answer: Checked | { refused: string };
  try {
    answer = await check(folder);
  } catch (error) {
    answer = { refused: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}
