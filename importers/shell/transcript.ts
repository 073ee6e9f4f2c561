/**
 * Transcripts of PowerShell (`Start-Transcript`), in any language: a header with the account, the machine and the
 * host program, then prompts with commands and their output.
 *
 * Source: https://learn.microsoft.com/powershell/module/microsoft.powershell.host/start-transcript
 */
import type { EventSink, ReadOptions } from '../../engine/evidence/importer.ts';
import { GIVEN, ZONE_ASSUMED } from '../../engine/contract/time/decisions.ts';
import { resolveZone, type Zone } from '../../engine/contract/time/zone.ts';
import type { CommandReader, Commands, CommandTime, Place } from './commands.ts';

export const STARS = /^\*{20,}$/;
/** `Start time: 20261121101112`, in any language. */
export const DATE_LINE = /^[^:]+: (\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)$/;
const PROMPT = /^(?:\[[^\]]+\]: )?PS(?: [^>]*)?>+ ?(.*)$/;
/** Minimum length of a header with at least the machine. */
const MIN_HEADER_LINES = 6;
const MAX_BLOCK_LINES = 64;
/** Limit of one record: further output is another. */
const MAX_RECORD_CHARACTERS = 1 << 20;

interface Session {
  readonly user: string | undefined;
  readonly domain: string | undefined;
  readonly host: string | undefined;
  readonly pid: number | undefined;
  /** The program that the shell is in. */
  readonly process: string | undefined;
  readonly attributes: Readonly<Record<string, string | undefined>>;
}

interface Begun {
  readonly lines: string[];
  characters: number;
  place: Place;
  readonly time: CommandTime | undefined;
  readonly isInherited: boolean;
  readonly command: string | undefined;
}

const NOBODY: Session = {
  ...{ user: undefined, domain: undefined, host: undefined },
  ...{ pid: undefined, process: undefined, attributes: {} },
};

export class Transcript implements CommandReader {
  private readonly commands: Commands;
  private readonly zone: Zone;
  private session = NOBODY;
  private begun: Begun | undefined;
  private last: CommandTime | undefined;
  /** Lines between two of stars. */
  private block: { lines: string[]; place: Place } | undefined;
  /** When the next command was started, and where that is stated. */
  private stated:
    { readonly time: CommandTime; readonly place: Place; lines: string[] } | undefined;

  constructor(commands: Commands, sink: EventSink, { timeZone }: Pick<ReadOptions, 'timeZone'>) {
    this.commands = commands;
    this.zone = resolveZone(timeZone ?? 'UTC');
    sink.decide({
      tz: this.zone.name,
      tzBasis: timeZone === undefined ? ZONE_ASSUMED : GIVEN,
    });
  }

  line(bytes: Buffer, place: Place): void {
    const line = bytes.toString('utf8');
    const { block } = this;
    if (block !== undefined) {
      block.lines.push(line);
      block.place = { ...block.place, end: place.end };
      if (STARS.test(line) || block.lines.length > MAX_BLOCK_LINES) this.endBlock();
      return;
    }
    if (STARS.test(line)) {
      this.block = { lines: [line], place };
      return;
    }
    const prompt = PROMPT.exec(line);
    if (prompt !== null && prompt[1]!.trim() !== '') this.prompt(line, prompt[1]!, place);
    else this.goOn(line, place);
  }

  end(): void {
    if (this.block !== undefined) this.endBlock();
    const { stated } = this;
    if (stated !== undefined) this.begin(stated.lines, stated.place, stated.time);
    this.give();
  }

  private prompt(line: string, command: string, place: Place): void {
    const { stated } = this;
    this.stated = undefined;
    if (stated === undefined) this.begin([line], place, undefined, command);
    else {
      const whole = { ...stated.place, end: place.end };
      this.begin([...stated.lines, line], whole, stated.time, command);
    }
  }

  private endBlock(): void {
    const { lines, place } = this.block!;
    this.block = undefined;
    const said = lines.slice(1, STARS.test(lines.at(-1)!) ? -1 : undefined);
    const dates = said.map((line) => DATE_LINE.exec(line));
    const date = dates.find((one) => one !== null) ?? undefined;
    const time = date === undefined ? undefined : this.timeOf(date);
    if (time === undefined) {
      // Stars that a command printed.
      for (const line of lines) this.goOn(line, place);
    } else if (said.length === 1) {
      this.give();
      this.stated = { time, place, lines: [...lines] };
    } else {
      const isHeader = dates[1] !== null && said.length >= MIN_HEADER_LINES;
      if (isHeader) this.session = sessionOf(said);
      this.begin(lines, place, time);
      this.give(isHeader);
    }
  }

  private timeOf(date: RegExpExecArray): CommandTime | undefined {
    const [year, month, day, hour, minute, second] = date.slice(1).map(Number) as [
      ...[number, number, number, number, number, number],
    ];
    const local = Date.UTC(year, month - 1, day, hour, minute, second);
    // An impossible month or hour would be read as another time.
    const isDate = new Date(local)
      .toISOString()
      .replace(/\D/g, '')
      .startsWith(date.slice(1).join(''));
    if (!isDate) return undefined;
    const offset = this.zone.offsetAtLocalSeconds(local / 1000);
    return { seconds: local / 1000 - offset, offset };
  }

  private begin(
    lines: readonly string[],
    place: Place,
    time: CommandTime | undefined,
    command?: string,
  ): void {
    this.give();
    if (time !== undefined) this.last = time;
    const isInherited = time === undefined && this.last !== undefined;
    const characters = lines.reduce((sum, line) => sum + line.length, 0);
    this.begun = {
      ...{ lines: [...lines], characters, place },
      ...{ time: time ?? this.last, isInherited, command },
    };
  }

  private goOn(line: string, place: Place): void {
    const { begun } = this;
    if (begun === undefined || begun.characters > MAX_RECORD_CHARACTERS) {
      this.begin([line], place, undefined);
      return;
    }
    begun.lines.push(line);
    begun.characters += line.length;
    begun.place = { ...begun.place, end: place.end };
  }

  private give(isHeader = false): void {
    const { begun, session } = this;
    if (begun === undefined) return;
    this.begun = undefined;
    const { user, domain, host, pid, process, attributes } = session;
    const { lines, place, time, isInherited, command } = begun;
    while (lines.length > 1 && lines.at(-1) === '') lines.pop();
    this.commands.add({
      ...{ place, time, isInherited, command, user, domain, host },
      message: lines.join('\n'),
      ...(isHeader ? { pid, process, attributes } : {}),
    });
  }
}

/** The header's lines have the same order in all languages. */
function sessionOf(lines: readonly string[]): Session {
  const valueOf = (at: number): string | undefined => {
    const line = lines[at] ?? '';
    const colon = line.indexOf(': ');
    return colon < 0 ? undefined : line.slice(colon + 2).trim() || undefined;
  };
  // Version 4 and before have no configuration.
  const machine = [5, 4].find((at) => / \(.+\)$/.test(valueOf(at) ?? ''));
  const pid = Number(machine === undefined ? undefined : valueOf(machine + 2));
  const account = valueOf(2)?.split('\\') ?? [];
  return {
    user: account.at(-1),
    domain: account.length === 2 ? account[0] : undefined,
    host: machine === undefined ? undefined : valueOf(machine)!.replace(/ \(.+\)$/, ''),
    pid: Number.isSafeInteger(pid) && pid >= 0 && pid <= 0xffffffff ? pid : undefined,
    process: machine === undefined ? undefined : valueOf(machine + 1),
    attributes: { run_as: valueOf(3) },
  };
}
