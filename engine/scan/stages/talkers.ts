/**
 * `talkers [N]`: conversations. Addresses of a pair are put in order, so that both directions meet; who
 * started more of its events is the source in the end.
 */
import type { EventBatch } from '../../contract/event-batch.ts';
import type { RawValue } from '../../query/format.ts';
import type { TableColumn } from '../../query/relation.ts';
import type { Budget } from '../budget.ts';
import { Dictionary } from '../dictionary.ts';
import { firstOf } from '../first-of.ts';
import { GroupTable } from '../group-table.ts';
import { Doubles, Totals, highest } from '../measures.ts';
import type { AggregatingStage } from '../plan-scan.ts';
import { type Wanted, batchScope } from '../../query/batch/batch-scope.ts';
import { numberAt, uuidOf } from '../../query/batch/row-scope.ts';
import { compareValues } from '../table.ts';
import type { ScanStage } from './stage.ts';

type TalkersStage = Extract<AggregatingStage, { stage: 'talkers' }>;

const MAX_PORTS = 10;
const ADDRESSES = ['src_ip4', 'dst_ip4', 'src_ip6', 'dst_ip6'] as const;

export function talkersStage(
  stage: TalkersStage,
  columns: readonly TableColumn[],
  budget: Budget,
  wanted: Wanted,
): ScanStage {
  const pairs = new Pairs(budget);
  return {
    scoped: (batch) => pairs.scoped(batch, wanted),
    finish: () => {
      const chosen = pairs.first(stage.limit ?? Infinity);
      const ports = pairs.portsOf(chosen);
      const rows = chosen.map((pair, i) => pairs.row(pair, ports[i]!));
      return { table: { columns, rows, order: [] } };
    },
  };
}

class Pairs {
  /** Keys: number of the lower address, of the higher. */
  private readonly table: GroupTable;
  private readonly addresses: Dictionary;
  /** Keys: pair, port. */
  private readonly ports: GroupTable;
  private readonly events: Doubles;
  /** Of the events: those sent by the higher address. */
  private readonly back: Doubles;
  private readonly earliest: Doubles;
  private readonly last: Doubles;
  /** From the lower address to the higher, and the other way. */
  private readonly packets: readonly [Totals, Totals];
  private readonly bytes: readonly [Totals, Totals];

  constructor(budget: Budget) {
    this.table = new GroupTable(2, budget);
    this.addresses = new Dictionary(budget);
    this.ports = new GroupTable(2, budget);
    this.events = new Doubles(budget, 0);
    this.back = new Doubles(budget, 0);
    this.earliest = new Doubles(budget, Infinity);
    this.last = new Doubles(budget, -Infinity);
    this.packets = [new Totals(budget), new Totals(budget)];
    this.bytes = [new Totals(budget), new Totals(budget)];
  }

  scoped(batch: EventBatch, wanted: Wanted): (rows: Int32Array, n: number) => void {
    const scope = batchScope(batch, wanted);
    const of = (column: Parameters<typeof scope.peek>[0]) => scope.column({ column });
    const packets = [of('packets'), of('packets_rev')] as const;
    const bytes = [of('bytes'), of('bytes_rev')] as const;
    const [ts, port] = [of('ts'), of('dst_port')];
    for (const name of ADDRESSES) of(name);
    const words = [new Int32Array(scope.capacity), new Int32Array(scope.capacity)];
    const swapped = new Uint8Array(scope.capacity);
    const groups = new Int32Array(scope.capacity);
    const out = new Int32Array(scope.capacity);
    const isPacket = batch.kind === 'packet' ? 1 : 0;
    return (rows, n) => {
      const there = this.pairsOf(batch, rows, n, words, swapped);
      if (there === 0) return;
      this.table.assign(words, there, groups);
      const most = highest(groups, there);
      const events = this.events.reach(most);
      const back = this.back.reach(most);
      const first = this.earliest.reach(most);
      const last = this.last.reach(most);
      for (const total of [...this.packets, ...this.bytes]) total.reach(most);
      let withPort = 0;
      for (let i = 0; i < there; i++) {
        const row = rows[i]!;
        const group = groups[i]!;
        const forth = swapped[i]!;
        events[group]! += 1;
        back[group]! += forth;
        this.packets[forth]!.add(group, numberAt(packets[0], row) ?? isPacket);
        this.packets[1 - forth]!.add(group, numberAt(packets[1], row) ?? 0);
        this.bytes[forth]!.add(group, numberAt(bytes[0], row) ?? 0);
        this.bytes[1 - forth]!.add(group, numberAt(bytes[1], row) ?? 0);
        const time = numberAt(ts, row);
        if (time !== undefined) {
          if (time < first[group]!) first[group] = time;
          if (time > last[group]!) last[group] = time;
        }
        const number = numberAt(port, row);
        if (number === undefined) continue;
        words[0]![withPort] = group;
        words[1]![withPort] = number;
        withPort += 1;
      }
      this.ports.assign(words, withPort, out);
    };
  }

