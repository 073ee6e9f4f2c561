/** Runs the commands whose arguments come in lines of JSON, one after the other, for `Commands`. */
import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { bundled } from '../../app/bundled.mjs';
import type * as CommandLine from '../../app/cli/command-line.ts';

// As daybook.mjs does.
process.umask(0o077);
const { signal } = new AbortController();
// What `daybook` runs: the bundle, if it is of these sources.
const { runCommandLine } = (await import(bundled('app/cli/command-line.ts'))) as typeof CommandLine;

function kept(): { stream: Writable; text: () => string } {
  const parts: Buffer[] = [];
  const stream = new Writable({
    write(part: Buffer, _, done) {
      parts.push(part);
      done();
    },
  });
  return { stream, text: () => Buffer.concat(parts).toString() };
}

for await (const line of createInterface({ input: process.stdin })) {
  const [out, err] = [kept(), kept()];
  const streams = { out: out.stream, err: err.stream };
  const status = await runCommandLine(JSON.parse(line) as string[], streams, signal);
  // In base64: what evidence says has ends of lines other than LF.
  const outcome = JSON.stringify({ status, out: out.text(), err: err.text() });
  process.stdout.write(`${JSON.stringify(Buffer.from(outcome).toString('base64'))}\n`);
}
