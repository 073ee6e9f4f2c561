/** A handed-over case contains what the case shows: once, completely, and updated by later runs. */
import { hash } from 'node:crypto';
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { evidence } from '../../../app/compose.ts';
import type { HandOverManifest, HandOverReport } from '../../contract/hand-over.ts';
import { BUILDER } from '../../ingest/testing/in-process.ts';
import { rfc3164 } from '../../ingest/testing/small-evidence.ts';
import { askQuery, type CaseSession } from '../../search/index.ts';
import { compactCase } from '../case/compact.ts';
import { deleteEvents, tagEvents } from '../marks/mark.ts';
import { runStatement } from '../sql/run-statement.ts';
import { smallCase, type SmallCase } from '../testing/small-case.ts';
import { variedCase } from '../testing/varied-case.ts';
import { checkHandOver } from './check.ts';
import { filesBelow, HandOverFolder, JOURNAL, readManifest } from './folder.ts';
import { handOver } from './hand-over.ts';

let small: SmallCase;
let other: SmallCase;
let folder = '';
beforeAll(async () => {
  small = await variedCase(evidence);
  other = await smallCase({ 'a.log': rfc3164(5) }, evidence);
});
afterAll(async () => {
  await small.dispose();
  await other.dispose();
});
beforeEach(() => {
  folder = join(mkdtempSync(join(small.root, 'to-')), 'handed-over');
});

const LIMITS = { memoryLimit: 3e8, threads: 2 };
const use = <T>(work: (session: CaseSession) => Promise<T>, of = small): Promise<T> =>
  of.services.cases.use(of.folder, work);

function give(
  how: { signal?: AbortSignal; place?: string; of?: SmallCase; onFile?: () => void } = {},
): Promise<HandOverReport> {
  return use(
    (session) =>
      handOver(session, {
        ...{ ...LIMITS, folder: how.place ?? folder, version: '1.2.3' },
        signal: how.signal ?? new AbortController().signal,
        report: async () => how.onFile?.(),
      }),
    how.of,
  );
}

const check = () =>
  checkHandOver(folder, { signal: new AbortController().signal, report: () => undefined });
const codes = async () => (await check()).findings.map(({ code, file }) => `${code} ${file}`);
const manifest = (): HandOverManifest => readManifest(folder)!;

