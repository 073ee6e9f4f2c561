/**
 * The engine's limits on this machine: from the environment (`DAYBOOK_MEMORY`, such as `2GB`, `DAYBOOK_THREADS`,
 * `DAYBOOK_CHUNK_ROWS`), then from settings made in the window, then from the machine.
 */
import { availableParallelism, totalmem } from 'node:os';
import { DaybookError } from '../engine/contract/errors.ts';
import { readSettings } from '../engine/operations/system/state.ts';
import {
  type EngineLimits,
  type EngineSettings,
  importMemoryOf,
} from '../engine/operations/system/settings.ts';
import { casesFolder, stateFolder } from './folders.ts';

export interface Settings {
  /** Bytes that the process may use; DuckDB gets a part of them. */
  queryMemory: number;
  /** Bytes DuckDB may use while it builds segments. */
  importMemory: number;
  threads: number;
  /** Default number of import workers. */
  jobs: number;
  /** Rows after which an import commits; undefined: the engine's choice. */
  chunkRows: number | undefined;
}

/** A quarter of the machine, 2 GB of 8. */
const MOST_MEMORY = 4e9;

/** Settings of one command. */
export function settings(environment: NodeJS.ProcessEnv): Settings {
  const { memory, ...rest } = limits(environment);
  return { queryMemory: memory, ...rest };
}

/** Settings of an engine that serves windows: its limits may change while it runs. */
export function engineSettings(environment: NodeJS.ProcessEnv): EngineSettings {
  return {
    limits: limits(environment),
    casesFolder: casesFolder(environment),
    stateFolder: stateFolder(environment),
  };
}

function limits(environment: NodeJS.ProcessEnv): EngineLimits {
  const saved = readSettings(stateFolder(environment));
  const cores = availableParallelism();
  const threads = whole(environment['DAYBOOK_THREADS']) ?? saved.threads ?? cores;
  const memory =
    bytesOf(environment['DAYBOOK_MEMORY']) ??
    saved.memory ??
    Math.min(Math.floor(totalmem() / 4), MOST_MEMORY);
  return {
    memory,
    importMemory: importMemoryOf(memory),
    threads,
    jobs: whole(environment['DAYBOOK_THREADS']) ?? saved.jobs ?? cores,
    chunkRows: whole(environment['DAYBOOK_CHUNK_ROWS']),
  };
}

const UNITS: Readonly<Record<string, number>> = {
  ...{ '': 1, b: 1, kb: 1e3, mb: 1e6, gb: 1e9 },
  ...{ k: 1e3, m: 1e6, g: 1e9, kib: 2 ** 10, mib: 2 ** 20, gib: 2 ** 30 },
};

/**
 * A size as people write it: `500000000`, `512MB`, `2 GiB`; undefined: none is given.
 * @throws DaybookError usage: an unreadable limit must not count as none
 */
function bytesOf(text: string | undefined): number | undefined {
  if (text === undefined || text.trim() === '') return undefined;
  const [, number = '', unit = ''] = /^\s*(\d+(?:\.\d+)?)\s*([a-z]*)\s*$/i.exec(text) ?? [];
  const bytes = Math.round(Number(number) * (UNITS[unit.toLowerCase()] ?? Number.NaN));
  if (number !== '' && Number.isSafeInteger(bytes) && bytes > 0) return bytes;
  throw new DaybookError(
    'usage',
    `DAYBOOK_MEMORY is not a size: ${JSON.stringify(text)}`,
    'write it as 512MB, 2GB, or a number of bytes',
  );
}

function whole(text: string | undefined): number | undefined {
  const value = Number(text);
  return text !== undefined && Number.isSafeInteger(value) && value > 0 ? value : undefined;
}
