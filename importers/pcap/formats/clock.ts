/** Clocks of captures' interfaces. */

/** How an interface writes its time. If `divisor` is above 0, that many ticks are a microsecond. */
export interface Clock {
  readonly digits: number;
  /** Ticks times this are microseconds; 0 when ticks are finer. */
  readonly multiplier: number;
  readonly divisor: number;
  /** 2^32 / divisor and its rest, to divide 64 bits by parts. */
  readonly quotient: number;
  readonly rest: number;
  /** Nanoseconds of one tick beyond the microsecond (divisor at most 1000), otherwise 0. */
  readonly tickNanos: number;
  /** Resolution as a power: for clocks that are neither of the above. */
  readonly ticksPerSecond: bigint;
}

export function clockOf(resolution: number): Clock {
  const exponent = resolution & 0x7f;
  const base2 = (resolution & 0x80) !== 0;
  const digits = base2 ? Math.min(9, Math.ceil(exponent * Math.log10(2))) : Math.min(9, exponent);
  const ticksPerSecond = (base2 ? 2n : 10n) ** BigInt(exponent);
  const plain = { digits, multiplier: 0, divisor: 0, quotient: 0, rest: 0, tickNanos: 0 };
  if (base2 || exponent > 12) return { ...plain, ticksPerSecond };
  if (exponent <= 6) return { ...plain, multiplier: 10 ** (6 - exponent), ticksPerSecond };
  const divisor = 10 ** (exponent - 6);
  return {
    digits,
    multiplier: 0,
    divisor,
    quotient: Math.floor(4_294_967_296 / divisor),
    rest: 4_294_967_296 % divisor,
    tickNanos: exponent <= 9 ? 10 ** (9 - exponent) : 0,
    ticksPerSecond,
  };
}
