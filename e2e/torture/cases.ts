/** Cases to be questioned: with tags, deletions and attributes of every kind, and files large enough for every index. */
import { mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { generateEvidence } from '../../fixtures/generate.ts';
import type { Asker } from './asker.ts';
import { daybook } from './command.ts';
import { jsonLines, moreEvidence, sampleOfFiles } from './evidence.ts';
import { vocabularyOf, type Vocabulary } from './grammar.ts';

export interface QuestionedCase {
  readonly name: string;
  readonly folder: string;
  readonly evidence: string;
  /** Sources that can be scanned for comparison with the case, which has all of their events. */
  readonly scanned: readonly string[];
  /** Whether all rows of its segments are events of the case. */
  readonly isWhole: boolean;
}

/**
 * Side files for small segments, too, and rollups merged from few segments: so that they answer most questions, and
 * all of them can be damaged.
 */
const EAGER = { DAYBOOK_INDEX_ROWS: '1', DAYBOOK_NODE_PARTS: '2' };
const MODIFIED = 1_791_800_000;
/** Real files whose beginnings make a case. */
const MOST_REAL = 60;

const made = new Map<string, Promise<QuestionedCase>>();

/** A case that attacks share, made once below the folder of all attacks. */
function shared(
  attack: string,
  name: string,
  make: (folder: string) => Promise<QuestionedCase>,
): Promise<QuestionedCase> {
  const folder = path.join(path.dirname(attack), name);
  const known = made.get(folder) ?? make(folder);
  made.set(folder, known);
  return known;
}

/** The mixed one of a size: `size` 1 has some 16,000 events, 2 has 130,000, and so on. */
export function mixedCase(attack: string, seed: number, size: number): Promise<QuestionedCase> {
  return shared(attack, `mixed-${size}`, (folder) => makeMixed(folder, seed, size));
}

async function makeMixed(folder: string, seed: number, size: number): Promise<QuestionedCase> {
  // Answers of indexes do not depend on the number of rows (`EAGER`); the plain case has large segments.
  generateEvidence(folder, size === 1 ? 0.08 : size, seed % 1000);
  const evidence = path.join(folder, 'evidence');
  const more = path.join(evidence, 'more');
  mkdirSync(more);
  for (const { name, bytes } of moreEvidence()) write(path.join(more, name), bytes);
  write(path.join(more, 'requests.json'), jsonLines(size === 1 ? 1500 : size * 7000));
  // An unreadable record, so that there is a quarantine.
  const whole = '{"timestamp":"2026-10-12T08:00:00Z","message":"whole"}\n';
  write(path.join(more, 'torn.json'), `${whole.repeat(40)}{"torn":\n{{{\n`);
  const at = path.join(folder, 'mixed.daybook');
  await run(EAGER, 'import', at, evidence, '--recursive');
  // One segment for each day and kind.
  await run(EAGER, 'compact', at);
  await run(EAGER, 'tag', at, '"failed password"', 'guess');
  await run(EAGER, 'tag', at, 'kind:* bytes:>2000', 'large');
  await run(EAGER, 'delete', at, 'source:auth.log program:CRON', '--reason', 'torture');
  await run(EAGER, 'delete', at, 'kind:packet dst_port:53', '--reason', 'torture');
  const scanned = ['syslog/fw01.log', 'flows/conn.log'];
  return { name: 'mixed', folder: at, evidence, scanned, isWhole: false };
}

/** As left by an import, with the usual side files and nothing deleted or merged. */
async function makePlain(folder: string, seed: number, size: number): Promise<QuestionedCase> {
  generateEvidence(folder, size === 1 ? 1 : size * 2, (seed + 1) % 1000);
  const evidence = path.join(folder, 'evidence');
  write(path.join(evidence, 'requests.json'), jsonLines(size * 8000));
  const at = path.join(folder, 'plain.daybook');
  await run({}, 'import', at, evidence, '--recursive');
  const scanned = ['syslog/auth.log.1', 'flows/border.csv', 'requests.json'];
  return { name: 'plain', folder: at, evidence, scanned, isWhole: true };
}

/** From the beginnings of real files, if there are any. */
async function makeReal(folder: string, real: string): Promise<QuestionedCase> {
  const evidence = path.join(folder, 'evidence');
  mkdirSync(evidence, { recursive: true });
  for (const [n, { name, bytes }] of sampleOfFiles(real, MOST_REAL).entries())
    write(path.join(evidence, `${n}-${name.replace(/[^\w.-]/g, '_').slice(-60)}`), bytes);
  const at = path.join(folder, 'real.daybook');
  await run(EAGER, 'import', at, evidence, '--recursive');
  return { name: 'real', folder: at, evidence, scanned: [], isWhole: true };
}

/** All cases; with `size` 1 none of real files. */
export async function questionedCases(
  attack: string,
  seed: number,
  size: number,
): Promise<QuestionedCase[]> {
  const cases = [
    await mixedCase(attack, seed, size),
    await shared(attack, `plain-${size}`, (folder) => makePlain(folder, seed, size)),
  ];
  const real = process.env['DAYBOOK_SHARED'];
  if (size > 1 && real !== undefined)
    cases.push(await shared(attack, 'real', (folder) => makeReal(folder, real)));
  return cases;
}

function write(file: string, bytes: string | Uint8Array): void {
  writeFileSync(file, bytes);
  utimesSync(file, MODIFIED, MODIFIED);
}

async function run(env: NodeJS.ProcessEnv, ...args: string[]): Promise<void> {
  const { status, err } = await daybook(args, env);
  // Real files are cut, and some of them cannot be read.
  const done = args[0] === 'import' ? [0, 1, 3] : [0];
  if (status === null || !done.includes(status)) throw new Error(`${args[0]} fails: ${err}`);
}

/** The values in the rows of a case, or of one of its sources. */
export async function vocabulary(asker: Asker, source?: string): Promise<Vocabulary> {
  const rows: Record<string, unknown>[] = [];
  const ask = async (text: string): Promise<void> => {
    const { answer, error } = await asker.ask({ text, limit: 500 });
    if (error !== undefined) throw new Error(`${text}: ${answer}`);
    rows.push(...(JSON.parse(answer) as Record<string, unknown>[]));
  };
  if (source === undefined) {
    for (const kind of ['kind:packet', 'kind:flow', 'kind:log'])
      for (const stage of ['head 150', 'tail 300']) await ask(`${kind} | ${stage}`);
    // A row or two of each source, and more of a few.
    await ask('kind:* | dedup source');
    await ask('kind:log attributes:* | head 300');
    await ask('kind:log attributes:* | tail 300');
  } else {
    await ask(`source:${source} kind:* | head 200`);
    await ask(`source:${source} kind:* | tail 200`);
  }
  return vocabularyOf(rows, source === undefined ? await asker.tags() : []);
}
