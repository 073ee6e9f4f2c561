/** Cases whose segments are large enough for every index, with tags, deletions and attributes of every kind. */
import { mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { generateEvidence } from '../../fixtures/generate.ts';
import type { Asker } from './asker.ts';
import { daybook } from './command.ts';
import { jsonLines, moreEvidence } from './evidence.ts';
import { vocabularyOf, type Vocabulary } from './grammar.ts';

export interface LargeCase {
  readonly folder: string;
  readonly evidence: string;
}

const made = new Map<string, Promise<LargeCase>>();

/** The one of a size, below the folder of all attacks: `size` 1 has some 60,000 events, and so on. */
export function largeCase(attack: string, seed: number, size: number): Promise<LargeCase> {
  const folder = path.join(path.dirname(attack), `large-${size}`);
  const known = made.get(folder) ?? make(folder, seed, size);
  made.set(folder, known);
  return known;
}

async function make(folder: string, seed: number, size: number): Promise<LargeCase> {
  generateEvidence(folder, size, seed % 1000);
  const evidence = path.join(folder, 'evidence');
  mkdirSync(path.join(evidence, 'more'));
  for (const { name, bytes } of moreEvidence()) {
    const file = path.join(evidence, 'more', name);
    writeFileSync(file, bytes);
    utimesSync(file, 1_791_800_000, 1_791_800_000);
  }
  writeFileSync(path.join(evidence, 'more', 'requests.json'), jsonLines(size * 7000));
  const at = path.join(folder, 'large.daybook');
  // Something that cannot be read, so that there is a quarantine.
  const whole = '{"timestamp":"2026-10-12T08:00:00Z","message":"whole"}\n';
  writeFileSync(path.join(evidence, 'more', 'torn.json'), `${whole.repeat(40)}{"torn":\n{{{\n`);
  const run = async (...args: string[]): Promise<void> => {
    const { status, err } = await daybook(args);
    if (status !== (args[0] === 'import' ? 3 : 0)) throw new Error(`${args[0]} fails: ${err}`);
  };
  await run('import', at, evidence, '--recursive');
  // One segment for each day and kind.
  await run('compact', at);
  await run('tag', at, '"failed password"', 'guess');
  await run('tag', at, 'kind:* bytes:>2000', 'large');
  await run('delete', at, 'source:auth.log program:CRON', '--reason', 'torture');
  await run('delete', at, 'kind:packet dst_port:53', '--reason', 'torture');
  return { folder: at, evidence };
}

export async function vocabulary(asker: Asker): Promise<Vocabulary> {
  const rows: Record<string, unknown>[] = [];
  for (const text of [
    ...['kind:packet', 'kind:flow', 'kind:log'].map((kind) => `${kind} | head 150`),
    ...['kind:packet', 'kind:flow', 'kind:log'].map((kind) => `${kind} | tail 300`),
    ...['requests.json', 'dns.log', 'eve.json', 'fw01.log', 'access.log', 'auth.log.1'].map(
      (source) => `source:${source} | head 120`,
    ),
  ]) {
    const { answer, error } = await asker.ask({ text, limit: 500 });
    if (error !== undefined) throw new Error(`${text}: ${answer}`);
    rows.push(...(JSON.parse(answer) as Record<string, unknown>[]));
  }
  return vocabularyOf(rows, ['guess', 'large']);
}
