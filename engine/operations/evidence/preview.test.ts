/** A preview shows what an import stores: the same events, decisions and wording. */
import { appendFileSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { evidence } from '../../../app/compose.ts';
import { journalOf } from '../../../importers/journal/testing/build.ts';
import { cell, columnOf, rowOf } from '../../contract/wire/column-batch.ts';
import type { SourceRow } from '../../catalog/tables/sources.ts';
import {
  importInProcess,
  WORKER_TOOLS,
  rowsOf,
  threadInProcess,
} from '../../ingest/testing/in-process.ts';
import {
  eveJson,
  nfdumpCsv,
  pcapngOf,
  pcapOf,
  rfc3164,
  rfc5424,
  smallEvidence,
  zeekConn,
} from '../../ingest/testing/small-evidence.ts';
import { runPreviewWorker } from '../../ingest/preview/preview.ts';
import type { FromPreviewWorker, ToPreviewWorker } from '../../ingest/preview/preview-protocol.ts';
import type { ImportOptions } from '../../ingest/worker/protocol.ts';
import { nameOf } from '../../query/filters/names.ts';
import { formatIp4, formatIp6, uuidToIp6 } from '../../query/values/address.ts';
import { Catalog } from '../../catalog/catalog.ts';
import { importOptions } from './import-items.ts';
import { previewEvidence, type Preview } from './preview.ts';

let root: string;
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'daybook-preview-test-'));
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

function put(folder: string, files: Readonly<Record<string, string | Uint8Array>>): string {
  const path = join(root, folder);
  mkdirSync(path, { recursive: true });
  for (const [name, content] of Object.entries(files)) writeFileSync(join(path, name), content);
  return path;
}

/** Runs in this process what the thread runs: each thread would load the modules again. */
const inProcess: typeof evidence = {
  ...evidence,
  startPreviewWorker: () =>
    threadInProcess<ToPreviewWorker, FromPreviewWorker>((port) =>
      runPreviewWorker(port, WORKER_TOOLS),
    ),
};

async function look(
  paths: readonly string[],
  options: Partial<ImportOptions> = {},
  how: { case?: string; most?: number; signal?: AbortSignal; inThread?: boolean } = {},
) {
  const previews: Preview[] = [];
  let sources: SourceRow[] = [];
  if (how.case !== undefined) {
    const catalog = Catalog.open(how.case);
    sources = catalog.sources.all();
    catalog.close();
  }
  const result = await previewEvidence(how.inThread === true ? evidence : inProcess, {
    ...{ paths, recursive: true, options: importOptions(options), sources },
    signal: how.signal ?? new AbortController().signal,
    onPreview: async (preview) => void previews.push(preview),
    ...(how.most === undefined ? {} : { most: how.most }),
  });
  return { previews, result };
}

const importInto = (folder: string, path: string, options: Partial<ImportOptions> = {}) =>
  importInProcess(folder, [path], { options: { year: undefined, ...options } });

const KEPT_BESIDE = new Set(
  'seq source_id ts_ns ts_digits ts_basis tz_offset flow_id offset length record_key'.split(' '),
);

/** The first events of a source in a case, in stored order. */
async function stored(folder: string, source: string, limit: number) {
  const catalog = Catalog.open(folder);
  const { id } = catalog.sources.all().find(({ name }) => name === source)!;
  catalog.close();
  const rows = await rowsOf(
    folder,
    `SELECT to_json(e)::VARCHAR FROM events e WHERE source_id = ${id}
     ORDER BY seq < 0, abs(seq) LIMIT ${limit}`,
  );
  return rows.map(([json]) => {
    const out: Record<string, unknown> = {};
    for (const [name, value] of Object.entries(JSON.parse(String(json)) as object)) {
      if (value === null || KEPT_BESIDE.has(name)) continue;
      if (name === 'ts') out['ts'] = micros(String(value));
      else if (name.endsWith('_ip4')) out[name.slice(0, -1)] = formatIp4(Number(value));
      else if (name.endsWith('_ip6')) out[name.slice(0, -1)] = formatIp6(uuidToIp6(String(value)));
      else if (name === 'proto' || name === 'severity' || name === 'facility')
        out[name] = nameOf(name, Number(value));
      else if (name === 'attrs')
        for (const [key, one] of Object.entries(JSON.parse(String(value)) as object))
          out[`attrs.${key}`] = one as unknown;
      else out[name.startsWith('a:') ? `attrs.${name.slice(2)}` : name] = value as unknown;
    }
    return out;
  });
}

