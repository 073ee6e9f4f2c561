/**
 * What is cut out of a message does not depend on the bytes after it: buffers are reused and keep old bytes there.
 */
import { expect, it } from 'vitest';
import { EventBatch } from '../columns/event-batch.ts';
import { CUT_TEXTS, type ColumnName } from '../contract/event.ts';
import { CUT_COLUMNS, type Cutter } from './cutting/cutter.ts';
import { shippedCutter, shippedExtractors } from './cutting/extractors.ts';

/** Bytes with which a value may continue, or before which it may end. */
const BEHIND = [...'17af.:=",|] \\\'/%-@>}\t\n', '::', '1.'];

/** Messages that end where a reader would look further. */
const SHORT = [
  ...[
    'sshd[100]',
    'sshd[100]:',
    'gate7',
    'gate7:',
    'Nov 27 10',
    'Nov 27 10:15:22 host1 sshd',
    '<38>Nov 27 10:15:22 h',
  ],
  ...[
    '[ID 800047',
    '[ID 800047 auth.info]',
    '[ 970.6',
    '[  970.699396]',
    '2026-11-27 10:15',
    '[2026-11-27 10:15:22',
  ],
  ...[
    'src=192.0.2.17 dst=198.51.100.3 user=[',
    'src=192.0.2.17, dst=2001:db8:',
    'src=::',
    'src=: dst=192.0.2.17',
    'user = ',
  ],
  ...[
    'a="b',
    'a=b c',
    'a: b c:',
    "user=['",
    '{"user":"alice"',
    '<Event a="b" c=',
    '<Event a',
    'CEF:0|a|b|c|d|e|5|src=192.0.2.17.',
  ],
];

function cut(cutter: Cutter, batch: EventBatch, program: string, message: string): string {
  if (program !== '') batch.program.setString(0, program);
  batch.message.setString(0, message);
  batch.endRow();
  cutter.cut(batch);
  const out: string[] = [];
  for (const name of [...CUT_COLUMNS].filter((one) => isOf(batch, one as ColumnName))) {
    const column = batch.column(name as ColumnName);
    if (column.present[0] !== 1) continue;
    const value =
      'starts' in column
        ? Buffer.from(
            column.data.subarray(4, 4 + column.data[0]! + column.data[1]! * 256),
          ).toString()
        : [...column.values.subarray(0, name.endsWith('_ip6') ? 16 : 1)].join(' ');
    out.push(`${name}=${value}`);
  }
  batch.clear();
  return out.sort().join('\n');
}

const isOf = (batch: EventBatch, name: ColumnName): boolean =>
  !CUT_TEXTS.some((one) => one === name) || batch.cutTexts.has(name as (typeof CUT_TEXTS)[number]);

it('cuts the same out of every sample whatever lies behind it', () => {
  const cutter = shippedCutter();
  const batch = new EventBatch('log', () => undefined, 2);
  const different: string[] = [];
  const messages = [
    ...SHORT.map((message) => ({ program: '', message })),
    ...shippedExtractors().flatMap(({ samples }) => samples),
  ];
  for (const { program, message: sample } of messages)
    // The full stop of a sentence is not part of a value.
    for (const message of [sample, `${sample}.`]) {
      Buffer.from(batch.message.data.buffer).fill(0);
      const first = cut(cutter, batch, program, message);
      for (const behind of BEHIND) {
        Buffer.from(batch.message.data.buffer).fill(behind);
        const again = cut(cutter, batch, program, message);
        if (again !== first)
          different.push(`${JSON.stringify(behind)}: ${message}\n${first}\n${again}`);
      }
    }
  expect(different).toEqual([]);
});
