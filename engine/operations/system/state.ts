/**
 * State that Daybook keeps between runs: settings and recent cases, a JSON file each. Several engines may run: each
 * reads a file again before it changes it, and replaces it atomically.
 *
 * Invariant: a missing or damaged file counts as empty; it never stops Daybook.
 */
import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { join } from 'node:path';
import { accessError, diskError, writeAll } from '../../util/files/files.ts';
import type { Request } from '../../contract/operations.ts';

/** Changed settings only. */
type SavedSettings = Request<'settings.set'>;

interface RecentCase {
  readonly case: string;
  /** RFC 3339, UTC. */
  readonly openedAt: string;
}

const SETTINGS = 'settings.json';
const RECENT = 'recent.json';
const MOST_RECENT = 50;

export function readSettings(stateFolder: string): SavedSettings {
  const read = readJson(stateFolder, SETTINGS);
  if (!isRecord(read)) return {};
  const { memory, threads, jobs, window } = read;
  return {
    ...(isCount(memory) ? { memory } : {}),
    ...(isCount(threads) ? { threads } : {}),
    ...(isCount(jobs) ? { jobs } : {}),
    ...(isRecord(window) ? { window } : {}),
  };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0;
}

/** @throws DaybookError unreadable, disk-full */
export function writeSettings(stateFolder: string, settings: SavedSettings): void {
  replaceFile(stateFolder, SETTINGS, settings);
}

/** Most recently opened first. */
export function readRecent(stateFolder: string): RecentCase[] {
  const read = readJson(stateFolder, RECENT);
  if (!Array.isArray(read)) return [];
  return read.filter(isRecent).slice(0, MOST_RECENT);
}

/** Puts a case first. What cannot be written is forgotten: a case opens all the same. */
export function rememberCase(stateFolder: string, folder: string): void {
  const others = readRecent(stateFolder).filter((one) => one.case !== folder);
  const openedAt = new Date().toISOString();
  try {
    replaceFile(stateFolder, RECENT, [{ case: folder, openedAt }, ...others].slice(0, MOST_RECENT));
  } catch {
    // A full disk or a read-only home must not keep a case closed.
  }
}

/** @throws DaybookError unreadable, disk-full */
export function forgetCase(stateFolder: string, folder: string): void {
  const others = readRecent(stateFolder).filter((one) => one.case !== folder);
  replaceFile(stateFolder, RECENT, others);
}

function isRecent(value: unknown): value is RecentCase {
  return (
    isRecord(value) && typeof value['case'] === 'string' && typeof value['openedAt'] === 'string'
  );
}

function readJson(folder: string, name: string): unknown {
  try {
    return JSON.parse(readFileSync(join(folder, name), 'utf8'));
  } catch {
    return undefined;
  }
}

function replaceFile(folder: string, name: string, value: unknown): void {
  const path = join(folder, name);
  const temporary = `${path}.${process.pid}`;
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const fd = openSync(temporary, 'w', 0o600);
    try {
      writeAll(fd, Buffer.from(`${JSON.stringify(value, undefined, 2)}\n`));
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw diskError(error) ?? accessError(error) ?? error;
  }
}
