/**
 * `talkers [N]`: conversations. Addresses of a pair are put in order, so that both directions meet; who
 * started more of its events is the source in the end.
 */
import type { EventBatch } from '../../contract/event-batch.ts';
import type { RawValue } from '../../query/format.ts';
import type { Plan } from '../../query/plan.ts';
import type { TableColumn } from '../../query/relation.ts';
import type { Budget } from '../budget.ts';
import { Dictionary } from '../dictionary.ts';
import { GroupTable } from '../group-table.ts';
import type { AggregatingStage } from '../plan-scan.ts';
import { type Wanted, batchScope, numberAt, uuidOf } from '../row-scope.ts';
import { type ScanTable, sorted } from '../table.ts';
import type { ScanStage } from './stage.ts';

type TalkersStage = Extract<AggregatingStage, { stage: 'talkers' }>;

const MAX_PORTS = 10;
/** Bytes that a pair's ports and sums may take, roughly. */
const PAIR_BYTES = 400;
const PORT_BYTES = 24;

interface Pair {
  events: number;
  /** Of these, sent by the higher address. */
  back: number;
  packets: bigint;
  packetsBack: bigint;
  bytes: bigint;
  bytesBack: bigint;
  first: number;
  last: number;
  readonly ports: Set<number>;
}

export function talkersStage(
  stage: TalkersStage,
  _plan: Plan,
  columns: readonly TableColumn[],
  budget: Budget,
  wanted: Wanted,
): ScanStage {
  const addresses = new Dictionary(budget);
  const table = new GroupTable(2, budget);
  const pairs: Pair[] = [];
  return {
    scoped: (batch) => pairTaker(batch, addresses, table, pairs, budget, wanted),
    finish: () => {
      const rows = pairs.map((pair, group) => rowOf(pair, group, table, addresses));
      const whole: ScanTable = {
        columns,
        rows,
        order: [
          { alias: 'total', descending: true },
          { alias: 'packets', descending: true },
          ...['src_v4', 'dst_v4', 'src_v6', 'dst_v6'].map((alias) => ({
            alias,
            descending: false,
          })),
        ],
      };
      // The whole bytes of a pair order it, but are no column.
      const ordered = withTotals(whole, pairs);
      const limited = stage.limit === undefined ? ordered : ordered.slice(0, stage.limit);
      return { table: { columns, rows: limited, order: [] } };
    },
  };
}

function withTotals(whole: ScanTable, pairs: readonly Pair[]): readonly (readonly RawValue[])[] {
  const rows = whole.rows.map((row, i) => [...row, pairs[i]!.bytes + pairs[i]!.bytesBack]);
  const shape = {
    name: 'total',
    type: 'integer',
    parts: [{ role: 'value', sqlType: 'HUGEINT' }],
  } as const;
  const columns = [...whole.columns, { name: 'total', shape, aliases: ['total'] }];
  return sorted({ ...whole, columns, rows }).rows.map((row) => row.slice(0, -1));
}

function pairTaker(
  batch: EventBatch,
  addresses: Dictionary,
  table: GroupTable,
  pairs: Pair[],
  budget: Budget,
  wanted: Wanted,
): (rows: Int32Array, n: number) => void {
  const scope = batchScope(batch, wanted);
  const names = ['packets', 'packets_rev', 'bytes', 'bytes_rev', 'ts', 'dst_port'] as const;
  const [packets, packetsBack, bytes, bytesBack, ts, port] = names.map((column) =>
    scope.column({ column }),
  );
  for (const column of ['src_ip4', 'dst_ip4', 'src_ip6', 'dst_ip6'] as const)
    scope.column({ column });
  const { src_ip4: from4, dst_ip4: to4, src_ip6: from6, dst_ip6: to6 } = batch;
  const words = [new Int32Array(1), new Int32Array(1)];
  const out = new Int32Array(1);
  const pair = new Uint8Array(8);
  const view = new DataView(pair.buffer);
  const isPacket = batch.kind === 'packet';
  return (rows, n) => {
    for (let i = 0; i < n; i++) {
      const row = rows[i]!;
      let from: number;
      let to: number;
      let swapped: boolean;
      if (from4.present[row] === 1 && to4.present[row] === 1) {
        swapped = from4.values[row]! > to4.values[row]!;
        view.setUint32(0, from4.values[row]!);
        view.setUint32(4, to4.values[row]!);
        from = addresses.idOf(pair, 0, 4);
        to = addresses.idOf(pair, 4, 8);
      } else if (from6.present[row] === 1 && to6.present[row] === 1) {
        const [a, b] = [row * 16, row * 16 + 16];
        swapped = Buffer.compare(from6.values.subarray(a, b), to6.values.subarray(a, b)) > 0;
        from = addresses.idOf(from6.values, a, b);
        to = addresses.idOf(to6.values, a, b);
      } else continue;
      words[0]![0] = swapped ? to : from;
      words[1]![0] = swapped ? from : to;
      table.assign(words, 1, out);
      let own = pairs[out[0]!];
      if (own === undefined) {
        budget.take(PAIR_BYTES);
        own = {
          events: 0,
          back: 0,
          packets: 0n,
          packetsBack: 0n,
          bytes: 0n,
          bytesBack: 0n,
          first: Infinity,
          last: -Infinity,
          ports: new Set(),
        };
        pairs.push(own);
      }
      const forth = BigInt(numberAt(packets, row) ?? (isPacket ? 1 : 0));
      const rest = BigInt(numberAt(packetsBack, row) ?? 0);
      const sent = BigInt(numberAt(bytes, row) ?? 0);
      const received = BigInt(numberAt(bytesBack, row) ?? 0);
      own.events += 1;
      if (swapped) own.back += 1;
      own.packets += swapped ? rest : forth;
      own.packetsBack += swapped ? forth : rest;
      own.bytes += swapped ? received : sent;
      own.bytesBack += swapped ? sent : received;
      const time = numberAt(ts, row);
      if (time !== undefined && time < own.first) own.first = time;
      if (time !== undefined && time > own.last) own.last = time;
      const number = numberAt(port, row);
      if (number !== undefined && !own.ports.has(number)) {
        budget.take(PORT_BYTES);
        own.ports.add(number);
      }
    }
  };
}

function rowOf(pair: Pair, group: number, table: GroupTable, addresses: Dictionary): RawValue[] {
  const flip = pair.back * 2 > pair.events;
  const low = addressParts(addresses.bytesOf(table.word(group, 0)));
  const high = addressParts(addresses.bytesOf(table.word(group, 1)));
  const turned = <T>(a: T, b: T): [T, T] => (flip ? [b, a] : [a, b]);
  const [from, to] = turned(low, high);
  const one = pair.back === 0 || pair.back === pair.events;
  const time = (value: number): RawValue => (Number.isFinite(value) ? value : null);
  const ports = [...pair.ports].sort((a, b) => a - b);
  return [
    ...from,
    one ? '->' : '<->',
    ...to,
    pair.events,
    ...turned(pair.packets, pair.packetsBack),
    ...turned(pair.bytes, pair.bytesBack),
    time(pair.first),
    time(pair.last),
    ports.length,
    ports.slice(0, MAX_PORTS).join(','),
  ];
}

/** Version 4 and version 6, one of which is missing. */
function addressParts(bytes: Uint8Array): [RawValue, RawValue] {
  if (bytes.length === 16) return [null, uuidOf(bytes)];
  return [new DataView(bytes.buffer, bytes.byteOffset).getUint32(0), null];
}
