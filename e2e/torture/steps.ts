/**
 * Loaded with `node --import` into a command that is to be killed: before each change of a file and each statement
 * that changes the catalog it asks the attack, over two pipes, whether to continue. So a kill comes exactly between
 * two steps, however busy the machine is. The product knows nothing of it.
 */
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import Database from 'better-sqlite3';
import { ANSWERS, ASKED, STEPS, type Step } from './step-names.ts';

const { readSync, writeSync } = fs;
const answer = Buffer.alloc(1);

/** Any thread may take the answer to another's question: each is the same. */
function ask(step: Step): void {
  writeSync(ASKED, Buffer.of(STEPS.indexOf(step)));
  readSync(ANSWERS, answer, 0, 1, null);
}

function stopBefore(
  object: object,
  name: string,
  stepOf: (self: unknown, args: readonly unknown[]) => Step | undefined,
): void {
  const original: unknown = Reflect.get(object, name);
  if (typeof original !== 'function') throw new Error(`there is no function ${name}`);
  Reflect.set(object, name, function (this: unknown, ...args: unknown[]): unknown {
    const step = stepOf(this, args);
    if (step !== undefined) ask(step);
    const result: unknown = Reflect.apply(original, this, args);
    return result;
  });
}

for (const name of ['rename', 'unlink', 'rm', 'mkdir', 'writeFile', 'mkdtemp'] as const) {
  stopBefore(fs, `${name}Sync`, () => name);
  stopBefore(fs.promises, name, () => name);
}
stopBefore(fs, 'fsyncSync', () => 'fsync');
stopBefore(fs, 'ftruncateSync', () => 'ftruncate');
// Except for printing.
stopBefore(fs, 'writeSync', (_, [fd]) =>
  typeof fd === 'number' && fd > ANSWERS ? 'write' : undefined,
);
syncBuiltinESMExports();

const database = new Database(':memory:');
const sqlStep = (sql: unknown): Step | undefined =>
  typeof sql !== 'string' || /^\s*(SELECT|PRAGMA)/i.test(sql)
    ? undefined
    : /^\s*COMMIT/i.test(sql)
      ? 'commit'
      : 'statement';
stopBefore(Database.prototype, 'exec', (_, [sql]) => sqlStep(sql));
const statement: object = Reflect.getPrototypeOf(database.prepare('SELECT 1')) ?? {};
stopBefore(statement, 'run', (self) =>
  typeof self === 'object' && self !== null ? sqlStep(Reflect.get(self, 'source')) : undefined,
);
database.close();
