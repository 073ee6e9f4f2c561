/** Functions of addresses. */
import { formatIp4, formatIp6, ip6ToUuid, uuidToIp6 } from '../../values/address.ts';
import { blockOf } from '../../dialect/clickhouse.ts';
import { blockOfIp4, blockStartOfIp6 } from '../../dialect/duckdb.ts';
import { once } from '../../dialect/once.ts';
import { addressText } from '../../dialect/written-sql.ts';
import { type FunctionOperator, literalAt, typedAt } from '../operator.ts';
import { valueClickHouse } from '../value.ts';

const ALL_ONES = (1n << 128n) - 1n;

/** The first address of the block of an IPv6 address, as UUID text. */
function blockStart6(uuid: string, bits: number): string {
  return ip6ToUuid(uuidToIp6(uuid) & ~(ALL_ONES >> BigInt(bits)) & ALL_ONES);
}

/** Blocks of IPv6 that are as common as those of IPv4. */
const SIXES: Readonly<Record<number, number>> = { 8: 32, 16: 48, 24: 64, 32: 128 };

export const CIDR: FunctionOperator = {
  form: 'cidr(ip, bits [, bits of IPv6])',
  gives: 'the block that contains an address, such as 192.0.2.0/24',
  ...{ least: 2, most: 3 },
  make: (call) => {
    const ip = typedAt(call, 0, 'address');
    const bits = Number(literalAt(call, 1, 'number'));
    const alone = call.args.length < 3;
    const six = alone
      ? bits > 32
        ? bits
        : (SIXES[bits] ?? Math.min(128, bits * 2))
      : Number(literalAt(call, 2, 'number'));
    const four = Math.min(bits, 32);
    if (!Number.isInteger(bits) || bits < 0 || bits > (alone ? 128 : 32))
      call.wrong(1, 'takes a whole number from 0 to 32');
    if (!Number.isInteger(six) || six < 0 || six > 128)
      call.wrong(2, 'takes a whole number from 0 to 128');
    return {
      type: 'text',
      sql: (scope) => {
        const [v4, v6] = ip.sql(scope);
        const named = (b4: string, b6: string): string => {
          const text = addressText(blockOfIp4(b4, four), blockStartOfIp6(b6, six));
          return `${text} || CASE WHEN ${b4} IS NOT NULL THEN '/${four}' ELSE '/${six}' END`;
        };
        return [once(v4!, (b4) => once(v6!, (b6) => named(b4, b6), 'b6'), 'b4')];
      },
      clickhouse: (scope) => blockOf(valueClickHouse(ip, scope), four, six),
      reader: (scope) => {
        const read = ip.reader(scope);
        const mask = four === 0 ? 0 : (0xffff_ffff << (32 - four)) >>> 0;
        return (row) => {
          const cell = read(row);
          if (cell === null) return null;
          if (typeof cell === 'number') return `${formatIp4((cell & mask) >>> 0)}/${four}`;
          return `${formatIp6(uuidToIp6(blockStart6(cell, six)))}/${six}`;
        };
      },
    };
  },
};

export const ADDRESS_FUNCTIONS: Readonly<Record<string, FunctionOperator>> = {
  cidr: CIDR,
  toip: {
    form: 'toip(text)',
    gives: 'the text as an address',
    ...{ least: 1, most: 1 },
    make: (call) => {
      const ip = typedAt(call, 0, 'address');
      const { type, sql, reader } = ip;
      return { type, sql, reader, clickhouse: (scope) => valueClickHouse(ip, scope) };
    },
  },
};
