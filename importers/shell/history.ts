/**
 * Histories of shells: Bash with times (`HISTTIMEFORMAT`) and without, zsh with `EXTENDED_HISTORY` and without, fish.
 *
 * Sources: https://www.gnu.org/software/bash/manual/ (Bash History Facilities),
 * https://zsh.sourceforge.io/Doc/Release/Options.html (EXTENDED_HISTORY), fish's `history_file.cpp`.
 */
import type { Command, CommandReader, Commands, CommandTime, Place } from './commands.ts';

/** Maximum number of lines in a command; further ones are another. */
const MAX_LINES = 1000;

export const BASH_TIME = /^#(\d{9,11})$/;
export const ZSH_TIME = /^: (\d{9,11}):(\d+);/;
export const FISH_COMMAND = /^- cmd: /;
export const FISH_TIME = /^ {2}when: (\d{9,11})$/;

function text(bytes: Buffer): string {
  return bytes.toString('utf8');
}

/** Whether a shell waits for more after these lines: in quotes, or after a backslash at their end. */
function isOpen(command: string): boolean {
  let quote = '';
  for (let at = 0; at < command.length; at++) {
    const c = command[at]!;
    if (c === '\\' && quote !== "'") {
      if (at === command.length - 1) return true;
      at += 1;
    } else if (c === quote) quote = '';
    else if (quote === '' && (c === '"' || c === "'")) quote = c;
    else if (quote === '' && c === '#' && (at === 0 || /\s/.test(command[at - 1]!))) {
      // A comment, up to the end of the line.
      const stop = command.indexOf('\n', at);
      if (stop < 0) return false;
      at = stop;
    }
  }
  return quote !== '';
}

/** A command whose lines are not all known yet. */
interface Begun {
  readonly place: Place;
  readonly time: CommandTime | undefined;
  readonly isInherited: boolean;
  readonly lines: string[];
  readonly attributes: Record<string, string>;
}

abstract class History implements CommandReader {
  protected begun: Begun | undefined;
  protected readonly commands: Commands;
  private last: CommandTime | undefined;

  constructor(commands: Commands) {
    this.commands = commands;
  }

  abstract line(bytes: Buffer, place: Place): void;

  end(): void {
    this.give();
  }

  /** A command begins. One without a time has that of the one before it. */
  protected begin(line: string, place: Place, seconds: number | undefined): Begun {
    this.give();
    if (seconds !== undefined) this.last = { seconds };
    this.begun = {
      ...{ place, time: this.last, isInherited: seconds === undefined && this.last !== undefined },
      ...{ lines: [line], attributes: {} },
    };
    return this.begun;
  }

  protected goOn(line: string, { end }: Place): void {
    const begun = this.begun!;
    begun.lines.push(line);
    this.begun = { ...begun, place: { ...begun.place, end } };
  }

  protected give(): void {
    const { begun } = this;
    if (begun === undefined) return;
    this.begun = undefined;
    const { place, time, isInherited, lines, attributes } = begun;
    const command = this.commandOf(lines);
    this.commands.add({
      ...{ place, time, isInherited, command, attributes },
      message: command,
    } satisfies Command);
  }

  protected commandOf(lines: readonly string[]): string {
    return lines.join('\n');
  }
}

/** `#SECONDS`, then the command: lines that a shell would wait for are of the same one. */
export class BashHistory extends History {
  private stated: { readonly seconds: number; readonly place: Place } | undefined;

  line(bytes: Buffer, place: Place): void {
    const line = text(bytes);
    const time = BASH_TIME.exec(line);
    if (time !== null) {
      this.give();
      this.skipTime();
      this.stated = { seconds: Number(time[1]), place };
      return;
    }
    const { begun, stated } = this;
    const isMore = begun !== undefined && stated === undefined && begun.lines.length < MAX_LINES;
    if (isMore && isOpen(begun.lines.join('\n'))) {
      this.goOn(line, place);
      return;
    }
    if (line.trim() === '') {
      this.commands.sink.skip('blank line', 1);
      return;
    }
    this.stated = undefined;
    const offset = stated?.place.offset ?? place.offset;
    this.begin(line, { offset, end: place.end }, stated?.seconds);
  }

  override end(): void {
    super.end();
    this.skipTime();
  }

  private skipTime(): void {
    if (this.stated !== undefined) this.commands.sink.skip('time without a command', 1);
    this.stated = undefined;
  }
}

const META = 0x83;

/** zsh writes some bytes as two: a mark, and the byte with its sixth bit turned. */
function unmetafied(bytes: Buffer): Buffer {
  if (!bytes.includes(META)) return bytes;
  const out = Buffer.alloc(bytes.length);
  let size = 0;
  for (let at = 0; at < bytes.length; at++) {
    const isMark = bytes[at] === META && at + 1 < bytes.length;
    if (isMark) at += 1;
    out[size++] = isMark ? bytes[at]! ^ 32 : bytes[at]!;
  }
  return out.subarray(0, size);
}

/** `: SECONDS:DURATION;command`; a backslash at the end of a line means that the command continues. */
export class ZshHistory extends History {
  line(bytes: Buffer, place: Place): void {
    const line = text(unmetafied(bytes));
    const { begun } = this;
    const isMore = begun !== undefined && begun.lines.length < MAX_LINES;
    if (isMore && begun.lines.at(-1)!.endsWith('\\')) {
      this.goOn(line, place);
      return;
    }
    const time = ZSH_TIME.exec(line);
    if (time === null && line.trim() === '') {
      this.commands.sink.skip('blank line', 1);
      return;
    }
    const command = line.slice(time?.[0].length ?? 0);
    const made = this.begin(command, place, time === null ? undefined : Number(time[1]));
    if (time !== null && Number(time[2]) > 0) made.attributes['duration'] = time[2]!;
  }

  protected override commandOf(lines: readonly string[]): string {
    return lines.map((line, i) => (i < lines.length - 1 ? line.slice(0, -1) : line)).join('\n');
  }
}

/** A list: `- cmd: command`, `  when: SECONDS`, `  paths:` and `    - path`. */
export class FishHistory extends History {
  private readonly paths: string[] = [];

  line(bytes: Buffer, place: Place): void {
    const line = text(bytes);
    if (FISH_COMMAND.test(line)) {
      this.begin(line.slice(7), place, undefined);
      return;
    }
    const { begun } = this;
    if (begun === undefined) {
      this.commands.sink.skip('line before the first command', 1);
      return;
    }
    const time = FISH_TIME.exec(line);
    const isPath = line.startsWith('    - ');
    if (isPath) this.paths.push(unescaped(line.slice(6)));
    if (time === null) this.begun = { ...begun, place: { ...begun.place, end: place.end } };
    else
      this.begun = {
        ...begun,
        ...{ time: { seconds: Number(time[1]) }, isInherited: false },
        place: { ...begun.place, end: place.end },
      };
  }

  protected override give(): void {
    const { begun, paths } = this;
    if (begun !== undefined && paths.length > 0) begun.attributes['paths'] = paths.join(' ');
    paths.length = 0;
    // Only a time that it states itself counts.
    if (begun?.isInherited === true) this.begun = { ...begun, time: undefined, isInherited: false };
    super.give();
  }

  protected override commandOf(lines: readonly string[]): string {
    return unescaped(lines[0]!);
  }
}

function unescaped(value: string): string {
  return value.replace(/\\([\\n])/g, (_, c: string) => (c === 'n' ? '\n' : '\\'));
}
