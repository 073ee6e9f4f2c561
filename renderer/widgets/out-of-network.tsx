/** Narrows the view to what went from private addresses to public ones. */
import { Button } from '@mantine/core';
import { IconArrowUpRight } from '@tabler/icons-react';
import { dissect, useView, useWorkspace, withTerm } from '../panel-api.ts';

const TERMS = ['src_ip:private', 'dst_ip:public'];

/** @param also what else of the view the panel changes with it */
export function OutOfNetwork({
  also = {},
}: {
  readonly also?: { readonly by?: readonly string[]; readonly measure?: string };
}) {
  const { views } = useWorkspace();
  const { query } = useView();
  return (
    <Button
      variant="default"
      leftSection={<IconArrowUpRight size={13} aria-hidden />}
      title="Only what private addresses sent to public ones"
      onClick={() =>
        views.show({
          query: TERMS.reduce((q, t) => withTerm(q, t), dissect(query).filter),
          ...also,
        })
      }
    >
      Out of the network
    </Button>
  );
}
