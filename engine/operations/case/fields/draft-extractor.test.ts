/** A proposal fits the message it was made from, keeps earlier fields, and never replaces them by fewer. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { BUILDER, importInProcess } from '../../../ingest/testing/in-process.ts';
import { CaseSession } from '../../../search/session/case-session.ts';
import { shownRows, startQuery } from '../../../search/index.ts';
import { draftDocument, draftMessage, tryDraft } from './draft-extractor.ts';
import { addExtractor } from './own-extractors.ts';
import { refieldCase } from './refield.ts';

let home: string;
let folder: string;
beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), 'daybook-draft-'));
  folder = join(home, 'case');
  const lines = Array.from({ length: 40 }, (_, n) => {
    const time = new Date(Date.UTC(2026, 2, 4, 10, 0, n)).toISOString();
    return n % 2 === 0
      ? `${time} a sshd[${n}]: Accepted publickey for user${n} from 192.0.2.${n + 1} port ${2000 + n} ssh2: RSA SHA256:k${n}\n`
      : `${time} a gate: door ${n} of block-${n % 4}\n`;
  });
  writeFileSync(join(home, 'a.log'), lines.join(''));
  await importInProcess(folder, [join(home, 'a.log')]);
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const { signal } = new AbortController();

async function withCase<T>(work: (session: CaseSession) => Promise<T>): Promise<T> {
  const session = CaseSession.open(folder, { memoryLimit: 5e8, threads: 1 });
  try {
    return await work(session);
  } finally {
    await session.close();
  }
}

async function rows(session: CaseSession, text: string): Promise<Record<string, unknown>[]> {
  const running = startQuery(session, { text, zone: 'UTC', signal });
  const out: Record<string, unknown>[] = [];
  for await (const records of shownRows(running, 'UTC')) out.push(...records);
  return out;
}

async function firstOf(session: CaseSession, text: string): Promise<string> {
  const [row] = await rows(session, `${text} | sort ts | head 1`);
  return String(row?.['event_id']);
}

it('keeps the fields that an extractor of Daybook cuts out of the message', async () => {
  const document = await withCase(async (session) => {
    const event = await firstOf(session, 'program:sshd');
    const { message } = await draftMessage(session, event, signal);
    expect(message).toMatch(/^Accepted publickey/);
    const start = message.indexOf('k0');
    const request = { event, field: 'session', start, end: start + 2 };
    expect(await tryDraft(session, request, signal)).toMatchObject({
      ...{ name: 'own-sshd', version: 1, events: 20, isWhole: true, fits: 20 },
      template:
        'Accepted publickey for {user:word} from {src_ip} port {src_port} {:word}: RSA SHA256:{session:word}',
    });
    return (await draftDocument(session, request, signal)).document;
  });
  await addExtractor(folder, document, 'the window', BUILDER);
  await refieldCase({ folder, source: undefined, builder: BUILDER });
  await withCase(async (session) => {
    const [row] = await rows(session, 'program:sshd user:user4');
    expect(row).toMatchObject({
      ...{ user: 'user4', src_ip: '192.0.2.5', src_port: 2004, session: 'k4' },
      ...{ action: 'login', outcome: 'success', extractor: 'own-sshd/1' },
    });
  });
});

it('refuses no selection, a name that is none, and a template that leaves the field out', async () => {
  await withCase(async (session) => {
    const event = await firstOf(session, 'program:gate');
    const of = { event, field: 'rule', start: 0, end: 4 };
    await expect(tryDraft(session, { ...of, end: 0 }, signal)).rejects.toThrow('select the value');
    await expect(tryDraft(session, { ...of, end: 999 }, signal)).rejects.toThrow(
      'select the value',
    );
    await expect(tryDraft(session, { ...of, field: 'ts' }, signal)).rejects.toThrow(
      'ts is not a field',
    );
    const template = 'door {:number} of {:word}';
    await expect(draftDocument(session, { ...of, template }, signal)).rejects.toThrow(
      'does not find rule',
    );
    expect(await tryDraft(session, { ...of, template: 'wall {rule:word}' }, signal)).toMatchObject({
      ...{ events: 20, fits: 0, examples: [] },
    });
  });
});

it('adds a second field of the same message to the extractor of its program', async () => {
  const made = async (field: string, value: string): Promise<string> => {
    const { document } = await withCase(async (session) => {
      const event = await firstOf(session, 'program:gate');
      const { message } = await draftMessage(session, event, signal);
      const start = message.indexOf(value);
      return draftDocument(session, { event, field, start, end: start + value.length }, signal);
    });
    return document;
  };
  await addExtractor(folder, await made('rule', 'block-1'), 'the window', BUILDER);
  const { version } = await addExtractor(folder, await made('session', '1'), 'x', BUILDER);
  expect(version).toBe(2);
  await refieldCase({ folder, source: undefined, builder: BUILDER });
  await withCase(async (session) => {
    const found = await rows(session, 'program:gate rule:block-3 session:7');
    expect(found).toHaveLength(1);
  });
});
