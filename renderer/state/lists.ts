/**
 * Lists of values that views are narrowed by. A view names its list; the engine keeps the bytes for this
 * window, and the window holds them, too: an engine that does not have them any more, because it was
 * started again or kept many others, is given them again without anybody noticing.
 */
import {
  OperationError,
  type CallOptions,
  type Engine,
} from '../../engine/contract/wire/client.ts';
import type { OperationName, Params, Result } from '../../engine/contract/operations.ts';

/** What narrows a view. */
export interface ViewList {
  /** What the engine keeps its bytes under. */
  readonly kept: string;
  readonly name: string;
  /** Lines with values. */
  readonly rows: number;
  /** What each column is matched as; null: it does not count. As its header says when left out. */
  readonly columns?: readonly (string | null)[] | undefined;
  readonly header?: boolean | undefined;
  readonly directed?: boolean | undefined;
}

/** A list as operations take it. */
export type AskedList = NonNullable<Params<'query.run'>['list']>;

export interface Lists {
  /** The engine, given lists again that it does not keep any more. */
  readonly engine: Engine;
  /** Gives the name under which the engine keeps these bytes. */
  keep(bytes: Uint8Array): Promise<string>;
  /** Undefined after they were evicted: the list has to be given again. */
  bytesOf(kept: string): Uint8Array | undefined;
}

/** Bytes of all lists that are held; beyond these, the oldest are dropped. */
const MOST_BYTES = 128e6;

export function createLists(engine: Engine): Lists {
  const held = new Map<string, Uint8Array>();
  /** By name: the upload under way, shared by all callers. */
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

/** The list that a question names: of its view, or of the view whose events are to be marked. */
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
