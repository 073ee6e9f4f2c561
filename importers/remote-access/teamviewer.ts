/**
 * TeamViewer's logs: `TeamViewer15_Logfile.log` in the time of the machine, and the lists of sessions
 * `Connections_incoming.txt` and `Connections.txt` in UTC.
 */
import { localTime, type LocalTime, utcText } from '../shared/time/local-times.ts';
import { type LogFormat, type RemoteRecord, stated } from './record.ts';

const PROGRAM = 'TeamViewer';
const LINE =
  /^(\d{4})\/(\d\d)\/(\d\d) (\d\d):(\d\d):(\d\d)\.(\d{3}) +(\d{1,10}) +(\d{1,20}) +((?:[A-Z]|[A-Z]?\d{1,2})[!+~]{0,3})(?: +(.*))?$/s;
/** The first line of the heading that every start of TeamViewer writes; it may state the offset from UTC. */
const START =
  /^Start: +(\d{4})\/(\d\d)\/(\d\d) (\d\d):(\d\d):(\d\d)\.(\d{3})(?: \(UTC([+-])(\d{1,2}):(\d\d)\))?$/;

function logRecord(line: string): RemoteRecord | undefined {
  const start = START.exec(line.trimEnd());
  const found = start ?? LINE.exec(line);
  if (found === null) return undefined;
  const [, year, month, day, hour, minute, second, fraction] = found as string[];
  const time = localTime([year!, month!, day!], [hour!, minute!, second!], fraction);
  if (time === undefined) return undefined;
  if (start !== null) return { time, program: PROGRAM, message: line.trimEnd() };
  const [pid, thread, module, text] = found.slice(8);
  return {
    ...{ time, program: PROGRAM, pid: Number(pid), message: (text ?? '').trimEnd() },
    attributes: { thread: thread!, module: module! },
  };
}

/**
 * A module of a letter and more (`S0`, `G1!!`), or a heading. The module is `0` until the log is opened, and other
 * logs have a number or the letter of a level there, or begin with a line `Start:`.
 */
const SIGN = /^(?:Start: +\d{4}\/.*\nVersion: |\d{4}\/\S+ \S+ +\d+ +\d+ +[A-Z][\d!+~])/m;
/** The largest offset from UTC in use is +14:00. */
const MAX_HOURS = 14;

/** The zone, as an offset, that the line states if it is the first of a heading; undefined if there is no such zone. */
export function statedOffset(line: string): string | undefined {
  const [, , , , , , , , sign, hours, minutes] = START.exec(line.trimEnd()) ?? [];
  if (sign === undefined || Number(hours) > MAX_HOURS || Number(minutes) > 59) return undefined;
  return `${sign}${hours!.padStart(2, '0')}:${minutes!}`;
}

const ID = /^\d{6,12}$/;
const GUID = /^\{[0-9A-Fa-f-]{30,40}\}$/;
const TIME = /^(\d\d)-(\d\d)-(\d{4}) (\d\d):(\d\d):(\d\d)$/;

function sessionTime(text: string | undefined): LocalTime | undefined {
  const [, day, month, year, hour, minute, second] = TIME.exec(text ?? '') ?? [];
  return day === undefined ? undefined : localTime([year!, month!, day], [hour!, minute!, second!]);
}

/**
 * Identifier, name, start, end, local account, type and GUID; Connections.txt has no name. The cells are counted from
 * the end, since the remote side chose the name.
 */
function sessionRecord(line: string): RemoteRecord | undefined {
  const cells = line.split(line.includes('\t') ? '\t' : / {2,}/).map((cell) => cell.trim());
  while (cells.at(-1) === '') cells.pop();
  if (cells.length < 6) return undefined;
  const [guid, type, account, end, start] = [1, 2, 3, 4, 5].map((back) => cells.at(-back)!);
  const id = cells[0]!;
  const [time, ended] = [sessionTime(start), sessionTime(end)];
  if (time === undefined || ended === undefined || !ID.test(id) || !GUID.test(guid!))
    return undefined;
  const isIncoming = cells.length > 6;
  const name = cells.slice(1, -5).join(' ');
  return {
    ...{ time, program: PROGRAM, message: line.trim(), eventType: type },
    fields: stated({
      session: guid,
      ...(isIncoming
        ? { category: 'authentication', action: 'login', outcome: 'success' }
        : { category: 'session', action: 'connect', outcome: 'success' }),
      ...(isIncoming
        ? { user: name, user_id: id, user_target: account }
        : { user: account, user_target: id }),
    }),
    attributes: { remote_id: id, ended: utcText(ended) },
  };
}

export const TEAMVIEWER: readonly LogFormat[] = [
  {
    ...{ id: 'teamviewer-log', isUtc: false, hasContinuations: true },
    ...{ sign: SIGN, record: logRecord },
  },
  { id: 'teamviewer-connections', isUtc: true, hasContinuations: false, record: sessionRecord },
];
