/** Our decoders against the tools of this machine, on valid and on corrupted streams: decoders.ts. */
import { spawn } from 'node:child_process';
import path from 'node:path';
import type { Attack, Prepared } from './attack.ts';

const STREAMS = 10;

export const decoders: Attack = {
  name: 'decoders',
  unit: `sets of ${STREAMS} streams`,
  runs: { short: 1, usual: 20, long: 200 },
  async prepare(): Promise<Prepared> {
    return {
      async run(run) {
        const script = path.join(import.meta.dirname, 'decoders.ts');
        const args = ['--runs', String(STREAMS), '--seed', String(run.random.between(1, 1e9))];
        const child = spawn(process.execPath, [script, ...args]);
        let out = '';
        let err = '';
        child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text));
        child.stderr.setEncoding('utf8').on('data', (text: string) => (err += text));
        const status = await new Promise((done) => child.on('close', done));
        if (status !== 0) run.fail(`decoders.ts ${args.join(' ')}: ${err.slice(-1000)}`);
        if (out === '') return;
        const { tools, seed: _, ...counts } = JSON.parse(out) as Printed;
        for (const [what, n] of Object.entries(counts)) run.tally(what, n);
        run.most(`tools to compare with (${tools.join(', ')})`, tools.length);
      },
    };
  },
};

/** The final output of decoders.ts. */
interface Printed {
  tools: string[];
  seed: number;
  valid: number;
  corrupted: number;
  withoutMagic: number;
  refused: number;
  cutOff: number;
  readUnchecked: number;
  uncheckedAndWrong: number;
}
