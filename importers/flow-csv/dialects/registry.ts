/** The dialects of tables, one per line; the first whose header fits is used. */
import { argus } from './argus.ts';
import { awsVpc } from './aws-vpc.ts';
import { cicflowmeter } from './cicflowmeter.ts';
import type { Dialect } from './dialect.ts';
import { nfdump, nfdumpPipe } from './nfdump.ts';
import { silk } from './silk.ts';
import { unswNb15 } from './unsw-nb15.ts';

export const TABLE_DIALECTS: readonly Dialect[] = [
  nfdump,
  nfdumpPipe,
  silk,
  argus,
  cicflowmeter,
  unswNb15,
  awsVpc,
];

export const FORMATS: readonly string[] = [
  ...TABLE_DIALECTS.map((dialect) => dialect.id),
  'nfdump-text',
  'nfdump-json',
  'zeek-tsv',
  'zeek-cut',
  'zeek-json',
  'suricata-eve',
  'json-lines',
  'json-array',
  'table',
];
