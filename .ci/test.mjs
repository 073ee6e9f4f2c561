/**
 * `npm test`: every check there is, in two lanes. One has the tests of the whole product, with their output as
 * it comes: they wait for windows and other processes half of their time. The other has the checks of the sources
 * and the tests beside them, which are never idle; each prints its output when it is done. Ends with one plain
 * line of counts: every test of vitest counts, and every other check counts as one.
 *
 * Exit status 0 only if nothing failed and tests really ran.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

const root = path.resolve(import.meta.dirname, '..');
const bin = (pkg, file) => path.join(root, 'node_modules', pkg, file);
const scratch = mkdtempSync(path.join(tmpdir(), 'daybook-test-'));

/** Exit status of a check with nothing to check; it says why. */
const SKIPPED = 77;
const total = { passed: 0, failed: 0, skipped: 0 };
const problems = [];
let ran = 0;

const env = {
  ...process.env,
  FORCE_COLOR: '0',
  NO_COLOR: '1',
  // As the product does. Otherwise every worker of an import strips the types of its sources again,
  // with WebAssembly: slower, and threads that come and go with it can bring V8 down (docs/adr/0009).
  NODE_COMPILE_CACHE: path.join(root, 'node_modules/.cache/code'),
};

/** Says how a program ended. */
function ended(title, started, { status, signal, error }) {
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  const how = error?.message ?? (signal ? `ended by ${signal}` : `exit status ${status}`);
  const outcome = status === 0 ? 'ok' : status === SKIPPED ? 'skipped' : how;
  console.log(`== ${title}: ${outcome}, ${seconds} s`);
}

/** Runs one program on this Node. Resolves to how it ended, and its output where that is a pipe. */
async function start(args, output) {
  const child = spawn(process.execPath, args, {
    cwd: root,
    stdio: ['ignore', output, output],
    env,
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text) => (said += text));
  }
  return new Promise((done) => {
    child.on('error', (error) => done({ status: null, signal: null, error, said }));
    child.on('close', (status, signal) => done({ status, signal, said }));
  });
}

/** Runs one program; its output is streamed. Resolves to its exit status. */
async function run(title, args) {
  console.log(`\n== ${title}`);
  const started = performance.now();
  const outcome = await start(args, 'inherit');
  ended(title, started, outcome);
  return outcome.status;
}

/** Runs one program; its output is printed when it has finished. Resolves to its exit status. */
async function runAside(title, args) {
  const started = performance.now();
  const outcome = await start(args, 'pipe');
  console.log(`\n== ${title}`);
  if (outcome.said !== '') console.log(outcome.said.trimEnd());
  ended(title, started, outcome);
  return outcome.status;
}

async function check(title, args) {
  const status = await runAside(title, args);
  if (status === 0) total.passed++;
  else if (status === SKIPPED) total.skipped++;
  else {
    total.failed++;
    problems.push(title);
  }
}

/** Runs projects of vitest by `run` or `runAside`, and adds the counts that they report. */
async function vitest(by, projects, workers) {
  const project = projects.join(' and ');
  const report = path.join(scratch, `${projects[0]}.json`);
  const status = await by(`${project} tests`, [
    bin('vitest', 'vitest.mjs'),
    'run',
    ...projects.map((name) => `--project=${name}`),
    '--reporter=default',
    '--reporter=json',
    `--outputFile.json=${report}`,
    `--maxWorkers=${workers}`,
  ]);
  let result;
  try {
    result = JSON.parse(readFileSync(report, 'utf8'));
  } catch (error) {
    total.failed++;
    problems.push(`${project} tests: no report (${error.message})`);
    return;
  }
  total.passed += result.numPassedTests;
  total.failed += result.numFailedTests;
  total.skipped += result.numPendingTests + (result.numTodoTests ?? 0);
  ran += result.numPassedTests + result.numFailedTests;
  if (result.numPassedTests + result.numFailedTests === 0) {
    total.failed++;
    problems.push(`${project} tests: no test ran`);
  } else if (status !== 0 && result.numFailedTests === 0) {
    // A file that does not load, or an error outside of every test.
    total.failed++;
    problems.push(`${project} tests: vitest failed outside of a test`);
  }
  const named = (...states) =>
    result.testResults.flatMap((file) =>
      file.assertionResults
        .filter((test) => states.includes(test.status))
        .map((test) => `${path.relative(root, file.name)}: ${test.fullName}`),
    );
  // A truncated log keeps its end, but loses the names of failed tests.
  problems.push(...named('failed'));
  const skipped = named('pending', 'skipped');
  if (skipped.length > 0) {
    console.log(`Skipped (the name says why):\n  ${skipped.slice(0, 40).join('\n  ')}`);
    if (skipped.length > 40) console.log(`  … and ${skipped.length - 40} more`);
  }
}

async function wholeProduct() {
  await Promise.all([
    // Provides the tools that the window's tests need; reports missing ones, and those tests skip with the reason.
    runAside('browser, display and Electron for the tests', ['.ci/provision.mjs']),
    // Tests start the built command line in about half the processor time that its sources take.
    check('command line, window and desktop shell build', ['app/build.ts']),
  ]);
  await vitest(run, ['e2e'], 3);
}

async function sources() {
  await check('format', [bin('prettier', 'bin/prettier.cjs'), '--check', '.']);
  await check('types and lint', [bin('oxlint', 'bin/oxlint')]);
  await check('import rules find what they forbid', ['.ci/check-imports.mjs', '--self-test']);
  await check('import rules', ['.ci/check-imports.mjs']);
  await check('module-level state: the check', ['.ci/check-state.mjs', '--self-test']);
  await check('module-level state', ['.ci/check-state.mjs']);
  await check('commit subjects: the check', ['.ci/check-commits.mjs', '--self-test']);
  await check('commit subjects', ['.ci/check-commits.mjs']);
  await vitest(runAside, ['unit', 'process'], 2);
}

try {
  console.log(`Node ${process.version} (${process.execPath})`);
  await Promise.all([wholeProduct(), sources()]);
} finally {
  rmSync(scratch, { recursive: true, force: true });
}

if (problems.length > 0) console.log(`\nFailed:\n  ${problems.join('\n  ')}`);
if (ran === 0 && total.failed === 0) {
  total.failed++;
  console.log('\nFailed: no test ran');
}
console.log(`\n${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped`);
process.exitCode = total.failed === 0 ? 0 : 1;
