/**
 * DuckDB's form of nested properties: each a number of two bytes and its value; an object ends with 0xFFFF. Whole
 * numbers are LEB128, lists and texts begin with their length, what may be missing with whether it is there.
 * https://github.com/duckdb/duckdb, src/common/serializer/binary_serializer.cpp, src/include/duckdb/common/serializer
 */
const END = 0xffff;

export class Serializer {
  private bytes = new Uint8Array(1024);
  private at = 0;

  byte(value: number): void {
    if (this.at === this.bytes.length) this.grow(this.at + 1);
    this.bytes[this.at++] = value;
  }

  raw(bytes: Uint8Array): void {
    this.grow(this.at + bytes.length);
    this.bytes.set(bytes, this.at);
    this.at += bytes.length;
  }

  private grow(need: number): void {
    if (need <= this.bytes.length) return;
    const bigger = new Uint8Array(Math.max(need, this.bytes.length * 2));
    bigger.set(this.bytes.subarray(0, this.at));
    this.bytes = bigger;
  }

  field(id: number): this {
    this.byte(id & 0xff);
    this.byte(id >>> 8);
    return this;
  }

  end(): this {
    return this.field(END);
  }

  unsigned(value: number | bigint): this {
    if (typeof value === 'number' && value < 2 ** 31) {
      let rest = value;
      for (; rest >= 128; rest >>>= 7) this.byte((rest & 127) | 128);
      this.byte(rest);
      return this;
    }
    let rest = BigInt(value);
    for (; rest >= 128n; rest >>= 7n) this.byte(Number(rest & 127n) | 128);
    this.byte(Number(rest));
    return this;
  }

  signed(value: number | bigint): this {
    let rest = BigInt(value);
    for (; rest < -64n || rest > 63n; rest >>= 7n) this.byte(Number(rest & 127n) | 128);
    this.byte(Number(rest & 127n));
    return this;
  }

  bool(value: boolean): this {
    this.byte(value ? 1 : 0);
    return this;
  }

  /** Text, or bytes: their length before them. */
  text(value: string | Uint8Array): this {
    const bytes = typeof value === 'string' ? new TextEncoder().encode(value) : value;
    this.unsigned(bytes.length);
    this.raw(bytes);
    return this;
  }

  u64(value: number | bigint): this {
    const bytes = new Uint8Array(8);
    new DataView(bytes.buffer).setBigUint64(0, BigInt.asUintN(64, BigInt(value)), true);
    this.raw(bytes);
    return this;
  }

  u32(value: number): this {
    const bytes = new Uint8Array(4);
    new DataView(bytes.buffer).setUint32(0, value, true);
    this.raw(bytes);
    return this;
  }

  f64(value: number): this {
    const bytes = new Uint8Array(8);
    new DataView(bytes.buffer).setFloat64(0, value, true);
    this.raw(bytes);
    return this;
  }

  get length(): number {
    return this.at;
  }

  take(): Uint8Array {
    return this.bytes.slice(0, this.at);
  }
}
