/**
 * Parses input from outside the main process: the command line, and requests of a page. Anything malformed is
 * refused.
 */
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { FileFilter } from '../../engine/contract/wire/bridge.ts';

const MOST_PATH = 32_768;
const MOST_TITLE = 300;
const MOST_FILTERS = 20;
const SUFFIX = '.daybook';
/** Characters that a title bar would hide or misrepresent. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/**
 * The case on a command line: its last argument that is one.
 * @param entry the script with which Electron was started in a checkout; undefined if it is packaged
 */
export function caseArgument(
  argv: readonly string[],
  folder: string,
  entry?: string,
): string | undefined {
  const from =
    entry === undefined ? 1 : argv.findIndex((one) => resolve(folder, one) === entry) + 1;
  return argv
    .slice(Math.max(from, 1))
    .filter((one) => !one.startsWith('-'))
    .map((one) => resolve(folder, one))
    .filter((path) => path.endsWith(SUFFIX) || existsSync(join(path, 'case.sqlite')))
    .pop();
}

/** @throws TypeError */
export function textOf(value: unknown, most = MOST_PATH): string {
  if (typeof value !== 'string' || value.length > most || value.includes('\0')) {
    throw new TypeError('a text was expected');
  }
  return value;
}

/** A window's title: one line of visible characters. */
export function titleOf(value: unknown): string {
  return textOf(value).replace(INVISIBLE, '\ufffd').slice(0, MOST_TITLE);
}

/** @throws TypeError */
export function oneOf<T extends string>(value: unknown, allowed: readonly T[]): T {
  const found = allowed.find((one) => one === value);
  if (found === undefined) throw new TypeError(`one of ${allowed.join(', ')} was expected`);
  return found;
}

/**
 * Filters of a dialog.
 * @throws TypeError
 */
export function filtersOf(value: unknown): FileFilter[] {
  if (!Array.isArray(value) || value.length > MOST_FILTERS) throw new TypeError('filters expected');
  return value.map((one: unknown) => {
    const { name, extensions } = Object(one) as { name?: unknown; extensions?: unknown };
    if (!Array.isArray(extensions) || extensions.length > MOST_FILTERS) {
      throw new TypeError('extensions were expected');
    }
    return { name: textOf(name, 100), extensions: extensions.map((each) => textOf(each, 20)) };
  });
}
