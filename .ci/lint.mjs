/**
 * Types and lint of the engine or of the window, and lint of all that is plain JavaScript: the linter's rules ask
 * TypeScript for types, so both take one program of it, which is half of what each takes.
 *
 * `node .ci/lint.mjs [engine|window] …`; without a name both.
 */
import path from 'node:path';
import { ESLint } from 'eslint';
import ts from 'typescript';

const root = path.resolve(import.meta.dirname, '..');
const WINDOW = ['renderer/**/*.{ts,tsx}', '!renderer/vite.config.ts'];

/** What is linted is more than the program: a file that is in none is an error. */
const PARTS = {
  engine: { config: 'tsconfig.json', files: ['.'], ignorePatterns: WINDOW },
  window: {
    config: 'renderer/tsconfig.json',
    files: [WINDOW[0]],
    ignorePatterns: ['renderer/vite.config.ts'],
  },
};

/** The program that `tsc -p CONFIG` checks, with what the linter needs of it. */
function programOf(config) {
  const host = {
    ...ts.sys,
    onUnRecoverableConfigFileDiagnostic: (problem) => {
      throw new Error(ts.flattenDiagnosticMessageText(problem.messageText, '\n'));
    },
  };
  const { fileNames, options, errors, projectReferences } = ts.getParsedCommandLineOfConfigFile(
    path.join(root, config),
    {},
    host,
  );
  return ts.createProgram({
    ...{ rootNames: fileNames, options, projectReferences },
    host: ts.createCompilerHost(options, true),
    configFileParsingDiagnostics: errors,
  });
}

/** Prints what is wrong; returns how much. */
function types(program) {
  const problems = ts.getPreEmitDiagnostics(program);
  const place = {
    getCurrentDirectory: () => root,
    getCanonicalFileName: (name) => name,
    getNewLine: () => '\n',
  };
  process.stdout.write(ts.formatDiagnostics(ts.sortAndDeduplicateDiagnostics(problems), place));
  return problems.length;
}

async function lint(program, { files, ignorePatterns }) {
  const eslint = new ESLint({
    cwd: root,
    ignorePatterns,
    overrideConfig: {
      files: ['**/*.{ts,tsx}'],
      languageOptions: { parserOptions: { project: null, programs: [program] } },
    },
  });
  const results = await eslint.lintFiles(files);
  const text = await (await eslint.loadFormatter('stylish')).format(results);
  process.stdout.write(text);
  return results.reduce((sum, { errorCount, warningCount }) => sum + errorCount + warningCount, 0);
}

let problems = 0;
const named = process.argv.slice(2);
for (const name of named.length === 0 ? Object.keys(PARTS) : named) {
  const program = programOf(PARTS[name].config);
  problems += types(program) + (await lint(program, PARTS[name]));
}
process.exitCode = problems === 0 ? 0 : 1;
