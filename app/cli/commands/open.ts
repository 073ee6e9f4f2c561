/** `daybook open`: the desktop window. */
import { resolve } from 'node:path';
import { DaybookError } from '../../../engine/contract/errors.ts';
import { findDesktop, runDesktop } from '../../desktop.ts';
import type { Command } from '../command.ts';
import { visible } from '../output.ts';

export const openCommand: Command = {
  spec: {
    name: 'open',
    usage: '[CASE]',
    summary: 'Opens the desktop window.',
    positionals: { least: 0, most: 1 },
    options: {},
    details: 'Without Electron or a display, `daybook serve` shows the same window in a browser.',
  },
  async run(parsed, { signal, streams }) {
    const openCase = parsed.positionals[0];
    const desktop = findDesktop(process.env);
    if ('why' in desktop) {
      throw new DaybookError(
        'unreadable',
        `there is no desktop window: ${desktop.why}`,
        `the same window in a browser: daybook serve${openCase === undefined ? '' : ` ${openCase}`}`,
      );
    }
    const path = openCase === undefined ? undefined : resolve(openCase);
    const say = (text: string) => void streams.err.write(`daybook: ${visible(text)}\n`);
    return runDesktop(desktop, path, signal, say);
  },
};
