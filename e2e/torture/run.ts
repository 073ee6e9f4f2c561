/**
 * `npm run torture`: attacks the product through its command line and reports, for each attack, how many runs
 * passed, and the seed with which a failure can be repeated. docs/torture.md.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { attack, report } from './attack.ts';
import { ATTACKS } from './attacks.ts';

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    runs: { type: 'string' },
    run: { type: 'string' },
    seed: { type: 'string' },
    size: { type: 'string' },
    minutes: { type: 'string' },
    long: { type: 'boolean', default: false },
    short: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h', default: false },
  },
});

const names = ATTACKS.map(({ name }) => name);
const chosen = values.only?.split(',') ?? names;
const unknown = chosen.filter((name) => !names.includes(name));
if (values.help || unknown.length > 0) {
  if (unknown.length > 0) process.stderr.write(`there is no attack ${unknown.join(', ')}\n`);
  process.stdout.write(`npm run torture -- [options]

  --only A,B    only these attacks: ${names.join(', ')}
  --runs N      runs of each attack
  --seed S      where all chance comes from (default: a fresh one, which is printed)
  --run I       only run number I, as a failure names it
  --size N      how large the evidence is (default 3, 1 with --short)
  --minutes N   begin no run of an attack after so long
  --long        as many runs as before a release; --short: as in CI
`);
  process.exit(values.help ? 0 : 2);
}

const whole = (name: 'runs' | 'run' | 'seed' | 'size' | 'minutes'): number | undefined => {
  const text = values[name];
  if (text === undefined) return undefined;
  if (!/^\d+$/.test(text)) {
    process.stderr.write(`--${name} takes a whole number\n`);
    process.exit(2);
  }
  return Number(text);
};

const seed = whole('seed') ?? Math.floor(Math.random() * 1e9);
const minutes = whole('minutes');
const folder = mkdtempSync(path.join(tmpdir(), 'daybook-torture-'));
const say = (text: string): void => void process.stdout.write(`${text}\n`);
say(`seed ${seed}`);
let failed = false;
for (const one of ATTACKS.filter(({ name }) => chosen.includes(name))) {
  const kind = values.long ? 'long' : values.short ? 'short' : 'usual';
  const outcome = await attack(one, {
    seed,
    runs: whole('runs') ?? one.runs[kind],
    only: whole('run'),
    size: whole('size') ?? (values.short ? 1 : 3),
    folder,
    until: minutes === undefined ? undefined : performance.now() + minutes * 60_000,
    say,
  });
  say(report(outcome));
  if (outcome.failures.length > 0) failed = true;
}
if (failed) say(`what the failed runs left is in ${folder}`);
else rmSync(folder, { recursive: true, force: true });
process.exitCode = failed ? 1 : 0;
