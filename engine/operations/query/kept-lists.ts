/**
 * Lists of which a window keeps the bytes here, so that its many questions about one view need not bring
 * them along. They belong to it and go with it.
 */
import { DaybookError } from '../../contract/errors.ts';
import type { Request } from '../../contract/operations.ts';
import { type GivenList, sha256Of } from '../../search/index.ts';
import type { Client } from '../handler.ts';

/** Bytes and lists that are kept for one window; beyond these, those used longest ago are let go. */
const MOST_BYTES = 64 << 20;
const MOST_LISTS = 200;
const KEY = 'list/';

class KeptList {
  readonly bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }

  dispose(): void {
    // It holds nothing but memory.
  }
}

/** Keeps a list's bytes; gives the id by which the window names them. */
export function keepList({ kept }: Client, bytes: Uint8Array): string {
  const id = sha256Of(bytes);
  kept.delete(KEY + id);
  kept.set(KEY + id, new KeptList(bytes));
  const all = [...kept].filter(
    (entry): entry is [string, KeptList] => entry[1] instanceof KeptList,
  );
  let left = all.length;
  let size = all.reduce((sum, [, list]) => sum + list.bytes.length, 0);
  for (const [key, list] of all) {
    if (left <= 1 || (size <= MOST_BYTES && left <= MOST_LISTS)) break;
    kept.delete(key);
    size -= list.bytes.length;
    left -= 1;
  }
  return id;
}

type Named = NonNullable<Request<'query.run'>['list']>;
type WithBytes<T extends { list?: Named | undefined }> = Omit<T, 'list'> & {
  list: undefined extends T['list'] ? GivenList | undefined : GivenList;
};

/**
 * The same request with the bytes of its list, if it has one.
 * @throws DaybookError list-not-kept
 */
export function withList<T extends { list: Named }>(client: Client, request: T): WithBytes<T>;
export function withList<T extends { list?: Named | undefined }>(
  client: Client,
  request: T,
): WithBytes<T>;
export function withList(client: Client, request: { list?: Named | undefined }): object {
  const { list } = request;
  return { ...request, list: list === undefined || 'bytes' in list ? list : bytesOf(client, list) };
}

function bytesOf({ kept }: Client, list: Extract<Named, { kept: string }>): GivenList {
  const key = KEY + list.kept;
  const found = kept.get(key);
  if (!(found instanceof KeptList))
    throw new DaybookError('list-not-kept', 'the list is not kept here any more', 'give it again');
  // The one used last is let go last.
  kept.delete(key);
  kept.set(key, found);
  const { name, fields, columns, header, directed } = list;
  return { bytes: found.bytes, name, fields, columns, header, directed };
}
