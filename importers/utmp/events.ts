/**
 * Writes records of utmp, wtmp, btmp and lastlog into a batch.
 *
 * Invariant: every record is one row, is quarantined with its bytes, or is counted as empty.
 */
import type { EventBatch } from '../../engine/columns/event-batch.ts';
import type { EventSink } from '../../engine/evidence/importer.ts';
import { parseIpv4, parseIpv6 } from '../shared/bytes.ts';
import { isZero, lastLogin, utmpRecord, type Layout, type UtmpRecord } from './record.ts';

/** The meaning of a record, in the registry's terms; without an outcome if nobody logs in or out. */
interface Meaning {
  readonly category: string;
  readonly action: string;
  readonly outcome?: string;
}

const encoder = new TextEncoder();

export class UtmpEvents {
  private readonly sink: EventSink;
  private readonly batch: EventBatch;
  private readonly layout: Layout;
  private seq = 0;
  private readonly address = new Uint8Array(16);

  constructor(sink: EventSink, layout: Layout) {
    this.sink = sink;
    this.batch = sink.batch('log');
    this.layout = layout;
  }

  /** Takes the record in `bytes` at `at`, which is at `offset` in the file. */
  take(bytes: Uint8Array, at: number, offset: number): void {
    this.seq += 1;
    if (this.layout.format === 'lastlog') this.takeLogin(bytes, at, offset);
    else this.takeRecord(bytes, at, offset);
  }

  private takeRecord(bytes: Uint8Array, at: number, offset: number): void {
    const record = utmpRecord(bytes, at, this.layout);
    if (typeof record === 'string') return this.bad(bytes, at, offset, record);
    if (record.type === 'EMPTY') return this.sink.skip('empty record', 1);
    const { batch } = this;
    const row = this.begin(offset, record.time, 6);
    const { type, line, id, user, host, pid, session, address } = record;
    const meaning = meaningOf(record);
    if (meaning !== undefined) {
      batch.cutText('category').setString(row, meaning.category);
      batch.cutText('action').setString(row, meaning.action);
      if (meaning.outcome !== undefined) batch.cutText('outcome').setString(row, meaning.outcome);
    }
    if (pid > 0) batch.pid.set(row, pid);
    const isSession =
      type === 'USER_PROCESS' || type === 'LOGIN_PROCESS' || type === 'DEAD_PROCESS';
    if (isSession && user !== '') batch.cutText('user').setString(row, user);
    if (isSession) this.setRemote(row, host, address);
    batch.setAttribute('type', type);
    for (const [name, value] of Object.entries({ line, id, user, host }))
      if (value !== '') batch.setAttribute(`ut_${name}`, value);
    if (session > 0) batch.setAttribute('ut_session', String(session));
    this.end(row, [type, user, line === '' ? '' : `on ${line}`, host === '' ? '' : `from ${host}`]);
  }

  private takeLogin(bytes: Uint8Array, at: number, offset: number): void {
    const login = lastLogin(bytes, at, this.layout);
    if (typeof login === 'string') return this.bad(bytes, at, offset, login);
    if (login === undefined) return this.sink.skip('account that never logged in', 1);
    const { time, line, host } = login;
    const { batch } = this;
    const row = this.begin(offset, time, 0);
    const uid = String(offset / this.layout.size);
    batch.cutText('category').setString(row, 'authentication');
    batch.cutText('action').setString(row, 'login');
    batch.cutText('outcome').setString(row, 'success');
    batch.cutText('user_id').setString(row, uid);
    this.setRemote(row, host, undefined);
    if (line !== '') batch.setAttribute('ll_line', line);
    if (host !== '') batch.setAttribute('ll_host', host);
    this.end(row, [
      `last login of uid ${uid}`,
      line === '' ? '' : `on ${line}`,
      host === '' ? '' : `from ${host}`,
    ]);
  }

  private begin(offset: number, time: number, digits: number): number {
    const { batch, layout, seq } = this;
    const row = batch.length;
    batch.seq.set(row, seq);
    batch.offset.set(row, offset);
    batch.record_length.set(row, layout.size);
    batch.ts.set(row, time);
    batch.ts_digits.set(row, digits);
    return row;
  }

  private end(row: number, words: readonly string[]): void {
    this.batch.message.setString(row, words.filter((word) => word !== '').join(' '));
    this.batch.endRow();
    this.sink.record(1);
  }

  private bad(bytes: Uint8Array, at: number, offset: number, reason: string): void {
    this.sink.quarantine(offset, reason, bytes.slice(at, at + this.layout.size));
  }

  /** The other end: the record's address, or its host if that is one; otherwise the host as a name. */
  private setRemote(row: number, host: string, address: Uint8Array | undefined): void {
    const { batch } = this;
    if (address !== undefined && !isZero(address, 0, 16)) {
      if (isZero(address, 4, 16)) {
        const view = new DataView(address.buffer, address.byteOffset);
        batch.src_ip4.set(row, view.getUint32(0));
      } else batch.setSource6(row, address, 0);
    } else if (host !== '') {
      const bytes = encoder.encode(host);
      const four = parseIpv4(bytes, 0, bytes.length);
      if (four >= 0) batch.src_ip4.set(row, four);
      else if (parseIpv6(bytes, 0, bytes.length, this.address, 0))
        batch.setSource6(row, this.address, 0);
    }
    const isName = /^[A-Za-z][\w-]*(?:\.[\w-]+)+$/.test(host);
    if (isName) batch.cutText('src_domain').setString(row, host);
  }
}

/**
 * LOGIN is the user of a terminal that waits for a log-in; for other users, such a record is a failed log-in
 * (btmp).
 */
function meaningOf({ type, user, line }: UtmpRecord): Meaning | undefined {
  switch (type) {
    case 'USER_PROCESS':
      return { category: 'authentication', action: 'login', outcome: 'success' };
    case 'LOGIN_PROCESS':
      return user === 'LOGIN' || user === ''
        ? undefined
        : { category: 'authentication', action: 'login', outcome: 'failure' };
    case 'DEAD_PROCESS':
      return { category: 'authentication', action: 'logout' };
    case 'BOOT_TIME':
      return { category: 'host', action: 'boot' };
    case 'RUN_LVL':
      return user === 'shutdown' || line === 'shutdown'
        ? { category: 'host', action: 'shutdown' }
        : { category: 'host', action: 'runlevel' };
    case 'NEW_TIME':
    case 'OLD_TIME':
      return { category: 'host', action: 'time-changed' };
    default:
      return undefined;
  }
}
