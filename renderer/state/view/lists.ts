/**
 * Lists of values that views are restricted to. A view names its list. The engine keeps the bytes for this window,
 * and so does the window: an engine that no longer has them, because it was restarted or has kept many others
 * since, silently gets them again.
 */
import {
  OperationError,
  type CallOptions,
  type Engine,
} from '../../../engine/contract/wire/client.ts';
import type { OperationName, Params, Result } from '../../../engine/contract/operations.ts';

/** A list that a view is restricted to. */
export interface ViewList {
  /** The key of its bytes in the engine. */
  readonly kept: string;
  readonly name: string;
  /** Lines with values. */
  readonly rows: number;
  /** The field each column is matched as; null: the column is ignored. If left out, the header decides. */
  readonly columns?: readonly (string | null)[] | undefined;
  readonly header?: boolean | undefined;
  readonly directed?: boolean | undefined;
}

/** A list as operations take it. */
export type AskedList = NonNullable<Params<'query.run'>['list']>;

export interface Lists {
  /** The engine; it is sent lists again that it no longer has. */
  readonly engine: Engine;
  /** Returns the name under which the engine keeps these bytes. */
  keep(bytes: Uint8Array): Promise<string>;
  /** Undefined after they were evicted: the user has to supply the list again. */
  bytesOf(kept: string): Uint8Array | undefined;
}

/** Bytes of all lists that are kept; beyond this, the oldest are dropped. */
const MOST_BYTES = 128e6;

export function createLists(engine: Engine): Lists {
  const held = new Map<string, Uint8Array>();
  /** By name: the upload in progress, shared by all callers. */
  const keeping = new Map<string, Promise<unknown>>();

  function hold(kept: string, bytes: Uint8Array): void {
    held.delete(kept);
    held.set(kept, bytes);
    let size = [...held.values()].reduce((sum, { length }) => sum + length, 0);
    for (const [old, { length }] of held) {
      if (size <= MOST_BYTES || old === kept) break;
      held.delete(old);
      size -= length;
    }
  }

  async function keep(bytes: Uint8Array): Promise<string> {
    const { id } = await engine.call('list.keep', { bytes: new Uint8Array(bytes) });
    hold(id, bytes);
    return id;
  }

  function keepAgain(kept: string, bytes: Uint8Array): Promise<unknown> {
    const running = keeping.get(kept) ?? keep(bytes).finally(() => keeping.delete(kept));
    keeping.set(kept, running);
    return running;
  }

  async function call<N extends OperationName>(
    operation: N,
    params: Params<N>,
    options?: CallOptions<N>,
  ): Promise<Result<N>> {
    try {
      return await engine.call(operation, params, options);
    } catch (error) {
      const isMissed = error instanceof OperationError && error.info.code === 'list-not-kept';
      const kept = isMissed ? keptIn(params) : undefined;
      const bytes = kept === undefined ? undefined : held.get(kept);
      if (kept === undefined || bytes === undefined) throw error;
      await keepAgain(kept, bytes);
      return engine.call(operation, params, options);
    }
  }

  return { engine: { call }, keep, bytesOf: (kept) => held.get(kept) };
}

/** The list that a request names: of its view, or of the view whose events it marks. */
function keptIn(params: object): string | undefined {
  if ('target' in params && typeof params.target === 'object' && params.target !== null)
    return 'view' in params.target ? keptIn(params.target.view as object) : undefined;
  if (!('list' in params) || typeof params.list !== 'object' || params.list === null)
    return undefined;
  return 'kept' in params.list && typeof params.list.kept === 'string'
    ? params.list.kept
    : undefined;
}

export function askedList({ kept, name, columns, header, directed }: ViewList): AskedList {
  return {
    ...{ kept, name },
    ...(columns === undefined ? {} : { columns: [...columns], header: header === true }),
    ...(directed === true ? { directed } : {}),
  };
}

/** A list's text by its lines, as the engine numbers them from 1. */
export function linesOf(bytes: Uint8Array): string[] {
  const utf16 = bytes[0] === 0xff && bytes[1] === 0xfe;
  return new TextDecoder(utf16 ? 'utf-16le' : 'utf-8').decode(bytes).split(/\r?\n/);
}