  /** Numbers of both addresses, of the rows that have both; those stay in `rows`. */
  private pairsOf(
    batch: EventBatch,
    rows: Int32Array,
    n: number,
    words: readonly Int32Array[],
    swapped: Uint8Array,
  ): number {
    const { src_ip4: from4, dst_ip4: to4, src_ip6: from6, dst_ip6: to6 } = batch;
    const { addresses } = this;
    let k = 0;
    for (let i = 0; i < n; i++) {
      const row = rows[i]!;
      let from: number;
      let to: number;
      let turned: boolean;
      if (from4.present[row] === 1 && to4.present[row] === 1) {
        turned = from4.values[row]! > to4.values[row]!;
        from = addresses.idOf(octets(from4.values[row]!), 0, 4);
        to = addresses.idOf(octets(to4.values[row]!), 0, 4);
      } else if (from6.present[row] === 1 && to6.present[row] === 1) {
        const [a, b] = [row * 16, row * 16 + 16];
        turned = Buffer.compare(from6.values.subarray(a, b), to6.values.subarray(a, b)) > 0;
        from = addresses.idOf(from6.values, a, b);
        to = addresses.idOf(to6.values, a, b);
      } else continue;
      words[0]![k] = turned ? to : from;
      words[1]![k] = turned ? from : to;
      swapped[k] = turned ? 1 : 0;
      rows[k++] = row;
    }
    return k;
  }

  /** Whether the higher address started more of the pair's events. */
  private flipped(pair: number): boolean {
    return this.back.values[pair]! * 2 > this.events.values[pair]!;
  }

  /** Pairs by all their bytes, then their source's packets, then their addresses. */
  first(limit: number): number[] {
    const { size } = this.table;
    const total = (pair: number) => this.bytes[0].value(pair) + this.bytes[1].value(pair);
    const rough = Float64Array.from({ length: size }, (_, pair) => Number(total(pair)));
    const compare = (a: number, b: number): number => {
      if (rough[a] !== rough[b]) return rough[b]! - rough[a]!;
      const whole = compareValues(total(a), total(b), true);
      if (whole !== 0) return whole;
      const [one, other] = [this.sums(this.packets, a), this.sums(this.packets, b)];
      const packets = compareValues(one[0], other[0], true);
      if (packets !== 0) return packets;
      const [left, right] = [this.ends(a), this.ends(b)];
      // Source and target by version 4, then by version 6.
      for (const [side, part] of [
        [0, 0],
        [1, 0],
        [0, 1],
        [1, 1],
      ] as const) {
        const order = compareValues(left[side][part], right[side][part], false);
        if (order !== 0) return order;
      }
      return 0;
    };
    return firstOf(
      Array.from({ length: size }, (_, pair) => pair),
      limit,
      compare,
    );
  }

  private sums(of: readonly [Totals, Totals], pair: number): [bigint, bigint] {
    const [a, b] = [of[0].value(pair), of[1].value(pair)];
    return this.flipped(pair) ? [b, a] : [a, b];
  }

  private ends(pair: number): [[RawValue, RawValue], [RawValue, RawValue]] {
    const low = addressParts(this.addresses.bytesOf(this.table.word(pair, 0)));
    const high = addressParts(this.addresses.bytesOf(this.table.word(pair, 1)));
    return this.flipped(pair) ? [high, low] : [low, high];
  }

  /** The ports of each of some pairs, ascending. */
  portsOf(pairs: readonly number[]): number[][] {
    const lists = new Map(pairs.map((pair): [number, number[]] => [pair, []]));
    for (let entry = 0; entry < this.ports.size; entry++)
      lists.get(this.ports.word(entry, 0))?.push(this.ports.word(entry, 1));
    return [...lists.values()].map((list) => list.sort((a, b) => a - b));
  }

  row(pair: number, ports: readonly number[]): RawValue[] {
    const [from, to] = this.ends(pair);
    const [events, back] = [this.events.values[pair]!, this.back.values[pair]!];
    const time = (value: number | undefined): RawValue =>
      value !== undefined && Number.isFinite(value) ? value : null;
    return [
      ...from,
      back === 0 || back === events ? '->' : '<->',
      ...to,
      events,
      ...this.sums(this.packets, pair),
      ...this.sums(this.bytes, pair),
      time(this.earliest.values[pair]),
      time(this.last.values[pair]),
      ports.length,
      ports.slice(0, MAX_PORTS).join(','),
    ];
  }
}

const four = new Uint8Array(4);

function octets(address: number): Uint8Array {
  four[0] = address >>> 24;
  four[1] = address >>> 16;
  four[2] = address >>> 8;
  four[3] = address;
  return four;
}

/** Version 4 and version 6, one of which is missing. */
function addressParts(bytes: Uint8Array): [RawValue, RawValue] {
  if (bytes.length === 16) return [null, uuidOf(bytes)];
  return [new DataView(bytes.buffer, bytes.byteOffset).getUint32(0), null];
}
