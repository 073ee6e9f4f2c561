/** Compresses with this machine's bzip2, since Node cannot write that format. */
import { execFileSync } from 'node:child_process';

export function bzip2Available(): boolean {
  try {
    execFileSync('bzip2', ['--version'], { stdio: ['ignore', 'ignore', 'ignore'], input: '' });
    return true;
  } catch {
    return false;
  }
}

export function bzip2Of(bytes: Uint8Array): Buffer {
  return execFileSync('bzip2', ['-9', '-c'], { input: bytes, maxBuffer: 1 << 28 });
}