/** Rows that a DuckDB without knowledge of Daybook reads. */
async function rows(sql: string): Promise<unknown[][]> {
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  try {
    const result = await connection.runAndReadAll(sql);
    return result.getRowsJson();
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}
const events = () =>
  `read_parquet('${folder}/events/*/*/*.parquet', hive_partitioning = true, hive_types = {'day': VARCHAR})`;

async function shown(): Promise<number> {
  return use(async (session) => {
    const answer = await (
      await askQuery(session, { text: 'kind:* | count', zone: 'UTC' })
    ).answer();
    return answer.shape === 'count' ? Number(answer.count) : Number.NaN;
  });
}

const DIGEST = `SELECT kind, day, count(*), sum(bytes)::VARCHAR, count(DISTINCT src_ip), count(DISTINCT message),
  bit_xor(hash(event_id, ts, ts_ns, src_ip, dst_ip, src_port, message, host, extractor, attributes))::VARCHAR`;

describe('a case that is handed over', () => {
  it('has every event that is shown, in files by kind and day, in order of time', async () => {
    const report = await give();
    expect(report.events).toBe(await shown());
    const handed = await rows(`${DIGEST} FROM ${events()} GROUP BY ALL ORDER BY ALL`);
    const inCase = await use(async (session) => {
      const found: unknown[][] = [];
      const statement = `${DIGEST} FROM events GROUP BY ALL ORDER BY ALL`;
      const signal = new AbortController().signal;
      for await (const part of runStatement(session, statement, { ...LIMITS, signal }))
        found.push(...part.rows.map((row) => row.map(String)));
      return found;
    });
    expect(handed.map((row) => row.map(String))).toEqual(inCase);
    const unsorted = await rows(
      `SELECT count(*) FROM (SELECT ts < lag(ts) OVER (PARTITION BY filename ORDER BY file_row_number) AS back FROM read_parquet('${folder}/events/*/*/*.parquet', filename = true, file_row_number = true)) WHERE back`,
    );
    expect(unsorted).toEqual([['0']]);
    expect((await check()).findings).toEqual([]);
  });

  it('says in its manifest what each file holds', async () => {
    await give();
    const { files, byKind, audit } = manifest();
    for (const { path, rows: n, sums, firstTs } of files) {
      if (!path.startsWith('events/')) continue;
      const [found] = await rows(
        `SELECT count(*), coalesce(sum(bytes), 0)::VARCHAR, coalesce(sum(seq), 0)::VARCHAR, epoch_us(min(ts)) FROM read_parquet('${join(folder, path)}')`,
      );
      expect(found).toEqual([
        String(n),
        sums!.bytes,
        sums!.seq,
        firstTs === undefined ? null : String(firstTs),
      ]);
    }
    expect(Object.keys(byKind).sort()).toEqual(['flow', 'log', 'other', 'packet']);
    const last = readFileSync(join(folder, 'audit/audit.jsonl'), 'utf8').trimEnd().split('\n');
    expect(last).toHaveLength(audit.entries);
    expect(last.at(-1)).toContain(audit.head);
  });

  it('has tags, notes and sources beside the events', async () => {
    await give();
    const tags = await rows(
      `SELECT tag, count(*), count(e.event_id) FROM '${folder}/tags/*.parquet' LEFT JOIN ${events()} AS e USING (event_id) GROUP BY tag ORDER BY tag`,
    );
    expect(tags.map(([tag]) => tag)).toEqual(["it's odd", 'root']);
    for (const [, n, there] of tags) expect(there).toBe(n);
    const notes = await rows(`SELECT event_id, text FROM '${folder}/notes/notes.jsonl'`);
    expect(notes).toEqual([['1:1', "a 'note'\nof two lines"]]);
    const sources = await rows(`SELECT count(*) FROM '${folder}/sources/sources.jsonl'`);
    expect(sources).toEqual([['5']]);
  });

  it('is kept in the audit log of the case by the hash of its manifest', async () => {
    const { sha256 } = await give();
    const entry = await use(async ({ catalog }) => catalog.audit.entries().at(-1));
    expect(entry).toMatchObject({ operation: 'hand-over', detail: { sha256, path: folder } });
    expect((await check()).sha256).toBe(sha256);
  });
});

describe('a second run', () => {
  it('writes only what is new: the audit log, which has the first', async () => {
    const first = await give();
    const second = await give();
    expect(second).toMatchObject({ written: 1, replaced: 1, removed: 0, kept: first.files - 1 });
    expect(second.events).toBe(first.events);
  });

  it('replaces what lost events, removes what is gone, and counts nothing twice', async () => {
    const changing = await variedCase(evidence);
    try {
      await give({ of: changing });
      const zone = 'UTC';
      await use(
        (session) => deleteEvents({ session, text: '192.0.2.11', zone, reason: 'a test' }),
        changing,
      );
      await use(
        (session) =>
          tagEvents({ session, text: '192.0.2.7', zone, name: "it's odd", remove: true }),
        changing,
      );
      const deleted = await give({ of: changing });
      expect(deleted.replaced).toBeGreaterThan(1);
      expect(await rows(`SELECT DISTINCT tag FROM '${folder}/tags/*.parquet'`)).toEqual([['root']]);
      await compactCase(changing.folder, BUILDER);
      const merged = await give({ of: changing });
      expect(merged.removed).toBeGreaterThan(0);
      expect(merged.events).toBe(deleted.events);
      expect(await rows(`SELECT count(*), count(DISTINCT event_id) FROM ${events()}`)).toEqual([
        [String(merged.events), String(merged.events)],
      ]);
      expect((await check()).findings).toEqual([]);
    } finally {
      await changing.dispose();
    }
  });

  it('goes on where one was cancelled', async () => {
    const controller = new AbortController();
    let files = 0;
    const cancelled = give({
      signal: controller.signal,
      onFile: () => {
        if (++files === 3) controller.abort();
      },
    });
    await expect(cancelled).rejects.toMatchObject({ code: 'cancelled' });
    expect(await codes()).toContain(`unfinished ${JOURNAL}`);
    const report = await give();
    expect(report.kept).toBe(3);
    expect((await check()).findings).toEqual([]);
  });

  it('writes again what the journal does not know, and takes away what was half written', async () => {
    await give();
    const [first, second] = manifest().files.map(({ path }) => path);
    renameSync(join(folder, 'manifest.json'), join(folder, '.manifest.json.partial'));
    writeFileSync(
      join(folder, JOURNAL),
      `{"format":"daybook-hand-over","case":${JSON.stringify(manifestOf())}}\n{"path":"eve`,
    );
    function manifestOf(): string {
      const text = readFileSync(join(folder, '.manifest.json.partial'), 'utf8');
      return (JSON.parse(text) as HandOverManifest).case.id;
    }
    const half = join(folder, second!.replace(/[^/]+$/, '.$&.partial'));
    writeFileSync(half, 'half');
    writeFileSync(join(folder, first!), 'torn');
    const report = await give();
    expect(report.kept).toBe(0);
    expect(existsSync(half)).toBe(false);
    expect((await check()).findings).toEqual([]);
  });
});

describe('a journal that was cut off in its first line', () => {
  const head = async (): Promise<string> => {
    await give();
    const { id } = manifest().case;
    rmSync(folder, { recursive: true });
    mkdirSync(folder);
    return JSON.stringify({ format: 'daybook-hand-over', case: id });
  };

  it.each([
    ['before it', () => ''],
    ['within it', (line: string) => line.slice(0, 30)],
    ['twice', (line: string) => `${line.slice(0, 30)}\n${line.slice(0, -1)}`],
  ])('%s is gone on with', async (_when, cut) => {
    writeFileSync(join(folder, JOURNAL), cut(await head()));
    expect(await codes()).toContain(`unfinished ${JOURNAL}`);
    await give();
    expect((await check()).findings).toEqual([]);
    expect(filesBelow(folder)).not.toContain(JOURNAL);
  });

  it('is somebody else’s where it says anything else', async () => {
    const line = await head();
    writeFileSync(join(folder, JOURNAL), `${line.slice(0, 30)}x`);
    await expect(give()).rejects.toThrow(/other files \(.hand-over.jsonl\)/);
    writeFileSync(join(folder, JOURNAL), line.slice(0, 30));
    writeFileSync(join(folder, 'theirs.txt'), 'theirs');
    await expect(give()).rejects.toThrow(/other files/);
    expect(readFileSync(join(folder, JOURNAL), 'utf8')).toBe(line.slice(0, 30));
  });
});

describe('what is in the way', () => {
  it('is refused where it is of somebody else', async () => {
    mkdirSync(folder);
    writeFileSync(join(folder, 'theirs.txt'), 'theirs');
    await expect(give()).rejects.toMatchObject({ code: 'usage' });
    expect(filesBelow(folder)).toEqual(['theirs.txt']);
  });

  it('is refused where it is of another case, or inside a case', async () => {
    await give({ of: other });
    await expect(give()).rejects.toThrow(/another case/);
    await expect(give({ place: join(small.folder, 'out') })).rejects.toThrow(/inside the case/);
    await expect(give({ place: small.folder })).rejects.toThrow(/is a case/);
  });

  it('is refused where it holds evidence of the case', async () => {
    await expect(give({ place: small.evidence })).rejects.toMatchObject({ code: 'usage' });
  });

  it('is refused where it is a link below the folder', async () => {
    await give();
    const elsewhere = join(small.root, 'elsewhere');
    renameSync(join(folder, 'tags'), elsewhere);
    symlinkSync(elsewhere, join(folder, 'tags'));
    const before = filesBelow(elsewhere);
    await use((session) =>
      tagEvents({ session, text: 'root', zone: 'UTC', name: 'linked', remove: false }),
    );
    await expect(give()).rejects.toThrow(/in the way/);
    expect(filesBelow(elsewhere)).toEqual(before);
    expect((await check()).ok).toBe(false);
  });

  it('is refused where the catalog names a place outside of the folder', async () => {
    await give();
    const taken = HandOverFolder.open(folder, manifest().case.id);
    try {
      for (const path of ['../x.parquet', 'events/kind=../day=2026-01-01/1.parquet', 'x'])
        await expect(
          taken.put(path, '0'.repeat(64), async () => ({ rows: 0 })),
        ).rejects.toMatchObject({ code: 'case-damaged' });
    } finally {
      taken.close();
    }
  });

  it('is refused while another writes to it', async () => {
    await give();
    const taken = HandOverFolder.open(folder, manifest().case.id);
    try {
      await expect(give()).rejects.toMatchObject({ code: 'case-locked' });
    } finally {
      taken.close();
    }
  });

  it('is left alone, and said, where it is beside the files', async () => {
    await give();
    writeFileSync(join(folder, 'events/more.parquet'), 'x');
    const { notes } = await give();
    expect(notes.join()).toContain('events/more.parquet');
    expect(existsSync(join(folder, 'events/more.parquet'))).toBe(true);
  });
});

describe('verifying a folder', () => {
  const change: Record<string, { break: () => void; found: () => string }> = {
    'a file that was changed': {
      break: () => {
        const file = join(folder, manifest().files[0]!.path);
        const bytes = readFileSync(file);
        bytes[bytes.length >>> 1]! ^= 1;
        writeFileSync(file, bytes);
      },
      found: () => `changed ${manifest().files[0]!.path}`,
    },
    'a file that grew': {
      break: () => appendFileSync(join(folder, 'notes/notes.jsonl'), '{}\n'),
      found: () => 'changed notes/notes.jsonl',
    },
    'a file that is missing': {
      break: () => rmSync(join(folder, 'sources/sources.jsonl')),
      found: () => 'missing sources/sources.jsonl',
    },
    'a file more': {
      break: () => writeFileSync(join(folder, 'events/kind=log/more.parquet'), ''),
      found: () => 'extra events/kind=log/more.parquet',
    },
    'a manifest whose sums were edited': {
      break: () => edit((text) => text.replace(/"events": \d+/, '"events": 1')),
      found: () => 'manifest manifest.json',
    },
    'a manifest that names another end of the audit log': {
      break: () => edit((text) => text.replace(/"head": "[0-9a-f]{4}/, '"head": "0000')),
      found: () => 'audit audit/audit.jsonl',
    },
    'a manifest that leads out of the folder': {
      break: () => edit((text) => text.replace('"notes/notes.jsonl"', '"../notes.jsonl"')),
      found: () => 'manifest manifest.json',
    },
  };
  function edit(how: (text: string) => string): void {
    const file = join(folder, 'manifest.json');
    const text = readFileSync(file, 'utf8');
    expect(how(text)).not.toBe(text);
    writeFileSync(file, how(text));
  }

  let given = '';
  beforeAll(async () => {
    given = join(small.root, 'given');
    await give({ place: given });
  });
  beforeEach(() => cpSync(given, folder, { recursive: true }));

  it.each(Object.keys(change))('finds %s', async (name) => {
    change[name]!.break();
    const { ok, findings } = await check();
    expect(ok).toBe(false);
    const found = findings.map(({ code, file }) => `${code} ${file}`);
    expect(found[0]).toBe(change[name]!.found());
    expect(found).toHaveLength(1);
  });

  it('finds an audit log that was rewritten with its hash in the manifest', async () => {
    const file = join(folder, 'audit/audit.jsonl');
    const before = readFileSync(file);
    const text = before.toString().replace('a test', 'no test');
    expect(text).not.toBe(before.toString());
    writeFileSync(file, text);
    const sha = (bytes: Uint8Array) => hash('sha256', bytes);
    edit((all) =>
      all.replace(`"bytes": ${before.length},\n   "sha256": "${sha(before)}"`, () => {
        const now = Buffer.from(text);
        return `"bytes": ${now.length},\n   "sha256": "${sha(now)}"`;
      }),
    );
    expect(await codes()).toEqual(['audit audit/audit.jsonl']);
  });
});
