/** `daybook completion`: scripts that make shells complete commands and options. */
import { DaybookError } from '../../../engine/contract/errors.ts';
import type { CommandSpec, OptionSpec } from '../arguments.ts';
import type { Command } from '../command.ts';
import { write } from '../output.ts';

type Listed = CommandSpec & { readonly line: string };

const SHELLS: Readonly<Record<string, (specs: readonly Listed[]) => string>> = { bash, zsh, fish };

export const completionCommand: Command = {
  spec: {
    name: 'completion',
    usage: 'SHELL',
    summary: `Prints a script that makes a shell (${Object.keys(SHELLS).join(', ')}) complete commands and options.`,
    positionals: { least: 1, most: 1 },
    options: {},
    details: `bash: add to ~/.bashrc        eval "$(daybook completion bash)"
zsh:  add to ~/.zshrc         eval "$(daybook completion zsh)", after compinit
fish: run once                daybook completion fish > ~/.config/fish/completions/daybook.fish`,
  },
  async run(parsed, { streams, specs }) {
    const shell = parsed.positionals[0]!;
    const script = Object.hasOwn(SHELLS, shell) ? SHELLS[shell] : undefined;
    if (script === undefined)
      throw new DaybookError(
        'usage',
        `there is no completion for ${JSON.stringify(shell)}`,
        `shells: ${Object.keys(SHELLS).join(', ')}`,
      );
    await write(streams.out, script(await specs()));
    return 0;
  },
};

const HELP: readonly [string, OptionSpec] = [
  'help',
  { type: 'boolean', help: 'show the help of the command' },
];

function optionsOf({ options }: Listed): readonly (readonly [string, OptionSpec])[] {
  return [...Object.entries(options), HELP];
}

function bash(specs: readonly Listed[]): string {
  const names = (of: Listed): string =>
    optionsOf(of)
      .map(([name]) => `--${name}`)
      .join(' ');
  return `_daybook() {
  local word=\${COMP_WORDS[COMP_CWORD]} words=
  if [ "$COMP_CWORD" -eq 1 ]; then
    words='${specs.map(({ name }) => name).join(' ')}'
  elif [ "\${word:0:1}" = - ]; then
    case "\${COMP_WORDS[1]}" in
${specs.map((one) => `      ${one.name}) words='${names(one)}' ;;`).join('\n')}
    esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "$word"))
}
complete -o default -o bashdefault -F _daybook daybook
`;
}

function zsh(specs: readonly Listed[]): string {
  const text = (help: string): string => help.replace(/[\\[\]:]/g, '\\$&').replaceAll("'", "'\\''");
  const option = ([name, { type, value = 'TEXT', help }]: readonly [string, OptionSpec]): string =>
    `'--${name}${type === 'string' ? '=' : ''}[${text(help)}]${type === 'string' ? `:${text(value)}:_files` : ''}'`;
  return `#compdef daybook
_daybook() {
  local -a commands
  commands=(
${specs.map(({ name, line }) => `    '${name}:${text(line)}'`).join('\n')}
  )
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  local command=$words[2]
  shift words
  (( CURRENT-- ))
  case $command in
${specs.map((one) => `    ${one.name}) _arguments ${optionsOf(one).map(option).join(' ')} '*:file:_files' ;;`).join('\n')}
  esac
}
compdef _daybook daybook
`;
}

function fish(specs: readonly Listed[]): string {
  const text = (help: string): string => `'${help.replace(/[\\']/g, '\\$&')}'`;
  const lines = specs.flatMap((one) => [
    `complete -c daybook -n __fish_use_subcommand -f -a ${one.name} -d ${text(one.line)}`,
    ...optionsOf(one).map(
      ([name, { type, help }]) =>
        `complete -c daybook -n '__fish_seen_subcommand_from ${one.name}' -l ${name}${type === 'string' ? ' -r' : ''} -d ${text(help)}`,
    ),
  ]);
  return `${lines.join('\n')}\n`;
}