function micros(text: string): number {
  const [whole, fraction = ''] = text.split('.');
  return Date.parse(`${whole!.replace(' ', 'T')}Z`) * 1000 + Number(fraction.padEnd(6, '0'));
}

/** It begins with a table as large as those of systemd. */
function journal(entries: number): Uint8Array {
  const built = Array.from({ length: entries }, (_, i) => ({
    realtime: 1_790_000_000_000_000 + i,
    fields: ['_HOSTNAME=host1', 'SYSLOG_IDENTIFIER=sshd', `MESSAGE=entry ${i}`],
  }));
  return journalOf(built, { tableBytes: 3 << 20 }).bytes;
}

describe('shows the first events that an import stores', () => {
  const table =
    'When,Source,Target,Port,Note\n' +
    Array.from(
      { length: 50 },
      (_, n) =>
        `2026-03-04 10:${String(n).padStart(2, '0')}:00,10.0.0.${n},192.0.2.7,443,"n ${n}"\n`,
    ).join('');
  it.each<[string, string | Uint8Array]>([
    ['many.pcap', pcapOf(3000)],
    ['many.pcapng', pcapngOf(500)],
    ['years.log', rfc3164(40_000)],
    ['zones.log', rfc5424(1000)],
    ['rows.nfdump', nfdumpCsv(700)],
    ['conn.zeek', zeekConn(900)],
    ['eve.json', eveJson(301)],
    ['own.csv', table],
    ['utf16.csv', Buffer.from(`\ufeff${table}`, 'utf16le')],
    ['lines.log.gz', gzipSync(rfc5424(30_000))],
    [
      'wide.json',
      `${JSON.stringify(Object.fromEntries(Array.from({ length: 280 }, (_, n) => [`k${n}`, `v${n}`])))}\n`,
    ],
    ['system.journal', journal(30)],
    ['.bash_history', '#1700000000\nls -la\ncd /\n'.repeat(15)],
    ...smallEvidence().map(({ name, bytes }): [string, Uint8Array] => [name, bytes]),
  ])('%s', async (name, content) => {
    const path = join(put(`same-${name}`, { [name]: content }), name);
    const options = { year: 2026, timeZone: 'Europe/Berlin' };
    const { previews } = await look([path], options);
    const folder = join(root, `${name}.daybook`);
    const report = await importInto(folder, path, options);
    expect(previews.map(({ source }) => source)).toEqual(report.sources.map((one) => one.source));
    for (const [i, { source, records, decisions, notes, ...preview }] of previews.entries()) {
      expect(records.rows).toBeGreaterThan(0);
      const said = report.sources[i]!;
      const want = await stored(folder, source, records.rows);
      expect(Array.from({ length: records.rows }, (_, row) => rowOf(records, row))).toEqual(want);
      expect(records.rows, 'of all there are').toBe(
        Math.min(
          20,
          Object.values(said.byKind).reduce((sum, n) => sum + n, 0),
        ),
      );
      expect(records.columns.slice(0, 2).map((column) => column.name)).toEqual(['ts', 'kind']);
      expect({ format: preview.format, dialect: preview.dialect, decisions, notes }).toEqual({
        ...{ format: said.format, dialect: said.dialect },
        ...{ decisions: said.decisions, notes: said.notes },
      });
      expect(preview.problem).toBeUndefined();
    }
  });
});

