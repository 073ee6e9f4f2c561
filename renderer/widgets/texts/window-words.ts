/**
 * Error messages of the engine as whole sentences and in the window's terms: where a message mentions a command or
 * option of the command line, the window names its counterpart.
 */
import type { ErrorInfo } from '../../../engine/contract/wire/frame.ts';
import { sentence } from './sentence.ts';

const IN_WINDOW: readonly (readonly [RegExp, string])[] = [
  [
    /(?:create one with|import something): daybook import .*/s,
    'choose another folder, or make a new case',
  ],
  [/run: daybook verify CASE(?! --)/, 'verify the case (in its menu)'],
  [/daybook verify CASE(?! --) says/, 'verifying the case says'],
  [/ \(daybook verify\)/, ''],
  [
    /say where \(daybook sources CASE --locate FOLDER\)/,
    'locate it with Verify in the menu of the case',
  ],
  [/say where: daybook sources CASE --locate FOLDER/, 'say where below'],
  [
    /merge small segments: daybook compact CASE/,
    'join small segments (Sources & imports, Maintenance)',
  ],
  [/(?:, | or )--from$/, ', or choose a time range'],
  [/(?:, | or )--to$/, ', or choose a time range'],
  [/ \((?:change it with --date-order|--leave-out-overlap)\)/, ''],
  [/--max-ratio/, '“Largest expansion”'],
  [/--max-bytes/, '“Largest file, unpacked”'],
  [/--max-depth/, '“Nesting of archives”'],
  [/--max-members/, '“Files in one archive”'],
  [/run: daybook/, 'on the command line, run: daybook'],
];

/** A message of the engine with mentions of the command line replaced by their counterparts in the window. */
export function inWindow(text: string): string {
  return IN_WINDOW.reduce((words, [pattern, instead]) => words.replace(pattern, instead), text);
}

interface ErrorWords {
  readonly message: string;
  readonly hint: string | undefined;
}

export function errorWords({ message, hint }: Pick<ErrorInfo, 'message' | 'hint'>): ErrorWords {
  return {
    message: sentence(inWindow(message)),
    hint: hint === undefined ? undefined : sentence(inWindow(hint)),
  };
}
