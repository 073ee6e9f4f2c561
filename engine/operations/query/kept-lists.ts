/**
 * Lists whose bytes a window stores here, so that its many questions about one view need not include them. They
 * belong to the window and are dropped with it.
 */
import { DaybookError } from '../../contract/errors.ts';
import type { Request } from '../../contract/operations.ts';
import { type GivenList, sha256Of } from '../../search/index.ts';
import { LruCache } from '../../util/lru-cache.ts';
import type { Client } from '../handler.ts';

/** Limit of bytes in the lists of one window. */
const MOST_BYTES = 64 << 20;
/** Least size that a list is counted with: bounds their number to 200. */
const LEAST_BYTES = Math.floor(MOST_BYTES / 200);
const KEY = 'lists';

/** By the SHA-256 of their bytes. */
class KeptLists extends LruCache<string, Uint8Array> {
  dispose(): void {
    // Only memory is held.
  }
}

function listsOf({ kept }: Client): KeptLists {
  const known = kept.get(KEY);
  if (known instanceof KeptLists) return known;
  const lists = new KeptLists(MOST_BYTES);
  kept.set(KEY, lists);
  return lists;
}

/** Stores a list's bytes; returns the id by which the window refers to them. */
export function keepList(client: Client, bytes: Uint8Array): string {
  const id = sha256Of(bytes);
  listsOf(client).set(id, bytes, Math.max(bytes.length, LEAST_BYTES));
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

function bytesOf(client: Client, list: Extract<Named, { kept: string }>): GivenList {
  const bytes = listsOf(client).get(list.kept);
  if (bytes === undefined)
    throw new DaybookError(
      'list-not-kept',
      'the list is no longer available',
      'choose the list again',
    );
  const { name, fields, columns, header, directed } = list;
  return { bytes, name, fields, columns, header, directed };
}
