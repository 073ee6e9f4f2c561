/** Programs in C over libpcap, compiled when they are needed. */
import { join } from 'node:path';
import { needProgram } from '../harness/packages.ts';
import type { Scope } from '../harness/scope.ts';
import { measure } from '../process.ts';
import { Missing } from './store.ts';

/**
 * Compiles `NAME.c` of this folder; returns the program's path.
 * @throws Missing
 */
export async function compilePcapProgram(name: string, scope: Scope): Promise<string> {
  await needProgram('gcc', 'gcc');
  await needProgram('pcap-config', 'libpcap-dev');
  const program = join(scope.folder(), name);
  const source = join(import.meta.dirname, `${name}.c`);
  const run = await measure('gcc', ['-O2', '-Wall', '-o', program, source, '-lpcap']);
  if (run.exit !== 0) throw new Missing(`${name}.c cannot be compiled: ${run.err.slice(0, 300)}`);
  return program;
}
