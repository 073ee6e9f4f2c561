/** The Community ID of a row: as its event states it, or computed from the five-tuple. */
import { communityId } from '../../../util/community-id.ts';
import type { Column } from '../../../columns/columns.ts';
import { type RowScope, attributeReader, ip6At, numberAt } from '../row-scope.ts';

/** Call it once per batch. */
export function communityReader(scope: RowScope): (row: number) => string | undefined {
  const stated = attributeReader(scope, 'community_id');
  const column = (name: 'proto' | 'src_port' | 'dst_port') => scope.column({ column: name });
  const [proto, sourcePort, targetPort] = [column('proto'), column('src_port'), column('dst_port')];
  const sides = (['src', 'dst'] as const).map((side) => ({
    v4: scope.column({ column: `${side}_ip4` }),
    v6: scope.column({ column: `${side}_ip6` }),
  }));
  return (row) => {
    const id = stated(row);
    if (id !== undefined) return id;
    const number = numberAt(proto, row);
    const [from, to] = sides.map(({ v4, v6 }) => address(v4, v6, row));
    if (number === undefined || from === undefined || to?.length !== from.length) return undefined;
    return communityId(from, to, numberAt(sourcePort, row), numberAt(targetPort, row), number);
  };
}

function address(
  v4: Column | undefined,
  v6: Column | undefined,
  row: number,
): Uint8Array | undefined {
  const number = numberAt(v4, row);
  if (number === undefined) return ip6At(v6, row);
  return Uint8Array.of(number >>> 24, (number >>> 16) & 255, (number >>> 8) & 255, number & 255);
}
