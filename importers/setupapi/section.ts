/**
 * Sections of Windows' logs of device installation, `setupapi.dev.log`:
 * https://learn.microsoft.com/en-us/windows-hardware/drivers/install/setupapi-text-logs
 */
import type { CutText } from '../../engine/contract/event.ts';
import { localTime, type LocalTime } from '../shared/time/local-times.ts';

// A text may contain U+2028 or a carriage return, hence `s`. No two parts of a pattern match the same blanks, so that
// a line of a megabyte of blanks takes linear time.
const TITLE = /^>>>  \[(.*)\]\s*$/s;
const START = /^>>>  Section start (.*)$/s;
const END = /^<<<  Section end (.*)$/s;
const EXIT = /^<<<  \[Exit status: (.*)\]\s*$/s;
const BOOT = /^\[Boot Session: (.*)\]\s*$/s;
const COMMAND = /^ +cmd: (.*)$/s;
const TIME = /^(\d{4})\/(\d\d)\/(\d\d) (\d\d):(\d\d):(\d\d)[.,](\d{1,6})$/;
/** `USBSTOR\Disk&Ven_X\SERIAL`: the enumerator, the device, and the instance. */
const DEVICE = /^([A-Z][A-Z0-9_{}-]{1,63})\\([^\\]+)(?:\\([^\\]+))?$/;
const PATH = /^(?:[A-Za-z]:\\|\\\\).+/;
const FAILURE = /^FAILURE\((0x[0-9A-Fa-f]{1,8})\)/;

export const isTitle = (line: string): boolean => TITLE.test(line);
export const isExit = (line: string): boolean => EXIT.test(line);
export const isStart = (line: string): boolean => START.test(line);
export const isEnd = (line: string): boolean => END.test(line);

function timeOf(text: string | undefined): LocalTime | undefined {
  const [, year, month, day, hour, minute, second, fraction] = TIME.exec(text ?? '') ?? [];
  if (year === undefined) return undefined;
  return localTime([year, month!, day!], [hour!, minute!, second!], fraction);
}

/** The time of a line `[Boot Session: 2026/11/22 17:58:03.498]`. */
export function bootTime(line: string): LocalTime | undefined {
  return timeOf(BOOT.exec(line)?.[1]);
}

export interface Section {
  readonly time: LocalTime | undefined;
  /** The first part of its title. */
  readonly type: string | undefined;
  readonly fields: Partial<Record<CutText, string>>;
  readonly attributes: Readonly<Record<string, string>>;
}

/** What the lines of a section, without blanks at their ends, say; those of a part of one after the first have neither title nor start. */
export function sectionOf(lines: readonly string[]): Section {
  const title = TITLE.exec(lines[0] ?? '')?.[1];
  const cut = title?.indexOf(' - ') ?? -1;
  const type = cut < 0 ? title : title!.slice(0, cut);
  const subject = cut < 0 ? '' : title!.slice(cut + 3).trim();
  const start = lines.slice(0, 4).find(isStart) ?? '';
  const exit = EXIT.exec(lines.at(-1) ?? '')?.[1];
  const command = lines.map((line) => COMMAND.exec(line)?.[1]).find((text) => text !== undefined);
  const error = FAILURE.exec(exit ?? '')?.[1];
  const fields: Partial<Record<CutText, string>> = {};
  if (exit === 'SUCCESS') fields.outcome = 'success';
  else if (exit?.startsWith('FAILURE') === true) fields.outcome = 'failure';
  if (error !== undefined) fields.error_code = error;
  if (command !== undefined && command !== '') fields.command = command;
  if (PATH.test(subject)) fields.file_path = subject;
  const device = deviceOf(subject);
  if (type !== undefined) fields.category = fields.file_path === undefined ? 'host' : 'driver';
  if (/^(?:Device|Driver) Install/.test(type ?? '')) fields.action = 'install';
  const attributes: Record<string, string> = { ...device };
  const ended = END.exec(lines.at(exit === undefined ? -1 : -2) ?? '')?.[1];
  if (ended !== undefined && ended !== '') attributes['section_end'] = ended;
  return { time: timeOf(START.exec(start)?.[1]), type, fields, attributes };
}

/** A serial number is the instance that the device states; one with `&` as its second character is Windows'. */
function deviceOf(subject: string): Record<string, string> {
  const found = DEVICE.exec(subject);
  if (found === null) return {};
  const instance = found[3];
  const isSerial = instance !== undefined && instance[1] !== '&';
  return {
    device_id: subject,
    ...(isSerial ? { serial: instance.replace(/&\d+$/, '') } : {}),
  };
}
