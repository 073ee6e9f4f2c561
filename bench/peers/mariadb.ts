/** MariaDB, started privately: one server, tables of one engine. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { bytesBelow, dropPages } from '../harness/disk.ts';
import { needProgram } from '../harness/packages.ts';
import type { Scope } from '../harness/scope.ts';
import { measure } from '../process.ts';
import { as, must, Server } from './server.ts';
import { SqlClient } from './sql-client.ts';
import type { Answered, Store } from './store.ts';

const BUFFER = '2G';

class MariaDb implements Store {
  readonly name: string;
  private readonly folder: string;
  private readonly server: Server;
  private client: SqlClient | undefined;

  constructor(engine: string, folder: string) {
    this.name = `MariaDB ${engine}`;
    this.folder = folder;
    const [command, ...args] = [
      ...as('mysql'),
      ...['mariadbd', '--no-defaults', `--datadir=${this.data}`, `--socket=${this.socket}`],
      ...['--skip-networking', '--skip-log-bin', '--local-infile=1', '--skip-grant-tables'],
      `--default-storage-engine=${engine}`,
      ...[`--innodb-buffer-pool-size=${BUFFER}`, `--key-buffer-size=${BUFFER}`],
      ...['--max-allowed-packet=256M', '--tmp-table-size=1G', '--max-heap-table-size=1G'],
      `--pid-file=${join(folder, 'pid')}`,
    ];
    this.server = new Server(command, args);
  }

  private get data(): string {
    return join(this.folder, 'data');
  }

  private get socket(): string {
    return join(this.folder, 's');
  }

  async start(): Promise<void> {
    const ping = ['--no-defaults', '-S', this.socket, 'ping'];
    await this.server.start(async () => (await measure('mariadb-admin', ping)).exit === 0);
    this.client = new SqlClient('mariadb', [
      ...['--no-defaults', '-S', this.socket, '--batch', '--skip-column-names', '--unbuffered'],
      ...['--local-infile=1', '--max-allowed-packet=256M', '--force', 'test'],
    ]);
  }

  async stop(): Promise<void> {
    await this.client?.close();
    await this.server.stop('SIGTERM');
  }

  async version(): Promise<string> {
    return String((await this.ask('SELECT version()')).rows[0]?.[0]);
  }

  ask(statement: string): Promise<Answered> {
    if (this.client === undefined) throw new Error(`${this.name} is not running`);
    return this.client.ask(statement);
  }

  async cold(): Promise<void> {
    await this.stop();
    await dropPages([this.data]);
    await this.start();
  }

  bytes(): number {
    return bytesBelow([join(this.data, 'test')]);
  }

  cpuMs(): number {
    return this.server.cpuMs();
  }

  peakMemory(): number {
    return this.server.peakMemory();
  }
}

/** @throws Missing */
export async function startMariadb(engine: 'MyISAM' | 'InnoDB', scope: Scope): Promise<Store> {
  await needProgram('mariadbd', 'mariadb-server');
  const folder = scope.folder();
  mkdirSync(join(folder, 'data'));
  if (process.getuid?.() === 0) await must('chown', ['-R', 'mysql:mysql', folder]);
  const [command, ...args] = [
    ...as('mysql'),
    ...['mariadb-install-db', '--no-defaults', `--datadir=${join(folder, 'data')}`],
    ...['--skip-test-db', '--auth-root-authentication-method=normal'],
  ];
  await must(command!, args);
  mkdirSync(join(folder, 'data', 'test'));
  if (process.getuid?.() === 0) await must('chown', ['mysql:mysql', join(folder, 'data', 'test')]);
  const store = new MariaDb(engine, folder);
  scope.onClose(() => store.stop());
  await store.start();
  return store;
}
