/**
 * Passwords of archives: of this process and its threads, in memory only. They are never written anywhere, and end
 * with the process. A thread has those that were given before it was started.
 */
import { getEnvironmentData, setEnvironmentData } from 'node:worker_threads';

const KEY = 'passwords of archives';
/** Each is tried on each encrypted member. */
const MOST_PASSWORDS = 20;

/** In the order in which they are tried: the last that was given first. */
export function archivePasswords(): readonly string[] {
  const given = getEnvironmentData(KEY);
  return Array.isArray(given) ? given.map(String) : [];
}

/** Threads that run already do not get it. */
export function addArchivePassword(password: string): void {
  const others = archivePasswords().filter((one) => one !== password);
  setEnvironmentData(KEY, [password, ...others].slice(0, MOST_PASSWORDS));
}
