/**
 * Narrows the view to connections from private addresses to public ones. That is not all traffic that left the
 * network: an internal server's replies belong to connections opened from outside.
 */
import { Button } from '@mantine/core';
import { IconArrowUpRight } from '@tabler/icons-react';
import { dissect, useView, useWorkspace, withTerm } from '../panel-api.ts';

const TERMS = ['src_ip:private', 'dst_ip:public'];

/** @param also other changes of the view that the panel makes with it */
export function PrivateToPublic({
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
      title="Connections from private to public addresses. Replies to connections from outside are not included."
      onClick={() =>
        views.show({
          query: TERMS.reduce((q, t) => withTerm(q, t), dissect(query).filter),
          ...also,
        })
      }
    >
      Private to public
    </Button>
  );
}
