/** A flow as records of nfdump have it, whichever version wrote them. */

/**
 * Times are milliseconds since 1970; 0 means that a field was not exported, except for numbers of packets and
 * bytes.
 */
export interface Flow {
  first: number;
  last: number;
  proto: number;
  srcPort: number;
  dstPort: number;
  tcpFlags: number;
  packets: number;
  bytes: number;
  outPackets: number;
  outBytes: number;
  src4: number | undefined;
  dst4: number | undefined;
  /** 16 bytes each. */
  src6: Uint8Array | undefined;
  dst6: Uint8Array | undefined;
  vlan: number;
  user: string;
  /** Others, by the names that `nfdump -o json` has for them. */
  readonly others: Map<string, string>;
}

export function emptyFlow(): Flow {
  return {
    ...{ first: 0, last: 0, proto: 0, srcPort: 0, dstPort: 0, tcpFlags: 0 },
    ...{ packets: 0, bytes: 0, outPackets: 0, outBytes: 0 },
    ...{ src4: undefined, dst4: undefined, src6: undefined, dst6: undefined },
    ...{ vlan: 0, user: '', others: new Map<string, string>() },
  };
}

/** Reads the numbers of records, in the order of bytes of the machine that wrote them. */
export class RecordView {
  readonly bytes: Uint8Array;
  private readonly view: DataView;
  readonly little: boolean;

  constructor(bytes: Uint8Array, little: boolean) {
    this.bytes = bytes;
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    this.little = little;
  }

  u8(at: number): number {
    return this.view.getUint8(at);
  }
  u16(at: number): number {
    return this.view.getUint16(at, this.little);
  }
  u32(at: number): number {
    return this.view.getUint32(at, this.little);
  }
  /** Up to 2^53: larger ones are rounded. */
  u64(at: number): number {
    const first = this.u32(at);
    const second = this.u32(at + 4);
    return this.little ? second * 2 ** 32 + first : first * 2 ** 32 + second;
  }
  /** An IPv6 address: two numbers of 64 bits, the upper one first. */
  ip6(at: number): Uint8Array {
    const out = Uint8Array.from(this.bytes.subarray(at, at + 16));
    if (!this.little) return out;
    out.subarray(0, 8).reverse();
    out.subarray(8).reverse();
    return out;
  }
  /** An Ethernet address in the lower 48 bits of a number; undefined: none. */
  mac(at: number): string | undefined {
    const digits = this.view.getBigUint64(at, this.little).toString(16).padStart(12, '0');
    return digits === '000000000000' ? undefined : digits.match(/../g)!.join(':');
  }
  /** Up to the first NUL. */
  text(at: number, length: number): string {
    const bytes = this.bytes.subarray(at, at + length);
    const end = bytes.indexOf(0);
    return new TextDecoder().decode(end < 0 ? bytes : bytes.subarray(0, end));
  }
}

export function ip4Text(address: number): string {
  return [24, 16, 8, 0].map((shift) => (address >>> shift) & 255).join('.');
}

export function ip6Text(bytes: Uint8Array): string {
  const words = Array.from({ length: 8 }, (_, i) =>
    ((bytes[2 * i]! << 8) | bytes[2 * i + 1]!).toString(16),
  );
  return new URL(`http://[${words.join(':')}]`).hostname.slice(1, -1);
}

/** Sets a value unless it is 0. */
export function note(flow: Flow, name: string, value: number | string | undefined): void {
  if (value !== undefined && value !== 0 && value !== '') flow.others.set(name, String(value));
}
