/** The rows of the view's list as a table needs them: by pages, and steady while the list changes. */
import { useEffect, useLayoutEffect, useMemo, useReducer, useRef, useState } from 'react';
import { OperationError, type Engine } from '../../../../engine/contract/wire/client.ts';
import type { ErrorInfo } from '../../../../engine/contract/wire/frame.ts';
import type { Params } from '../../../../engine/contract/operations.ts';
import {
  useResultList,
  useQuestion,
  useView,
  useWorkspace,
  type ResultList,
} from '../../../panel-api.ts';
import { PageCache } from './page-cache.ts';

export interface EventList {
  /** The same for a list that was reopened because the case changed. */
  readonly question: string;
  /** Changes with each list. */
  readonly key: number;
  readonly pages: PageCache;
  /** Counts the pages that arrived, so that whatever shows rows reads them again. */
  readonly version: number;
  readonly opened: ResultList['opened'];
  readonly params: ResultList['params'];
  /** The list of another view is on its way; this one is of the view before. */
  readonly stale: boolean;
  readonly pageError: ErrorInfo | undefined;
}

interface Held {
  readonly question: string;
  readonly list: ResultList;
  readonly fields: readonly string[];
  readonly projected: boolean;
  readonly pages: PageCache;
}

/** A list that is gone is opened again, but not repeatedly. */
const AGAIN_MS = 5000;
/** Maximum number of a query's own fields to read with a row. */
const MOST_FIELDS = 400;

type Asked = Omit<NonNullable<ResultList['params']>, 'case' | 'fields'>;

function questionKey({ query, from, to, list, zone, sort }: Asked): string {
  return JSON.stringify([query, from ?? null, to ?? null, list ?? null, zone, sort ?? null]);
}

/** Reads rows of an open list. */
function loader(
  connection: Engine,
  list: Pick<Params<'result.rows'>, 'case' | 'result'>,
  fields: readonly string[],
) {
  return async (offset: number, limit: number, signal: AbortSignal) => {
    const ask = { ...list, offset, limit, fields: [...fields] };
    return (await connection.call('result.rows', ask, { signal })).batch;
  };
}

/**
 * `fields`: the fields to read with each row; where the query names its own (`projected`), those to read in
 * addition. Undefined while there is nothing to show yet.
 */
export function useEventList(fields: readonly string[], projected: boolean): EventList | undefined {
  const workspace = useWorkspace();
  const list = useResultList();
  const { sort } = useView();
  const asked = useQuestion();
  // Before the window opens the list that these are of.
  useLayoutEffect(() => workspace.results.readWith(fields), [workspace, fields]);
  const [version, changed] = useReducer((n: number) => n + 1, 0);
  const [pageError, setPageError] = useState<ErrorInfo>();
  const lastAgain = useRef(-Infinity);
  const before = useRef<Held | undefined>(undefined);

  const held = useMemo((): Held | undefined => {
    const old = before.current;
    const { opened, first, params, error } = list;
    if (error !== undefined || params === undefined) return undefined;
    const question = questionKey(params);
    const same = old?.question === question ? old : undefined;
    if (opened === undefined) {
      if (first === undefined) return old;
      // The previous list is still open, and holds more than the beginning of the new one.
      if (same?.list.opened !== undefined) return same;
    }
    // While another list is being opened, the rows of this one stay as they are.
    const isSame = same?.list.key === list.key && same.list.opened === opened;
    if (isSame && same.fields === fields && same.projected === projected) return same;
    const named = projected ? (opened?.fields ?? []).slice(0, MOST_FIELDS) : [];
    const read = [...new Set([...named, ...fields])];
    const load =
      opened && loader(workspace.connection, { case: params.case, result: opened.result }, read);
    // Rows that were read with other columns would leave cells empty.
    const covered = fields.every((name) => params.fields?.includes(name));
    const pages = new PageCache({
      rows: opened === undefined ? (first?.rows ?? 0) : (opened.capped ?? opened.total),
      load,
      first: covered || opened === undefined ? first : undefined,
      before: same?.pages,
      onChange: () => {
        setPageError(undefined);
        changed();
      },
      onError: (failure) => {
        if (!(failure instanceof OperationError)) throw failure;
        const { code } = failure.info;
        // Whoever opened the list opens it again on a new engine.
        if (code === 'engine-down' || code === 'cancelled') return;
        const now = performance.now();
        if (code === 'not-found' && now - lastAgain.current > AGAIN_MS) {
          lastAgain.current = now;
          workspace.views.run();
          return;
        }
        setPageError(failure.info);
      },
    });
    return { question, list, fields, projected, pages };
  }, [workspace, list, fields, projected]);

  useEffect(() => {
    before.current = held;
    held?.pages.resume();
    setPageError(undefined);
    return () => held?.pages.dispose();
  }, [held]);

  if (held === undefined) return undefined;
  return {
    question: held.question,
    key: held.list.key,
    pages: held.pages,
    version,
    opened: held.list.opened,
    params: held.list.params,
    stale: list.loading && held.question !== questionKey({ ...asked, sort }),
    pageError,
  };
}
