/** `daybook man`: the help of all commands as a page for `man`. */
import { VERSION } from '../../version.ts';
import { EXIT_STATUS, type Command } from '../command.ts';
import { write } from '../output.ts';

export const manCommand: Command = {
  spec: {
    name: 'man',
    usage: '',
    summary: 'Prints the help of all commands as a manual page.',
    positionals: { least: 0, most: 0 },
    options: {},
    details: `daybook man > daybook.1 && man ./daybook.1`,
  },
  async run(_parsed, { streams, specs }) {
    const commands = (await specs()).flatMap(({ name, usage, summary, details, options }) => [
      '.SS ' + text(`daybook ${name} ${usage}`.trimEnd()),
      text(summary),
      ...Object.entries(options).flatMap(([option, { type, value = 'TEXT', help }]) => [
        '.TP',
        `.B ${text(`--${option}${type === 'string' ? ` ${value}` : ''}`)}`,
        text(help),
      ]),
      ...(details === undefined ? [] : ['.PP', ...asWritten(details)]),
    ]);
    await write(
      streams.out,
      [
        `.TH DAYBOOK 1 "" "daybook ${VERSION}"`,
        '.SH NAME',
        'daybook \\- search packet captures, logs and flow files in one case',
        '.SH SYNOPSIS',
        '.B daybook',
        text('COMMAND CASE …'),
        '.SH COMMANDS',
        ...commands,
        '.SH EXIT STATUS',
        ...EXIT_STATUS.flatMap(([status, meaning]) => ['.TP', `.B ${status}`, text(meaning)]),
        '',
      ].join('\n'),
    );
    return 0;
  },
};

/** Deliberate line breaks are preserved. */
function asWritten(details: string): string[] {
  return details.includes('\n') ? ['.nf', text(details), '.fi'] : [text(details)];
}

/** A backslash, a minus and the first character of a line have special meanings. */
function text(plain: string): string {
  return plain
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replace(/^(?=[.'])/gm, '\\&');
}
