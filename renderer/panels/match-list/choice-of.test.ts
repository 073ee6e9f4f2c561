import { expect, it } from 'vitest';
import { choiceOf, withColumn } from './choice-of.ts';

const column = (name: string, field?: string) => ({ name, field });

it('begins with what the preview found', () => {
  const preview = { columns: [column('source', 'src_ip'), column('note')], header: true };
  expect(withColumn(choiceOf(preview, undefined), 1, 'text')).toEqual({
    ...{ columns: ['src_ip', 'text'], header: true },
  });
});

it('keeps what was chosen just before, of which the preview knows nothing yet', () => {
  const preview = { columns: [column('attacker'), column('victim')], header: true };
  const first = withColumn(choiceOf(preview, undefined), 0, 'src_ip');
  const noHeader = { ...choiceOf(preview, first), header: false };
  expect(withColumn(choiceOf(preview, noHeader), 1, 'dst_ip')).toEqual({
    ...{ columns: ['src_ip', 'dst_ip'], header: false },
  });
});

it('takes a choice for a column that came with another line', () => {
  const first = { columns: [column('ip', 'src_ip')], header: false };
  const chosen = withColumn(choiceOf(first, undefined), 0, 'dst_ip');
  const more = { columns: [column('ip', 'src_ip'), column('port')], header: false };
  expect(withColumn(choiceOf(more, chosen), 1, 'dst_port').columns).toEqual(['dst_ip', 'dst_port']);
});
