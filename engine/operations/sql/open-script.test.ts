/** With the script, DuckDB sees of a case what Daybook shows. */
import { readdirSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { evidence } from '../../../app/compose.ts';
import { askQuery, type CaseSession, shownRows } from '../../search/index.ts';
import { TYPED_COLUMNS } from '../../store/export/typed-events.ts';
import type { OpenValue } from '../../store/reading/open-statement.ts';
import type { SmallCase } from '../testing/small-case.ts';
import { variedCase } from '../testing/varied-case.ts';
import { runStatement } from './run-statement.ts';
import { auditScript, writeScript } from './write-script.ts';

let small: SmallCase;
beforeAll(async () => {
  small = await variedCase(evidence);
});
afterAll(() => small.dispose());

const LIMITS = { memoryLimit: 3e8, threads: 2 };
const use = <T>(work: (session: CaseSession) => Promise<T>): Promise<T> =>
  small.services.cases.use(small.folder, work);

async function sql(text: string, signal = new AbortController().signal) {
  return use(async (session) => {
    const records: Record<string, OpenValue>[] = [];
    for await (const { names, rows } of runStatement(session, text, { ...LIMITS, signal }))
      for (const row of rows)
        records.push(Object.fromEntries(names.map((name, i) => [name, row[i] ?? null])));
    return records;
  });
}

/** Rows as the product shows them, by the event's id. */
function shown(): Promise<Map<string, Record<string, unknown>>> {
  return use(async (session) => {
    const out = new Map<string, Record<string, unknown>>();
    const running = await askQuery(session, { text: 'kind:*', zone: 'UTC' });
    for await (const records of shownRows(running, 'UTC'))
      for (const record of records) out.set(String(record['event_id']), record);
    return out;
  });
}

describe('the script of a case', () => {
  it('shows every event that is shown, with the same texts, numbers and attributes', async () => {
    const events = await sql('SELECT * FROM events');
    const expected = await shown();
    expect(events.map(({ event_id: id }) => id).sort()).toEqual([...expected.keys()].sort());
    const same = ['kind', 'src_ip', 'dst_ip', 'src_port', 'message', 'host', 'program', 'bytes'];
    for (const event of events) {
      const record = expected.get(String(event['event_id']))!;
      for (const name of same) expect(event[name], name).toEqual(record[name] ?? null);
      expect(event['attributes']).toEqual(record['attrs'] ?? {});
      const day = typeof record['ts'] === 'string' ? record['ts'].slice(0, 10) : 'undated';
      expect(event['day']).toBe(day);
    }
    expect(events.some(({ src_ip: ip }) => String(ip).includes('::'))).toBe(true);
    expect(events.some(({ day }) => day === 'undated')).toBe(true);
  });

  it('has the same columns for every case, as the schema lists them', async () => {
    const columns = await sql('DESCRIBE events');
    expect(columns.map((one) => [one['column_name'], one['column_type']])).toEqual([
      ...[
        ['kind', 'VARCHAR'],
        ['day', 'VARCHAR'],
      ],
      ...TYPED_COLUMNS.map(({ name, type }) => [name, type]),
    ]);
  });

  it('shows times with their nanoseconds', async () => {
    const [found] = await sql("SELECT ts, ts_ns, ts_digits FROM events WHERE src_ip = '::1'");
    expect(found).toEqual({ ts: '2026-03-03 10:00:02.123456', ts_ns: 200, ts_digits: 7 });
  });

  it('shows tags, notes and sources, joined by ids', async () => {
    const tags = await sql(
      'SELECT tag, count(*) AS n, count(e.event_id) AS there FROM tags LEFT JOIN events AS e USING (event_id) GROUP BY tag ORDER BY tag',
    );
    const counts = await use(async (session) => {
      const count = async (text: string) => {
        const running = await askQuery(session, { text: `${text} | count`, zone: 'UTC' });
        const answer = await running.answer();
        return answer.shape === 'count' ? Number(answer.count) : undefined;
      };
      return [await count('kind:* tag:"it\'s odd"'), await count('kind:* tag:root')];
    });
    expect(tags).toEqual([
      { tag: "it's odd", n: counts[0], there: counts[0] },
      { tag: 'root', n: counts[1], there: counts[1] },
    ]);
    expect(counts[0]).toBeGreaterThan(0);
    const notes = await sql('SELECT text FROM notes JOIN events USING (event_id)');
    expect(notes).toEqual([{ text: "a 'note'\nof two lines" }]);
    const sources = await sql(
      'SELECT s.name, count(e.event_id) > 0 AS used, any_value(s.read) AS n FROM sources AS s LEFT JOIN events AS e USING (source_id) GROUP BY ALL ORDER BY ALL',
    );
    expect(sources.map(({ name, used }) => [name, used])).toEqual(
      ['a.log', 'b.log', 'c.json', 'd.pcap', 'e.csv'].map((name) => [name, true]),
    );
  });

  it('shows texts with zero bytes, which would end a statement', async () => {
    const text = "before\0'after'";
    await use(async (session) => {
      session.catalog.transaction(() => session.catalog.notes.set({ sourceId: 1, seq: 2 }, text));
    });
    const notes = await sql("SELECT text, length(text) AS n FROM notes WHERE event_id = '1:2'");
    expect(notes).toEqual([{ text, n: text.length }]);
  });

  it('is kept in the audit log by its hash when it is given out', async () => {
    const entry = await use(async (session) => {
      const written = await writeScript(session, '1.2.3', async () => undefined);
      auditScript(session, written, 'case.sql');
      return { written, entry: session.catalog.audit.entries().at(-1) };
    });
    expect(entry.entry).toMatchObject({ operation: 'sql', detail: entry.written });
  });
});

describe('a statement over a case', () => {
  it.each([
    ["COPY events TO 'x.parquet'", /found another kind of statement|disabled/],
    ['CREATE TABLE t AS SELECT 1', /another kind/],
    ['SELECT 1; SELECT 2', /2 statements/],
    ['', /no statement/],
    ["SELECT * FROM read_text('/etc/hostname')", /disabled by configuration/],
    ["ATTACH 'x.duckdb'", /another kind|disabled/],
    ['SET threads = 1', /another kind/],
    ['EXPLAIN ANALYZE DELETE FROM daybook_deleted', /another kind/],
    ['SELECT nothing FROM events', /not found in FROM clause/],
    ['SELEC 1', /syntax error/],
  ])('is refused: %s', async (text, message) => {
    const refused = sql(text);
    await expect(refused).rejects.toMatchObject({ code: 'usage' });
    await expect(refused).rejects.toThrow(message);
  });

  it('can be cancelled', async () => {
    const controller = new AbortController();
    const running = sql(
      'SELECT count(*) FROM range(100000) AS a, range(10000000) AS b WHERE hash(a.range, b.range) = 1',
      controller.signal,
    );
    controller.abort();
    await expect(running).rejects.toMatchObject({ code: 'cancelled' });
  });

  it('leaves no folder behind', async () => {
    const staging = await use(async ({ folder }) => {
      return readdirSync(`${folder}/staging`).filter((name) => name.startsWith('spill-'));
    });
    // That of the open case itself.
    expect(staging.length).toBeLessThan(2);
  });
});
