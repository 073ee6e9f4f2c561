/** What rows are ordered by in a segment: time, nanoseconds, source, record; undated rows last. */
import type { IndexRows, NumberRows } from '../index/rows.ts';

export class RowKeys {
  length = 0;
  private ts = new Float64Array(1024);
  private nanos = new Uint16Array(1024);
  private sources = new Uint32Array(1024);
  private seqs = new Float64Array(1024);

  add({ length: n, numbers }: IndexRows): void {
    const need = this.length + n;
    if (need > this.ts.length) {
      const size = Math.max(need, this.ts.length * 2);
      this.ts = grown(this.ts, new Float64Array(size));
      this.nanos = grown(this.nanos, new Uint16Array(size));
      this.sources = grown(this.sources, new Uint32Array(size));
      this.seqs = grown(this.seqs, new Float64Array(size));
    }
    fill(this.ts, this.length, n, numbers.get('ts'), Infinity);
    fill(this.nanos, this.length, n, numbers.get('ts_ns'), 0);
    fill(this.sources, this.length, n, numbers.get('source_id'), 0);
    fill(this.seqs, this.length, n, numbers.get('seq'), 0);
    this.length = need;
  }

  /** Row i of the segment is the row that came as number `order()[i]`. */
  order(): Uint32Array {
    const { ts, nanos, sources, seqs } = this;
    const order = new Uint32Array(this.length);
    for (let i = 0; i < order.length; i++) order[i] = i;
    return order.sort((a, b) => {
      const [one, two] = [ts[a]!, ts[b]!];
      if (one !== two) return one < two ? -1 : 1;
      return nanos[a]! - nanos[b]! || sources[a]! - sources[b]! || seqs[a]! - seqs[b]!;
    });
  }
}

type Numbers = Float64Array | Uint16Array | Uint32Array;

function grown<T extends Numbers>(from: T, to: T): T {
  to.set(from);
  return to;
}

function fill(
  to: Numbers,
  at: number,
  n: number,
  from: NumberRows | undefined,
  absent: number,
): void {
  if (from === undefined) {
    to.fill(absent, at, at + n);
    return;
  }
  const { values, present } = from;
  for (let i = 0; i < n; i++) to[at + i] = present[i] === 1 ? values[i]! : absent;
}
