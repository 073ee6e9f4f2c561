/**
 * Holds one case open and answers the questions of an `Asker`: a line of JSON each, on standard input. Answers as
 * `daybook query` does, without the printing, or as a window's engine does.
 */
import { createInterface } from 'node:readline';
import { engineServices } from '../../app/engine/services.ts';
import { settings } from '../../app/settings.ts';
import { Connection, OperationError } from '../../engine/contract/wire/client.ts';
import { DaybookError } from '../../engine/contract/errors.ts';
import { resolveZone } from '../../engine/contract/time/zone.ts';
import { EngineHost } from '../../engine/host.ts';
import { memoryPipe } from '../../engine/testing/memory-pipe.ts';
import { countOf } from '../../engine/operations/query/answer-records.ts';
import { makeHandlers } from '../../engine/operations/handlers.ts';
import { CaseSession, shownRows, startQuery } from '../../engine/search/index.ts';
import { translateQuery } from '../../engine/operations/sql/clickhouse-query.ts';
import { requestRange } from '../../engine/operations/query/request-range.ts';
import type { Answered, Question, SegmentSize } from './asker.ts';
import { askAsWindow } from './views.ts';

const { queryMemory, threads } = settings(process.env);
const options = { memoryLimit: queryMemory, threads };
let opened: CaseSession | undefined;
const session = (): CaseSession => (opened ??= CaseSession.open(process.argv[2]!, options));

/** An engine in addition, for questions of windows. */
let window: { engine: Connection; close(): Promise<void> } | undefined;
function engine(): Connection {
  if (window !== undefined) return window.engine;
  const { services, product } = engineServices(process.env);
  const log = (text: string) => void process.stderr.write(`${text}\n`);
  const host = new EngineHost(makeHandlers(services, product), { version: product.version, log });
  const [ours, theirs] = memoryPipe();
  const connection = new Connection(ours);
  host.connect(theirs);
  const close = async () => {
    await host.close();
    await services.cases.close();
  };
  window = { engine: connection, close };
  return connection;
}

async function ask(question: Question): Promise<Answered> {
  const zone = resolveZone(question.zone ?? 'UTC').name;
  const { from, to } = requestRange(question.from, question.to, zone);
  const { list, text, path, limit, translate } = question;
  const given =
    list === undefined
      ? undefined
      : { bytes: Buffer.from(list.text), name: 'list', fields: list.fields };
  const lookups = new Map(
    Object.entries(question.lookups ?? {}).map(([name, file]) => [
      name,
      { name, bytes: Buffer.from(file), sha256: '' },
    ]),
  );
  const asked = { text, zone, from, to, list: given, lookups };
  if (translate !== undefined) {
    const { sql } = await translateQuery(session(), { ...asked, database: translate });
    return { answer: sql, rows: 0 };
  }
  if (question.view !== undefined) {
    const view = {
      ...{ case: process.argv[2]!, query: text, from, to, zone, path },
      ...(list === undefined
        ? {}
        : {
            list: { bytes: Uint8Array.from(Buffer.from(list.text)), fields: list.fields?.slice() },
          }),
    };
    const { answer, found, path: way } = await askAsWindow(engine(), view, question.view);
    return { answer: comparable(answer), shape: question.view.of, rows: found, path: way };
  }
  const running = startQuery(session(), { ...asked, limit, path });
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

/** The comparable part; columns in any order, as a row's names identify them. */
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
  if (error instanceof OperationError && error.info.code !== 'internal') {
    const { code, message, hint = '' } = error.info;
    return { answer: `${code}: ${message} ${hint}`, error: code, rows: 0 };
  }
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
await window?.close();