describe('what it asks for', () => {
  it.each<[string, string, Partial<Record<'zone' | 'year' | 'dateOrder' | 'mapping', boolean>>]>([
    ['orders.log', '03/04/2021 08:00:00 a\n', { zone: true, dateOrder: true }],
    ['years.log', rfc3164(3), { zone: true, year: true, mapping: false }],
    ['zones.log', rfc5424(3), { zone: false, year: false, mapping: false }],
    ['conn.zeek', zeekConn(3), { zone: false, year: false, mapping: false }],
    ['rows.nfdump', nfdumpCsv(3), { zone: true, year: false, mapping: false }],
    ['own.csv', 'A,B,C\n1,x,10.0.0.1\n2,y,10.0.0.2\n', { zone: false, year: false, mapping: true }],
  ])('%s', async (name, content, asks) => {
    const { previews } = await look([join(put('asks', { [name]: content }), name)]);
    expect(previews[0]!.asks).toEqual({
      ...{ zone: false, year: false, dateOrder: false, mapping: false },
      ...asks,
    });
  });

  it('takes the decisions that are given', async () => {
    const folder = put('given', { 'a.log': rfc3164(3) });
    const tell = async (options: Partial<ImportOptions>) => {
      const [preview] = (await look([folder], options)).previews;
      return { ts: cell(columnOf(preview!.records, 'ts')!, 0), ...preview!.decisions };
    };
    expect(await tell({ year: 2024, timeZone: '+02:00' })).toEqual({
      ...{ ts: Date.UTC(2024, 2, 4, 8) * 1000, year: 2024, tz: '+02:00' },
      ...{ yearBasis: 'given', tzBasis: 'given' },
    });
    utimesSync(join(folder, 'a.log'), new Date(), new Date('2019-06-01T00:00:00Z'));
    expect(await tell({})).toEqual({
      ...{ ts: Date.UTC(2019, 2, 4, 10) * 1000, year: 2019, tz: 'UTC' },
      yearBasis: "guessed from the file's date of 2019-06-01",
      tzBasis: 'guessed: the records state none',
    });
  });

  it('a table: its columns, values of them, the guess, and another mapping', async () => {
    const rows = Array.from({ length: 9 }, (_, n) => `10.0.0.${n},,192.0.2.7,${1760000000 + n}\n`);
    const path = join(
      put('table', { 'own.csv': `Src IP,Leer,Dst IP,When\n${rows.join('')}` }),
      'own.csv',
    );
    const [guessed] = (await look([path])).previews;
    expect(guessed!.table).toMatchObject({
      columns: [
        { name: 'Src IP', samples: ['10.0.0.0', '10.0.0.1', '10.0.0.2', '10.0.0.3', '10.0.0.4'] },
        { name: 'Leer', samples: [] },
        { name: 'Dst IP' },
        { name: 'When' },
      ],
      mapping: { src_ip: 'Src IP', dst_ip: 'Dst IP', ts: 'When' },
    });
    expect(guessed!.table!.fields).toContain('dst_port');
    expect(guessed!.table!.fields.every((field) => evidence.isMappable(field))).toBe(true);
    const mapping = { src_ip: 'Dst IP', 'attrs.from': 'Src IP' };
    const [mapped] = (await look([path], { mapping })).previews;
    expect(mapped!.table!.mapping).toEqual(mapping);
    expect(rowOf(mapped!.records, 0)).toMatchObject({
      ...{ src_ip: '192.0.2.7', 'attrs.from': '10.0.0.0' },
    });
  });

  it('a dialect that is known: its meanings, for whoever wants others', async () => {
    const [preview] = (await look([put('dialect', { 'a.csv': nfdumpCsv(2) })])).previews;
    expect(preview!.asks.mapping).toBe(false);
    expect(preview!.table!.mapping).toMatchObject({ src_ip: 'sa', dst_port: 'dp', ts: 'ts' });
    expect(preview!.table!.columns.find(({ name }) => name === 'sa')!.samples).toEqual([
      '10.0.0.0',
      '10.0.0.1',
    ]);
  });

  it('the year of a rotated set runs on from its newer file', async () => {
    const folder = put('rotated', {
      'auth.log.1': 'Dec 30 10:00:00 h a: old\nDec 31 10:00:00 h a: old\n',
      'auth.log': 'Jan  1 10:00:00 h a: new\n',
    });
    for (const name of ['auth.log', 'auth.log.1'])
      utimesSync(join(folder, name), new Date(), new Date('2026-06-01T00:00:00Z'));
    const { previews } = await look([folder]);
    expect(previews.map(({ source, decisions }) => [source, decisions.year])).toEqual([
      ['auth.log.1', 2025],
      ['auth.log', 2026],
    ]);
  });
});

