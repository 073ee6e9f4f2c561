/** The current view as parameters of requests: every panel starts from these, and adds its own. */
import { useMemo } from 'react';
import { useCase, useView, useZone } from '../context.ts';
import { askedList, type AskedList } from './lists.ts';
import type { View } from './views.ts';
import type { Session } from '../case/session.ts';

interface Question {
  readonly case: string;
  readonly query: string;
  /** UTC microseconds; half-open. */
  readonly from: number | undefined;
  readonly to: number | undefined;
  readonly list: AskedList | undefined;
  readonly zone: string;
}

type Found = Pick<View, 'query' | 'from' | 'to' | 'list'>;

export function questionOf(
  { query, from, to, list }: Found,
  { case: path }: Pick<NonNullable<Session['openCase']>, 'case'>,
  zone: string,
): Question {
  return { case: path, query, from, to, list: list && askedList(list), zone };
}

/** The same object until the view changes. Only where a case is open. */
export function useQuestion(): Question {
  const { case: path } = useCase();
  const { query, from, to, list } = useView();
  const zone = useZone();
  return useMemo(
    () => questionOf({ query, from, to, list }, { case: path }, zone),
    [path, query, from, to, list, zone],
  );
}
