/**
 * AWS VPC flow logs, versions 2 to 5: blanks between columns, with a header line (S3) or without (CloudWatch, where
 * an ingestion time may come first). https://docs.aws.amazon.com/vpc/latest/userguide/flow-log-records.html
 */
import { isAddress, WHOLE, type Dialect } from './dialect.ts';

const VERSION_2: readonly string[] = [
  'version',
  'account-id',
  'interface-id',
  'srcaddr',
  'dstaddr',
  'srcport',
  'dstport',
  'protocol',
  'packets',
  'bytes',
  'start',
  'end',
  'action',
  'log-status',
];
const STATUS = /^(?:OK|NODATA|SKIPDATA)$/;
const ACCOUNT = /^(?:\d{12}|unknown)$/;
const INTERFACE = /^eni-[0-9a-f]+$/;
const ACTION = /^(?:ACCEPT|REJECT|-)$/;

/** Names the columns of a custom order as far as their cells identify them; others get a number. */
function recognise(cells: readonly string[]): readonly string[] | undefined {
  if (!cells.some((cell) => INTERFACE.test(cell)) || !cells.some((cell) => STATUS.test(cell))) {
    return undefined;
  }
  const taken = new Set<string>();
  const claim = (...names: string[]): string | undefined => {
    const name = names.find((candidate) => !taken.has(candidate));
    if (name !== undefined) taken.add(name);
    return name;
  };
  const names = cells.map((cell, i) => nameOf(cell, i, claim) ?? `column${i + 1}`);
  nameNumbers(cells, names);
  return names;
}

/** Numbers alone are ambiguous: only those in AWS's default positions get names. */
function nameNumbers(cells: readonly string[], names: string[]): void {
  const after = names.indexOf('dstaddr') + 1;
  const usual = ['srcport', 'dstport', 'protocol'];
  const limits = [65_535, 65_535, 255];
  const isUsual = usual.every(
    (_, i) => WHOLE.test(cells[after + i] ?? '') && Number(cells[after + i]) <= limits[i]!,
  );
  if (after > 0 && isUsual) for (const [i, name] of usual.entries()) names[after + i] = name;
  const start = cells.findIndex((cell) => /^1\d{9}$/.test(cell));
  if (start >= 0 && /^1\d{9}$/.test(cells[start + 1] ?? '')) {
    names[start] = 'start';
    names[start + 1] = 'end';
  }
}

function nameOf(
  cell: string,
  i: number,
  claim: (...names: string[]) => string | undefined,
): string | undefined {
  if (i === 0 && /^[2-9]$/.test(cell)) return claim('version');
  if (INTERFACE.test(cell)) return claim('interface-id');
  if (/^\d{12}$/.test(cell)) return claim('account-id');
  if (/^vpc-/.test(cell)) return claim('vpc-id');
  if (/^subnet-/.test(cell)) return claim('subnet-id');
  if (/^i-[0-9a-f]+$/.test(cell)) return claim('instance-id');
  if (/^(?:IPv4|IPv6|EFA)$/.test(cell)) return claim('type');
  if (STATUS.test(cell)) return claim('log-status');
  if (/^(?:ACCEPT|REJECT)$/.test(cell)) return claim('action');
  if (isAddress(cell)) return claim('srcaddr', 'dstaddr', 'pkt-srcaddr', 'pkt-dstaddr');
  return undefined;
}

function headerless(cells: readonly string[]): readonly string[] | undefined {
  const stamped = cells.length === 15 && /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(cells[0]!);
  const columns = stamped ? cells.slice(1) : cells;
  if (
    columns.length === 14 &&
    columns[0] === '2' &&
    ACCOUNT.test(columns[1]!) &&
    STATUS.test(columns[13]!) &&
    ACTION.test(columns[12]!) &&
    WHOLE.test(columns[10]!)
  ) {
    return stamped ? ['ingested', ...VERSION_2] : VERSION_2;
  }
  return recognise(cells);
}

export const awsVpc: Dialect = {
  id: 'aws-vpc-flow',
  kind: 'flow',
  unset: ['-'],
  unquoted: true,
  signatures: [
    ['srcaddr', 'dstaddr', 'logstatus'],
    ['interfaceid', 'srcaddr'],
    ['version', 'accountid', 'interfaceid'],
    ['srcaddr', 'dstaddr', 'start', 'end', 'action'],
  ],
  headerless,
  columns: {
    srcaddr: 'src_ip',
    dstaddr: 'dst_ip',
    srcport: 'src_port',
    dstport: 'dst_port',
    protocol: 'proto',
    packets: 'packets',
    bytes: 'bytes',
    start: 'ts',
    end: 'ts_end',
    tcpflags: 'tcp_flags',
  },
};
