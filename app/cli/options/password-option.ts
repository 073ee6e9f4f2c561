/** Passwords of archives: from a file, or asked for on the terminal. They never appear in an argument list. */
import { readFileSync } from 'node:fs';
import { DaybookError, messageOfError } from '../../../engine/contract/errors.ts';
import type { Parsed } from '../arguments.ts';
import { visible } from '../output.ts';

export const PASSWORD_OPTION = {
  'password-file': {
    type: 'string',
    value: 'FILE',
    help: 'passwords of encrypted archives, one per line; they are not stored',
  },
} as const;

const MOST_BYTES = 64 << 10;

/** @throws DaybookError unreadable, usage */
export async function takePasswords(parsed: Parsed): Promise<void> {
  const path = parsed.text('password-file');
  if (path === undefined) return;
  let text: string;
  try {
    text = readFileSync(path === '-' ? 0 : path, 'utf8');
  } catch (error) {
    throw new DaybookError('unreadable', `--password-file ${path}: ${messageOfError(error)}`);
  }
  const passwords = text.split(/\r?\n/).filter((line) => line !== '');
  if (passwords.length === 0 || text.length > MOST_BYTES)
    throw new DaybookError(
      'usage',
      `--password-file ${path} ${passwords.length === 0 ? 'is empty' : 'is not a list of passwords'}`,
      'write each password on a line of its own',
    );
  const { evidence } = await import('../../compose.ts');
  // The last one given is tried first.
  for (const password of passwords.reverse()) evidence.unlock(password);
}

/**
 * Asks on the terminal, without an echo. Undefined: nobody can be asked.
 * @returns the typed text; empty: nothing
 * @throws DaybookError cancelled for ctrl-C
 */
export async function askPassword(
  question: string,
  err: NodeJS.WritableStream,
): Promise<string | undefined> {
  const { stdin } = process;
  if (!stdin.isTTY || !process.stderr.isTTY) return undefined;
  err.write(visible(question));
  stdin.setRawMode(true);
  try {
    return await lineOf(stdin);
  } finally {
    stdin.setRawMode(false);
    stdin.pause();
    err.write('\n');
  }
}

const ENTER = /[\r\n]/;
const [CTRL_C, CTRL_D, BACKSPACE, DELETE, CTRL_U] = ['\x03', '\x04', '\b', '\x7f', '\x15'];

function lineOf(input: NodeJS.ReadStream): Promise<string> {
  return new Promise((resolve, reject) => {
    let typed: string[] = [];
    const decoder = new TextDecoder();
    const end = (): void => {
      input.off('data', take);
      input.off('end', finish);
    };
    const finish = (): void => {
      end();
      resolve(typed.join(''));
    };
    const take = (block: Buffer): void => {
      for (const one of decoder.decode(block, { stream: true })) {
        if (one === CTRL_C) {
          end();
          reject(new DaybookError('cancelled', 'cancelled'));
          return;
        }
        if (ENTER.test(one) || one === CTRL_D) {
          finish();
          return;
        }
        if (one === BACKSPACE || one === DELETE) typed.pop();
        else if (one === CTRL_U) typed = [];
        else if (one >= ' ') typed.push(one);
      }
    };
    input.on('data', take);
    input.on('end', finish);
    input.resume();
  });
}
