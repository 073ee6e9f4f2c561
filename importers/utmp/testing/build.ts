/** Records of utmp and lastlog for tests, field by field. */
export interface Built {
  readonly type: number;
  readonly pid?: number;
  readonly line?: string;
  readonly id?: string;
  readonly user?: string;
  readonly host?: string;
  readonly address?: readonly number[];
  readonly session?: number;
  readonly seconds: number;
  readonly micros?: number;
}

export function utmpOf(
  records: readonly Built[],
  { isLittle = true, isLong = false }: { isLittle?: boolean; isLong?: boolean } = {},
): Uint8Array {
  const size = isLong ? 400 : 384;
  const out = new Uint8Array(size * records.length);
  records.forEach((one, i) => {
    const view = new DataView(out.buffer, i * size, size);
    const text = (at: number, value = ''): void => {
      Buffer.from(value).copy(out, i * size + at);
    };
    const long = (at: number, value = 0): void => {
      if (isLong) view.setBigInt64(at, BigInt(value), isLittle);
      else view.setInt32(at, value, isLittle);
    };
    view.setInt16(0, one.type, isLittle);
    view.setInt32(4, one.pid ?? 0, isLittle);
    text(8, one.line);
    text(40, one.id);
    text(44, one.user);
    text(76, one.host);
    const step = isLong ? 8 : 4;
    long(336, one.session);
    long(336 + step, one.seconds);
    long(336 + 2 * step, one.micros);
    out.set(one.address ?? [], i * size + 336 + 3 * step);
  });
  return out;
}

/** By account number. */
export function lastlogOf(
  logins: Readonly<Record<number, { seconds: number; line: string; host: string }>>,
  accounts: number,
): Uint8Array {
  const out = new Uint8Array(292 * accounts);
  for (const [uid, { seconds, line, host }] of Object.entries(logins)) {
    const at = Number(uid) * 292;
    new DataView(out.buffer).setUint32(at, seconds, true);
    Buffer.from(line).copy(out, at + 4);
    Buffer.from(host).copy(out, at + 36);
  }
  return out;
}
