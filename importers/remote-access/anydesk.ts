/**
 * AnyDesk's logs: traces (`ad.trace`, `ad_svc.trace`, `anydesk.trace`), `connection_trace.txt` and
 * `file_transfer_trace.txt`. All their times are UTC.
 *
 * A line of a trace has a header of level, time, process, its number, that of the thread, often that of a fiber or a
 * thread's name, and the component, which ` - ` divides from the text. Only a line with all of these begins a record.
 */
import { localTime } from '../shared/time/local-times.ts';
import { type LogFormat, type RemoteRecord, stated } from './record.ts';

const PROGRAM = 'AnyDesk';
const TRACE =
  /^ {0,8}(info|warning|error|debug|trace|verbose|critical|fatal) +(\d{4})-(\d\d)-(\d\d) (\d\d):(\d\d):(\d\d)\.(\d{3}) +([a-z]\w{0,15}) +(\d{1,10}) +(\d{1,10}) +(?:([\w.:#-]{1,32}) +)?([a-z]\w{0,40}(?:\.\w{1,40}){0,4}) - (.*)$/s;
const SEVERITIES: Readonly<Record<string, number>> = {
  ...{ fatal: 2, critical: 2, error: 3, warning: 4, info: 6 },
  ...{ debug: 7, trace: 7, verbose: 7 },
};

/** The line between two runs. */
const STARS = /^\s*\*(?: \*)+\s*$/;

function traceRecord(line: string): RemoteRecord | undefined {
  const found = TRACE.exec(line);
  if (found === null) return undefined;
  const [, level, year, month, day, hour, minute, second, fraction] = found as string[];
  const time = localTime([year!, month!, day!], [hour!, minute!, second!], fraction);
  if (time === undefined) return undefined;
  const [role, pid, thread, fiber, component, text] = found.slice(9);
  return {
    ...{ time, program: PROGRAM, severity: SEVERITIES[level!], pid: Number(pid) },
    message: `${component!} - ${text!}`,
    attributes: { role: role!, thread: thread!, ...(fiber === undefined ? {} : { fiber }) },
  };
}

const CONNECTION =
  /^(Incoming|Outgoing)\s+(\d{4})-(\d\d)-(\d\d), (\d\d):(\d\d)\s+([A-Za-z][\w+-]{0,31})\s+(\S.*)$/s;
/** How a connection was accepted; `REJECTED` says that it was not. */
const ACCEPTED: ReadonlySet<string> = new Set(['User', 'Passwd', 'Token']);

/**
 * `Incoming    2026-09-28, 12:39    User    alice@ad    442226597`. The last column is the identifier, the one before
 * it the alias, which the remote side chose, or the identifier again.
 */
function connectionRecord(line: string): RemoteRecord | undefined {
  const found = CONNECTION.exec(line.trim());
  if (found === null) return undefined;
  const [, direction, year, month, day, hour, minute, state, names] = found as string[];
  const time = localTime([year!, month!, day!], [hour!, minute!]);
  const words = names!.trim().split(/\s+/);
  const id = words.pop()!;
  if (time === undefined || !/^\d{1,20}$/.test(id)) return undefined;
  const alias = words.length === 0 ? id : words.join(' ');
  const isIncoming = direction === 'Incoming';
  const isRejected = state === 'REJECTED';
  return {
    ...{ time, program: PROGRAM, message: line.trim(), eventType: direction },
    fields: stated({
      category: isIncoming ? 'authentication' : 'session',
      action: isIncoming ? 'login' : 'connect',
      outcome: isRejected ? 'failure' : ACCEPTED.has(state!) ? 'success' : undefined,
      reason: isRejected ? state : undefined,
      ...(isIncoming ? { user: alias, user_id: id } : { user_target: alias }),
    }),
    attributes: { remote_id: id, authentication: state! },
  };
}

const TRANSFER =
  /^([A-Z][A-Za-z ]{0,31}?)\s+(\d{4})-(\d\d)-(\d\d), (\d\d):(\d\d)\s+([a-z]{1,16})\s+(upload|download)\s+'(.*)'\s*(?:\(([^()']*)\))?$/s;

/** `Clipboard<tab><tab>2026-01-01, 13:37<tab>start <tab>download<tab>'tool.exe' (~0 B out of 4.20 MiB)`. */
function transferRecord(line: string): RemoteRecord | undefined {
  const found = TRANSFER.exec(line.trim());
  if (found === null) return undefined;
  const [, channel, year, month, day, hour, minute, state, action, name, size] = found as string[];
  const time = localTime([year!, month!, day!], [hour!, minute!]);
  if (time === undefined) return undefined;
  return {
    ...{ time, program: PROGRAM, message: line.trim(), eventType: channel },
    fields: stated({ category: 'file', action, file_path: name }),
    attributes: { state: state!, ...(size === undefined ? {} : { size }) },
  };
}

export const ANYDESK: readonly LogFormat[] = [
  {
    ...{ id: 'anydesk-trace', isUtc: true, hasContinuations: true },
    ...{ separator: STARS, record: traceRecord },
  },
  { id: 'anydesk-connections', isUtc: true, hasContinuations: false, record: connectionRecord },
  { id: 'anydesk-transfers', isUtc: true, hasContinuations: false, record: transferRecord },
];
