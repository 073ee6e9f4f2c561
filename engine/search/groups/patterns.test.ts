/**
 * `patterns` counts from shapes of the text index where it can; the result always equals that of reading the rows.
 */
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { evidence } from '../../../app/compose.ts';
import { templateOf } from '../../util/templates.ts';
import type { CaseSession } from '../session/case-session.ts';
import { markHandlers } from '../../operations/marks/handlers.ts';
import { startQuery } from '../query.ts';
import { type SmallCase, smallCase } from '../../operations/testing/small-case.ts';

const DAY = 86_400_000;
const START = Date.UTC(2026, 2, 1);

/** Records of three days: `plain` ones, unique ones (`free`), and both. */
function message(n: number, day: number): string | undefined {
  const letters = (i: number): string =>
    [...String(i)].map((digit) => 'abcdefghij'[Number(digit)]).join('');
  if (day === 2) return n % 3 === 0 ? `only here ${letters(n)}` : `job ${n} done`;
  if (day === 1 && n % 20 === 0) return `${'long literal, '.repeat(200)}${n % 7} ${letters(n % 9)}`;
  switch (n % 11) {
    case 0:
      return undefined;
    case 1:
      return n % 22 === 1 ? '' : ' -- ';
    case 2:
      return `token ${'q'.repeat(63 + (n % 4))} and ${'é'.repeat(n % 3)}x`;
    case 3:
      return `naïve ${n % 2 === 0 ? 'user' : 'Üser'} \u0000 <*> ${'é'.repeat(40)}`;
    case 4:
      return `many ${`${n} `.repeat(day === 1 ? 300 : 3)}`;
    case 5:
      return 'always 42 the same';
    case 6:
      return `host${n}.example.org:443 [${letters(n % 5)}]`;
    default:
      return `Failed password for user${n % 13} from 10.0.${n % 256}.${n % 7} port ${n}`;
  }
}

const PER_DAY = 4000;
const LINES = Array.from({ length: 3 * PER_DAY }, (_, i) => {
  const day = Math.floor(i / PER_DAY);
  const n = i % PER_DAY;
  return {
    timestamp: new Date(START + day * DAY + Math.floor(n / 3) * 7000).toISOString(),
    message: message(n, day),
    host: `web${n % 3}`,
  };
});

let small: SmallCase;
let session: CaseSession;
let end: () => void;

beforeAll(async () => {
  const text = LINES.map((line) => JSON.stringify(line)).join('\n');
  small = await smallCase({ 'records.json': `${text}\n` }, evidence);
  const marks = markHandlers(small.services);
  await marks['delete.run'](
    {
      case: small.folder,
      reason: 'test',
      target: { view: { query: 'host:web1 failed 10.0.7.*', zone: 'UTC' } },
    },
    {
      signal: new AbortController().signal,
      client: { kept: new Map() },
      part: async () => undefined,
    },
  );
  await new Promise<void>((ready, failed) => {
    small.services.cases
      .use(small.folder, (opened) => {
        session = opened;
        ready();
        return new Promise<void>((resolve) => {
          end = resolve;
        });
      })
      .catch(failed);
  });
}, 60_000);
afterAll(async () => {
  end();
  await small.dispose();
});

async function ask(text: string, path?: 'scan') {
  const running = startQuery(session, { text, zone: 'UTC', path });
  const answer = await running.answer();
  return { answer, timings: running.timings() };
}

describe('patterns', () => {
  it('are counted without reading the rows', async () => {
    // Records without a message are not logs: they are in a segment without texts.
    const { answer, timings } = await ask('kind:log day:2026-03-01 NOT user7 | patterns 1 desc');
    expect(timings.path).toBe('index');
    expect(timings.rowsExamined).toBeLessThan(200);
    if (!('rows' in answer)) throw new Error(answer.shape);
    const wanted = LINES.slice(0, PER_DAY).flatMap(({ message: text = '', host }) => {
      const deleted = host === 'web1' && / 10\.0\.7\./.test(text);
      return text.startsWith('Failed') && !deleted && !/user7 /.test(text) ? [text] : [];
    });
    expect(answer.rows[0]).toMatchObject({
      count: wanted.length,
      template: templateOf(wanted[0]!),
    });
    expect(answer.rows).toHaveLength(1);
  });

  const QUERIES = [
    '| patterns 100000',
    '| patterns 7',
    '| patterns 3 desc',
    'failed | patterns',
    'host:web2 | patterns',
    'host:web2 NOT failed | patterns 20 desc',
    'NOT message:* | patterns',
    'ts:[2026-03-01T02 TO 2026-03-02T03:04:05] | patterns 9999',
    'day:2026-03-02 | patterns 9999',
    'only | patterns 5',
    '4* | patterns 50',
    '| patterns 9999 | where count > 100 | sort first, template',
    'failed | union (done) | patterns',
    '| head 2500 | patterns',
  ];
  it.each(QUERIES)('%s', async (query) => {
    const { answer } = await ask(query);
    expect(answer).toEqual((await ask(query, 'scan')).answer);
    if (!('rows' in answer)) throw new Error(answer.shape);
    expect(answer.rows.length).toBeGreaterThan(0);
  });

  it('without side files are the same', async () => {
    const query = 'NOT root | patterns 9999';
    const before = await ask(query);
    const days = join(small.folder, 'days');
    const files = readdirSync(days, { recursive: true, encoding: 'utf8' });
    const indexes = files.filter((name) => name.endsWith('.idx'));
    expect(indexes.length).toBeGreaterThan(0);
    session.indexes.close();
    for (const name of indexes) rmSync(join(days, name));
    const after = await ask(query);
    expect(after.answer).toEqual(before.answer);
    expect(after.timings.path).toBe('scan');
  });
});
