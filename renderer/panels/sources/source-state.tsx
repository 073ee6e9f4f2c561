/** Whether a source was read to its end, and whether its evidence is still there. */
import { Badge } from '@mantine/core';
import css from '../../widgets/inputs/form.module.css';
import type { Result } from '../../../engine/contract/operations.ts';

export type Source = Result<'case.sources'>['sources'][number];

export function State({ source }: { readonly source: Source }) {
  return (
    <>
      {source.status === 'failed' && <Badge color="red">failed</Badge>}
      {source.status === 'partial' && (
        <Badge color="orange" title={source.broken?.reason}>
          partial
        </Badge>
      )}
      {source.status === 'damaged' && (
        <Badge color="red" title={source.broken?.reason}>
          damaged
        </Badge>
      )}
      {source.status === 'complete' && <span className={css['muted']}>complete</span>}{' '}
      {source.exists === false && (
        <Badge color="orange" title="The events stay; raw bytes and packets cannot be read from it">
          evidence missing
        </Badge>
      )}
    </>
  );
}
