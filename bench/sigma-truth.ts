/**
 * `npm run sigma-truth`: Sigma rules asked of Windows event logs, against pySigma with SQLite
 * ($DAYBOOK_SHARED/data2/sigma-truth.tsv): each rule that was evaluated there as one query over all logs, events counted by
 * log. Prints what differs, and how many rules find the same. `--only TEXT` asks rules whose path has the text, and prints
 * their queries.
 */
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { load } from 'js-yaml';
import { importInProcess } from '../engine/ingest/testing/in-process.ts';
import { QueryError } from '../engine/query/syntax/query-error.ts';
import { startQuery } from '../engine/search/index.ts';
import { CaseSession } from '../engine/search/session/case-session.ts';
import { type SigmaRule, Untranslated, queryOfRule } from './sigma-rule.ts';

const USAGE = `Usage: npm run sigma-truth -- [--only TEXT]

Asks Sigma rules of Windows event logs and compares the events that they find with pySigma's
($DAYBOOK_SHARED/data2/sigma-truth.tsv).

  --only TEXT   ask rules whose path has TEXT, and print their queries`;

/** Cells of the rows of a table of the shared evidence. */
function cellsOf(file: string): string[][] {
  const [, ...lines] = readFileSync(file, 'utf8').trimEnd().split('\n');
  return lines.map((line) => line.split('\t'));
}

/** Matches by log, by rule. */
function matchesOf(data: string): Map<string, Map<string, number>> {
  const truth = new Map<string, Map<string, number>>();
  for (const [rule = '', , log = '', , computed = ''] of cellsOf(
    path.join(data, 'sigma-truth.tsv'),
  )) {
    const logs = truth.get(rule) ?? new Map<string, number>();
    if (computed !== '') logs.set(log, Number(computed));
    truth.set(rule, logs);
  }
  return truth;
}

async function count(session: CaseSession, query: string): Promise<Map<string, number>> {
  const text = `source:*.evtx ${query} | stats count() by source`;
  const answer = await startQuery(session, { text, zone: 'UTC' }).answer();
  const rows = 'rows' in answer ? answer.rows : [];
  return new Map(rows.map((row) => [`windows/${row['source'] as string}`, Number(row['count'])]));
}

/** Fields that no event has are an error: a condition on one is decided then. */
async function found(
  session: CaseSession,
  rule: SigmaRule,
): Promise<{ query: string; logs: Map<string, number> }> {
  const missing = new Set<string>();
  for (;;) {
    const query = queryOfRule(rule, missing);
    try {
      return { query, logs: await count(session, query) };
    } catch (error) {
      const name =
        error instanceof QueryError
          ? /^no event has a field "?(.+?)"? \(/.exec(error.message)?.[1]
          : undefined;
      if (name === undefined || missing.has(name.toLowerCase())) throw error;
      missing.add(name.toLowerCase());
    }
  }
}

const { values: asked } = parseArgs({
  options: { only: { type: 'string' }, help: { type: 'boolean', short: 'h' } },
});
const shared = process.env['DAYBOOK_SHARED'];
const data = path.join(shared ?? '', 'data2');
const rules =
  shared === undefined ? [] : globSync('**/*.yml', { cwd: path.join(data, 'rules/sigma') }).sort();
if (asked.help === true) console.log(USAGE);
else if (rules.length === 0)
  console.log('skipped: DAYBOOK_SHARED names no folder that has data2/rules/sigma');
else await compare();

async function compare(): Promise<void> {
  const truth = matchesOf(data);
  const evaluated = new Set(
    cellsOf(path.join(data, 'sigma-evaluated.tsv')).flatMap(([rule, status]) =>
      status === 'evaluated' ? [rule] : [],
    ),
  );
  const folder = mkdtempSync(path.join(tmpdir(), 'daybook-sigma-'));
  const given = path.join(folder, 'case');
  await importInProcess(given, [path.join(data, 'windows')], { recursive: true });
  const session = CaseSession.open(given, { memoryLimit: 2e9, threads: 2 });
  const counts = { same: 0, different: 0, untranslated: 0, notEvaluated: 0 };
  try {
    for (const name of rules) {
      if (asked.only !== undefined && !name.includes(asked.only)) continue;
      if (!evaluated.has(name)) {
        counts.notEvaluated++;
        continue;
      }
      const rule = load(readFileSync(path.join(data, 'rules/sigma', name), 'utf8')) as SigmaRule;
      try {
        const { query, logs } = await found(session, rule);
        if (asked.only !== undefined) console.log(query);
        const theirs = truth.get(name) ?? new Map<string, number>();
        const differences = [...new Set([...logs.keys(), ...theirs.keys()])]
          .map((log) => ({ log, ours: logs.get(log) ?? 0, theirs: theirs.get(log) ?? 0 }))
          .filter(({ ours, theirs }) => ours !== theirs);
        for (const { log, ours, theirs } of differences)
          console.log(`${name}: ${log}: ${ours}, pySigma ${theirs}`);
        counts[differences.length === 0 ? 'same' : 'different']++;
      } catch (error) {
        if (!(error instanceof Untranslated || error instanceof QueryError)) throw error;
        console.log(`${name}: ${error.message}`);
        counts.untranslated++;
      }
    }
  } finally {
    await session.close();
    rmSync(folder, { recursive: true, force: true });
  }
  console.log(
    `${counts.same} rules find the same, ${counts.different} do not; ${counts.untranslated} are not translated, ${counts.notEvaluated} were not evaluated`,
  );
}