describe('bad and hostile evidence', () => {
  it('says what an import says, in the place of each source', async () => {
    const folder = put('bad', {
      'a-empty.log': '',
      'b-noise.bin': Buffer.from(Array.from({ length: 5000 }, (_, n) => (n * 7919) & 255)),
      'c-cut.gz': gzipSync(rfc5424(50_000)).subarray(0, 2000),
      'd-bad.gz': Buffer.from('1f8b0800000000000003ffffffffffffff', 'hex'),
      'e-cut.pcap': pcapOf(3).subarray(0, -7),
    });
    const { previews } = await look([folder, join(root, 'none.log')]);
    const report = await importInto(join(root, 'bad.daybook'), folder);
    const told = new Map(previews.map((preview) => [preview.source, preview]));
    expect(told.get('none.log')!.problem).toMatch(/no such file/);
    for (const { source, message, status, notes } of report.sources) {
      // What was read of it is shown, with the reason why it ends; the position is known after an import.
      if (status === 'partial' || status === 'damaged')
        expect(told.get(source)!.notes.join(), source).toMatch(/cut off|damaged|ends at offset/);
      else if (status !== 'complete') expect(told.get(source)!.problem, source).toBe(message);
      else expect(told.get(source)!.notes, source).toEqual(notes);
    }
    expect(told.get('a-empty.log')!.problem).toBe('empty');
    expect(told.get('c-cut.gz')!.records.rows).toBe(20);
  });

  it('lists what would be quarantined and skipped', async () => {
    const text = zeekConn(5)
      .replace(/^.*Cabc1\t.*$/m, 'no row')
      .replace(/^.*Cabc3\t.*$/m, '');
    const [preview] = (await look([put('rows', { 'a.zeek': text })])).previews;
    expect(preview!.quarantined).toEqual([
      { offset: text.indexOf('no row'), reason: 'row has fewer cells than there are columns' },
    ]);
    expect(preview!.skippedReasons).toEqual({ 'blank line': 1 });
    expect(preview!.records.rows).toBe(3);
  });

  it('cuts long cells, many attributes and many columns', async () => {
    const wide = Object.fromEntries(
      Array.from({ length: 3000 }, (_, n) => [`key${n}`, 'ä'.repeat(900)]),
    );
    const folder = put('long', {
      'a.log': `<38>1 2026-03-04T10:00:00Z h app - - - ${'ü'.repeat(100_000)}\n`,
      'b.json': `${JSON.stringify({ ts: 1, 'id.orig_h': '10.0.0.1', ...wide })}\n`.repeat(3),
    });
    const { previews } = await look([folder]);
    expect(previews.length).toBe(2);
    for (const { records } of previews) {
      expect(records.columns.length).toBeLessThanOrEqual(300);
      for (const column of records.columns) {
        if (column.type !== 'text') continue;
        expect(column.bytes.length).toBeLessThan(records.rows * 1100);
        expect(String(cell(column, 0))).not.toContain('\ufffd');
      }
    }
    expect(String(cell(columnOf(previews[0]!.records, 'message')!, 0))).toMatch(/^ü{512}…$/);
  });

  it('says which lines a source shares with another one, of the list or of the case', async () => {
    const lines = (from: number, to: number) =>
      Array.from({ length: to - from }, (_, k) => {
        const n = from + k;
        return `2026-01-05T00:${String(Math.floor(n / 60)).padStart(2, '0')}:${String(n % 60).padStart(2, '0')}Z host app[7]: message ${n}\n`;
      }).join('');
    const folder = put('shared-lines', {
      'a.log': lines(0, 100),
      'b.log.gz': gzipSync(lines(60, 200)),
      'c.log': lines(200, 300),
    });
    const among = (await look([folder])).previews.map(({ notes }) => notes.join());
    expect(among[0]).not.toContain('lines are also in');
    expect(among[1]).toContain('40 of its first 140 lines are also in a.log');
    expect(among[2]).not.toContain('lines are also in');
  });

  it('takes no lines that records of indented JSON share for a copy', async () => {
    const json = (from: number, to: number) =>
      JSON.stringify(
        Array.from({ length: to - from }, (_, i) => ({
          ts: new Date(Date.UTC(2026, 0, 5) + (from + i) * 1000).toISOString(),
          ...Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`flag_${n}`, 0])),
          src_ip: `192.0.2.${(from + i) % 250}`,
        })),
        undefined,
        2,
      );
    const folder = put('shared-json', {
      'a.json': json(0, 200),
      'b.json': json(5000, 5200),
      'c.json': json(20, 220),
    });
    const { previews } = await look([folder]);
    expect(previews.map(({ records }) => records.rows)).toEqual([20, 20, 20]);
    const among = previews.map(({ notes }) => notes.join());
    expect(among[1]).not.toContain('are also in a.json');
    expect(among[2]).toContain('lines are also in a.json');
  });

  it('a source in which there is nothing to see ends soon', async () => {
    const folder = put('endless', {
      'a.zeek': zeekConn(0) + 'no row\n'.repeat(3_000_000),
      'b.log': '\n'.repeat(20_000_000),
      'c.json': `[${'['.repeat(5_000_000)}`,
    });
    const { previews } = await look([folder]);
    expect(previews.find(({ source }) => source === 'a.zeek')!.quarantined.length).toBe(20);
  });

  it('ends at the number of sources it may look at, and says how many are left', async () => {
    const files = Object.fromEntries(
      Array.from({ length: 9 }, (_, n) => [`${n}.log`, rfc5424(n + 1)]),
    );
    const { previews, result } = await look([put('many', files)], {}, { most: 4, inThread: true });
    expect(previews.length).toBe(4);
    expect(result).toMatchObject({ sources: 4, left: 5 });
    const bytes = Object.values(files).reduce((sum, text) => sum + Buffer.byteLength(text), 0);
    expect(result.bytes).toBe(bytes);
  });

  it('can be cancelled', async () => {
    const controller = new AbortController();
    const folder = put('cancelled', { 'a.log': rfc5424(5), 'b.log': rfc5424(6) });
    const going = look([folder], {}, { signal: controller.signal, inThread: true });
    controller.abort();
    await expect(going).rejects.toMatchObject({ code: 'cancelled' });
  });
});

describe('sources that the case has', () => {
  it('are told by their content, not by their name', async () => {
    const log = rfc5424(100);
    const folder = put('have', { 'a.log': log });
    const path = join(root, 'have.daybook');
    await importInto(path, folder);
    const again = put('again', {
      'same-content.log': log,
      'same-size.log': log.replace(/.\n$/, 'x\n'),
      'longer.log': `${log}more\n`,
    });
    const { previews } = await look([again], {}, { case: path });
    expect(previews.map(({ source, already }) => [source, already?.name])).toEqual([
      ['longer.log', undefined],
      ['same-content.log', 'a.log'],
      ['same-size.log', undefined],
    ]);
    appendFileSync(join(again, 'same-content.log'), 'x');
    const changed = await look([join(again, 'same-content.log')], {}, { case: path });
    expect(changed.previews[0]!.already).toBeUndefined();
  });
});
