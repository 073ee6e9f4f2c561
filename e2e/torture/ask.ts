/**
 * Holds one case open and answers the questions of an `Asker`: a line of JSON each, on standard input. As
 * `daybook query` does, but for the printing.
 */
import { createInterface } from 'node:readline';
import { settings } from '../../app/settings.ts';
import { DaybookError } from '../../engine/contract/errors.ts';
import { resolveZone } from '../../engine/contract/zone.ts';
import { countOf } from '../../engine/operations/answer-records.ts';
import { CaseSession, shownRows, startQuery } from '../../engine/search/index.ts';
import { requestRange } from '../../engine/operations/request-range.ts';
import type { Answered, Question, SegmentSize } from './asker.ts';

const { queryMemory, threads } = settings(process.env);
const options = { memoryLimit: queryMemory, threads };
let opened: CaseSession | undefined;
const session = (): CaseSession => (opened ??= CaseSession.open(process.argv[2]!, options));

async function ask(question: Question): Promise<Answered> {
  const zone = resolveZone(question.zone ?? 'UTC').name;
  const { from, to } = requestRange(question.from, question.to, zone);
  const { list, text, path, limit } = question;
  const given =
    list === undefined
      ? undefined
      : { bytes: Buffer.from(list.text), name: 'list', fields: list.fields };
  const running = startQuery(session(), { text, from, to, list: given, zone, limit, path });
  const { shape } = running.plan;
  if (shape !== 'rows') {
    const answer = countOf(running, await running.answer());
    const rows =
      'rows' in answer ? answer.rows.length : 'count' in answer ? Number(answer.count) : 1;
    return { answer: comparable(answer), shape, rows, path: running.timings().path };
  }
  const rows: unknown[] = [];
  for await (const records of shownRows(running, zone)) rows.push(...records);
  return { answer: comparable(rows), shape, rows: rows.length, path: running.timings().path };
}

/** What can be compared; columns in whatever order, as a row's names decide. */
function comparable(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) =>
    typeof part === 'bigint'
      ? String(part)
      : typeof part === 'object' && part !== null && !Array.isArray(part)
        ? Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : 1)))
        : part,
  );
}

function refusal(error: unknown): Answered {
  const code = error instanceof DaybookError ? error.code : 'unexpected';
  const message = error instanceof Error ? error.message : String(error);
  const hint = error instanceof DaybookError ? (error.hint ?? '') : '';
  return { answer: `${code}: ${message} ${hint}`, error: code, rows: 0 };
}

function segments(): SegmentSize[] {
  return session()
    .snapshot()
    .segments.map((one) => ({
      ...{ kind: one.kind, rows: one.rows },
      sideFile: one.index !== undefined,
    }));
}

for await (const line of createInterface({ input: process.stdin })) {
  const question = JSON.parse(line) as Question | 'segments' | 'tags';
  let answer: Answered | SegmentSize[] | string[];
  try {
    if (question === 'segments') answer = segments();
    else if (question === 'tags')
      answer = session()
        .snapshot()
        .tags.map(({ name }) => name);
    else answer = await ask(question);
  } catch (error) {
    answer = refusal(error);
  }
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}
await opened?.close();
