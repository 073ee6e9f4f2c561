/** PostgreSQL, started privately on a socket. */
import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { bytesBelow, dropPages } from '../harness/disk.ts';
import { needProgram } from '../harness/packages.ts';
import type { Scope } from '../harness/scope.ts';
import { measure } from '../process.ts';
import { as, must, Server } from './server.ts';
import { SqlClient } from './sql-client.ts';
import { Missing, type Answered, type Store } from './store.ts';

/** Where Debian keeps the programs of a server, newest version last. */
const VERSIONS = '/usr/lib/postgresql';

export class Postgres implements Store {
  readonly name = 'PostgreSQL';
  private readonly folder: string;
  private readonly server: Server;
  private client: SqlClient | undefined;

  constructor(bin: string, folder: string) {
    this.folder = folder;
    const [command, ...args] = [
      ...as('postgres'),
      ...[join(bin, 'postgres'), '-D', this.data, '-k', folder, '-c', 'listen_addresses='],
      ...['-c', 'shared_buffers=2GB', '-c', 'work_mem=256MB', '-c', 'maintenance_work_mem=1GB'],
      ...['-c', 'max_wal_size=8GB'],
    ];
    this.server = new Server(command!, args);
  }

  private get data(): string {
    return join(this.folder, 'data');
  }

  /** The folder of its socket. */
  get socketFolder(): string {
    return this.folder;
  }

  async start(): Promise<void> {
    const ping = ['-h', this.folder, '-U', 'postgres', 'postgres', '-c', 'SELECT 1'];
    await this.server.start(async () => (await measure('psql', ping)).exit === 0);
    this.client = new SqlClient('psql', [
      ...['-X', '-q', '-A', '-t', '-F', '\t', '-v', 'ON_ERROR_STOP=0'],
      ...['-h', this.folder, '-U', 'postgres', 'postgres'],
    ]);
  }

  async stop(): Promise<void> {
    await this.client?.close();
    await this.server.stop('SIGINT');
  }

  async version(): Promise<string> {
    return String((await this.ask('SHOW server_version')).rows[0]?.[0]);
  }

  ask(statement: string): Promise<Answered> {
    if (this.client === undefined) throw new Error('PostgreSQL is not running');
    return this.client.ask(statement);
  }

  async cold(): Promise<void> {
    await this.stop();
    await dropPages([this.data]);
    await this.start();
  }

  bytes(): number {
    return bytesBelow([join(this.data, 'base')]);
  }

  cpuMs(): number {
    return this.server.cpuMs();
  }

  peakMemory(): number {
    return this.server.peakMemory();
  }
}

/** @throws Missing */
export async function startPostgres(scope: Scope): Promise<Postgres> {
  await needProgram('psql', 'postgresql');
  const bin = join(VERSIONS, newest(), 'bin');
  const folder = scope.folder();
  mkdirSync(join(folder, 'data'));
  if (process.getuid?.() === 0) await must('chown', ['-R', 'postgres:postgres', folder]);
  const [command, ...args] = [
    ...as('postgres'),
    ...[join(bin, 'initdb'), '-D', join(folder, 'data'), '-U', 'postgres', '-A', 'trust'],
    ...['-E', 'UTF8', '--no-locale'],
  ];
  await must(command!, args);
  const store = new Postgres(bin, folder);
  scope.onClose(() => store.stop());
  await store.start();
  return store;
}

function newest(): string {
  try {
    const versions = readdirSync(VERSIONS).sort((a, b) => Number(a) - Number(b));
    return versions.at(-1) ?? '';
  } catch {
    throw new Missing('PostgreSQL’s server is not here (Debian package postgresql)');
  }
}
