/**
 * Checks that no module keeps state between calls but those that docs/architecture.md lists, "Module-level state".
 *
 * State is a variable of a module that a function assigns, an object of a module whose members a function assigns, or
 * a collection of a module that a function changes by a method. Two things are not looked at: typed arrays, which are
 * scratch memory of hot loops, and the place where a pattern begins to look, which is set before each use.
 *
 * `--self-test` checks the check itself, on small sources.
 */
import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';

const root = path.resolve(import.meta.dirname, '..');
const PRODUCT = ['engine', 'importers', 'renderer', 'app'];
const CHANGES = new Set(['add', 'clear', 'delete', 'pop', 'push', 'set', 'shift', 'take']);

/** @returns names of the variables of a module that functions change */
function stateOf(file, text) {
  const tree = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const variables = new Set();
  for (const statement of tree.statements)
    if (ts.isVariableStatement(statement))
      for (const { name, initializer } of statement.declarationList.declarations)
        if (ts.isIdentifier(name) && !isTypedArray(initializer)) variables.add(name.text);
  const changed = new Set();
  /** The variable of the module that an expression names or is a member of, unless a function has one of that name. */
  const named = (node, hidden) => {
    if (ts.isPropertyAccessExpression(node) || ts.isElementAccessExpression(node))
      return node.name?.text === 'lastIndex' ? undefined : named(node.expression, hidden);
    return ts.isIdentifier(node) && variables.has(node.text) && !hidden.has(node.text)
      ? node.text
      : undefined;
  };
  const visit = (node, inside, hidden) => {
    if (ts.isFunctionLike(node)) {
      inside = true;
      hidden = new Set([...hidden, ...namesWithin(node)]);
    }
    const assigned =
      ts.isBinaryExpression(node) &&
      node.operatorToken.kind >= ts.SyntaxKind.FirstAssignment &&
      node.operatorToken.kind <= ts.SyntaxKind.LastAssignment
        ? node.left
        : (ts.isPrefixUnaryExpression(node) || ts.isPostfixUnaryExpression(node)) &&
            (node.operator === ts.SyntaxKind.PlusPlusToken ||
              node.operator === ts.SyntaxKind.MinusMinusToken)
          ? node.operand
          : ts.isCallExpression(node) &&
              ts.isPropertyAccessExpression(node.expression) &&
              CHANGES.has(node.expression.name.text)
            ? node.expression.expression
            : undefined;
    const name = inside && assigned !== undefined ? named(assigned, hidden) : undefined;
    if (name !== undefined) changed.add(name);
    ts.forEachChild(node, (child) => visit(child, inside, hidden));
  };
  visit(tree, false, new Set());
  return [...changed];
}

function isTypedArray(node) {
  return (
    node && ts.isNewExpression(node) && /^(Big)?(Ui|I|Flo)\w+Array$/.test(node.expression.getText())
  );
}

/** Names that a function declares: parameters and variables, without those of nested functions. */
function namesWithin(fn) {
  const names = [];
  const add = (name) => {
    if (ts.isIdentifier(name)) names.push(name.text);
    else for (const element of name.elements) if (element.name) add(element.name);
  };
  const visit = (node) => {
    if (ts.isParameter(node) || ts.isVariableDeclaration(node)) add(node.name);
    if (node === fn || !ts.isFunctionLike(node)) ts.forEachChild(node, visit);
  };
  visit(fn);
  return names;
}

function check() {
  const page = readFileSync(path.join(root, 'docs/architecture.md'), 'utf8');
  const [section] = /(?<=^## Module-level state\n)[^]*?(?=^## )/m.exec(page) ?? [''];
  const listed = new Set(
    section
      .split('\n')
      .filter((line) => line.startsWith('|'))
      .flatMap((line) => [...line.matchAll(/`([\w./-]+[.]tsx?)`/g)].map(([, file]) => file)),
  );
  const problems = [];
  for (const top of PRODUCT)
    for (const entry of readdirSync(path.join(root, top), {
      recursive: true,
      withFileTypes: true,
    })) {
      const file = path.relative(root, path.join(entry.parentPath, entry.name));
      if (!/[.]tsx?$/.test(file) || /[.](test|bench)[.]|\/(testing|dist|node_modules)\//.test(file))
        continue;
      const state = stateOf(file, readFileSync(path.join(root, file), 'utf8'));
      if (state.length > 0 && !listed.delete(file))
        problems.push(
          `${file}: ${state.join(', ')}: state that docs/architecture.md does not list`,
        );
    }
  for (const file of listed)
    problems.push(`${file}: docs/architecture.md lists state that it has not`);
  for (const problem of problems) console.error(problem);
  return problems.length === 0 ? 0 : 1;
}

function selfTest() {
  const cases = [
    ['let n = 0; export function next() { return ++n; }', ['n']],
    ['let made: X | undefined; const get = () => (made ??= make());', ['made']],
    ['const known = new Map(); function put(k) { known.set(k, 1); }', ['known']],
    ['const known = new Map(); for (const k of KEYS) known.set(k, 1);', []],
    ['const last = { at: 0 }; function find(at) { last.at = at; }', ['last']],
    ['const all = [[]]; function put(k, v) { all[0][k] = v; }', ['all']],
    ['const P = /x/g; function f(s) { P.lastIndex = 0; return P.exec(s); }', []],
    ['const last = { at: 0 }; function find(last) { last.at = 1; }', []],
    ['let n = 0; n = 1; export const m = n;', []],
    ['const out = []; function f() { const out = []; out.push(1); return out; }', []],
    ['const out = []; function f(out) { return () => out.push(1); }', []],
    ['const scratch = new Uint8Array(4); function f(b) { scratch.set(b); }', []],
  ];
  const wrong = cases.filter(([text, names]) => stateOf('x.ts', text).join() !== names.join());
  for (const [text] of wrong) console.error(`judged wrong: ${text}`);
  if (wrong.length === 0) console.log(`module-level state: ${cases.length} samples judged right`);
  return wrong.length === 0 ? 0 : 1;
}

process.exitCode = process.argv.includes('--self-test') ? selfTest() : check();
