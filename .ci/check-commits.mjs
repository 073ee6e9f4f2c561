/**
 * Checks the subjects of commits: `area: imperative`, at most 72 characters. Commits made before the rule
 * are left alone. A shallow clone is checked as far as it goes; without git, or outside of a clone, the check
 * is skipped and says so (exit status 77).
 *
 * `--self-test` checks the check: on subjects good and bad, in a clone, a shallow clone and a plain folder.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const SKIPPED = 77;
const MOST = 72;
/** When the last commit whose subject has another form was made. */
const SINCE = Date.parse('2026-11-23T20:33:37Z') / 1000;
/** Verbs that end as other forms do. */
const VERBS = /^(?:bring|embed|exceed|feed|need|proceed|seed|shed|speed|spread|focus|bias|alias)$/;

/** The fault of a subject; undefined: none. */
function problem(subject) {
  const length = [...subject].length;
  if (length > MOST) return `${length} characters, ${MOST} at most`;
  const [, verb] = /^[a-z][a-z0-9 ,/-]*: ([a-z][a-z0-9'-]*)(?:[ ,]|$)/.exec(subject) ?? [];
  if (verb === undefined)
    return '"area: imperative" in lower case, such as "query: explain prefixes"';
  if (/(?:ed|ing|[^s]s)$/.test(verb) && !VERBS.test(verb))
    return `"${verb}" is no imperative: say what the commit does, such as "fix", not "fixed" or "fixes"`;
  return undefined;
}

/** @returns {{skipped: string} | {problems: string[], checked: number, isShallow: boolean}} */
function check(folder, since = SINCE, env = process.env) {
  const git = (...args) =>
    spawnSync('git', args, { cwd: folder, encoding: 'utf8', env, maxBuffer: 1 << 28 });
  const top = git('rev-parse', '--show-toplevel');
  if (top.error !== undefined) return { skipped: `git cannot be run (${top.error.code})` };
  // A folder of sources inside another project's clone has no history of its own.
  if (top.status !== 0 || realpathSync(top.stdout.trim()) !== realpathSync(folder))
    return { skipped: 'this folder is no clone of its own, or git refuses it' };
  const log = git('log', '--no-merges', '--format=%h%x09%ct%x09%s');
  if (log.status !== 0) return { skipped: 'no commits' };
  const commits = log.stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => line.split('\t'))
    .filter(([, time]) => Number(time) >= since);
  const problems = commits.flatMap(([hash, , ...subject]) => {
    const text = subject.join('\t');
    const wrong = problem(text);
    return wrong === undefined ? [] : [`${hash} ${text}\n    ${wrong}`];
  });
  const isShallow = git('rev-parse', '--is-shallow-repository').stdout.trim() === 'true';
  return { problems, checked: commits.length, isShallow };
}

/** [subject, whether it is good]. */
const SUBJECTS = [
  ['query: explain prefixes', true],
  ['query: explain, print and name prefixes', true],
  ['importers, docs: read nfdump pipes', true],
  ['tests: bring', true],
  ['store: process rows', true],
  [`query: ${'a'.repeat(MOST - 7)}`, true],
  [`query: ${'a'.repeat(MOST - 6)}`, false],
  ['explain prefixes', false],
  ['Query: explain prefixes', false],
  ['query: Explain prefixes', false],
  ['query: explained prefixes', false],
  ['query: explaining prefixes', false],
  ['query: explains prefixes', false],
  ['query:', false],
];

function selfTest() {
  const wrong = SUBJECTS.filter(
    ([subject, isGood]) => (problem(subject) === undefined) !== isGood,
  ).map(([subject, isGood]) => `${isGood ? 'refused' : 'let pass'}: ${subject}`);
  const expect = (title, found, wanted) => {
    if (JSON.stringify(found) !== JSON.stringify(wanted))
      wrong.push(`${title}: ${JSON.stringify(found)}, not ${JSON.stringify(wanted)}`);
  };
  const scratch = mkdtempSync(path.join(tmpdir(), 'daybook-commits-'));
  try {
    const outcome = (folder, env) => {
      const { problems, ...more } = check(folder, 0, env);
      return problems === undefined ? more : { ...more, problems: problems.length };
    };
    const plain = path.join(scratch, 'plain');
    mkdirSync(plain);
    const bounded = { ...process.env, GIT_CEILING_DIRECTORIES: scratch };
    expect('a plain folder', outcome(plain, bounded), {
      skipped: 'this folder is no clone of its own, or git refuses it',
    });
    expect('no git', outcome(plain, { PATH: plain }), { skipped: 'git cannot be run (ENOENT)' });
    const clone = path.join(scratch, 'clone');
    const author = [
      '-c',
      'user.name=Test',
      '-c',
      'user.email=test@example.org',
      '-c',
      'commit.gpgsign=false',
    ];
    const git = (...args) => spawnSync('git', [...author, ...args], { encoding: 'utf8' });
    if (git('init', '-q', clone).error === undefined) {
      for (const [subject] of SUBJECTS)
        git('-C', clone, 'commit', '-q', '--allow-empty', '-m', subject);
      const bad = SUBJECTS.filter(([, isGood]) => !isGood).length;
      expect('a clone', outcome(clone), {
        ...{ checked: SUBJECTS.length, isShallow: false },
        problems: bad,
      });
      const shallow = path.join(scratch, 'shallow');
      git('clone', '-q', '--depth=2', pathToFileURL(clone).href, shallow);
      expect('a shallow clone', outcome(shallow), { checked: 2, isShallow: true, problems: 2 });
    }
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
  for (const line of wrong) console.error(line);
  if (wrong.length === 0) console.log(`${SUBJECTS.length} subjects judged as they should be`);
  return wrong.length === 0 ? 0 : 1;
}

function main() {
  if (process.argv.includes('--self-test')) return selfTest();
  const found = check(path.resolve(import.meta.dirname, '..'));
  if ('skipped' in found) {
    console.log(`Commit subjects are not checked: ${found.skipped}.`);
    return SKIPPED;
  }
  for (const line of found.problems) console.error(line);
  const { checked, isShallow, problems } = found;
  console.log(
    `${checked} commits${isShallow ? ' (shallow clone)' : ''}, ${problems.length} with a wrong subject`,
  );
  return problems.length === 0 ? 0 : 1;
}

process.exitCode = main();
