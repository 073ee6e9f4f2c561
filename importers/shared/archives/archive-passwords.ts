/**
 * Passwords of archives: of this process and its threads, in memory only. They are never written anywhere, and
 * vanish with the process. All threads read the same memory, so each has a password as soon as it is added.
 */
import { getEnvironmentData, setEnvironmentData } from 'node:worker_threads';
import { DaybookError } from '../../../engine/contract/errors.ts';

const KEY = 'passwords of archives';
/** Each is tried on each encrypted member. */
const MOST_PASSWORDS = 20;
/** Limit for all passwords together: one has at most 1,000 characters. */
const MOST_BYTES = 1 << 20;

/**
 * The number of password bytes, as a 32-bit number; then each password in UTF-8, terminated by a zero. It only
 * grows: what a thread reads does not change meanwhile.
 */
const memory = sharedMemory();
const used = new Int32Array(memory, 0, 1);
const bytes = new Uint8Array(memory, Int32Array.BYTES_PER_ELEMENT);

/** A thread has the memory of the thread that started it. */
function sharedMemory(): SharedArrayBuffer {
  const given = getEnvironmentData(KEY);
  if (given instanceof SharedArrayBuffer) return given;
  const made = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT + MOST_BYTES);
  setEnvironmentData(KEY, made);
  return made;
}

/** In the order in which they are tried: most recently added first. */
export function archivePasswords(): readonly string[] {
  // A copy: TextDecoder does not read shared memory.
  const texts = Buffer.from(bytes.slice(0, Atomics.load(used, 0))).toString();
  const given = texts.split('\0').slice(0, -1);
  return [...new Set(given.reverse())].slice(0, MOST_PASSWORDS);
}

/**
 * To be called by the thread that started the others.
 * @throws DaybookError usage
 */
export function addArchivePassword(password: string): void {
  const added = Buffer.from(`${password}\0`);
  const at = Atomics.load(used, 0);
  if (password.includes('\0') || at + added.length > bytes.length)
    throw new DaybookError(
      'usage',
      at === 0 || password.includes('\0')
        ? 'this is not a password'
        : 'too many passwords were given',
      'correct it, or start Daybook again: passwords are kept until it ends',
    );
  bytes.set(added, at);
  Atomics.store(used, 0, at + added.length);
}
