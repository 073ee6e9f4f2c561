/** A ClickHouse that listens on this machine, for tests (see clickhouse-http.ts). */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';

export interface ClickHouseServer {
  readonly port: number;
  close(): Promise<void>;
}

/**
 * @param module chdb's
 * @param folder where its tables are kept
 */
export async function clickhouseServer(module: string, folder: string): Promise<ClickHouseServer> {
  const script = path.join(import.meta.dirname, 'clickhouse-http.ts');
  const child = spawn(process.execPath, [script, module, folder], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const gone = once(child, 'exit');
  const [line] = (await Promise.race([
    once(createInterface({ input: child.stdout }), 'line'),
    gone,
  ])) as [unknown];
  const port = Number(line);
  if (!Number.isInteger(port) || child.exitCode !== null)
    throw new Error(`ClickHouse does not start: ${String(line)}`);
  return {
    port,
    close: async () => {
      child.stdin.end();
      await gone;
    },
  };
}
