/**
 * The most frequent values of the open fields. When the view changes, all of them are requested again, two at a
 * time, once its list and its timeline have arrived.
 *
 * Invariant: the last answer of a field stays until the new one arrives. It is marked as old if it belongs to
 * another view, but not while it is only updated for changes of the case.
 */
import { messageOfError } from '../../../engine/contract/errors.ts';
import { useEffect, useRef, useState } from 'react';
import { useStore } from 'zustand';
import { OperationError } from '../../../engine/contract/wire/client.ts';
import type { Result } from '../../../engine/contract/operations.ts';
import { useQuestion, useSession, useWorkspace } from '../../panel-api.ts';
import { eachOf } from './each-of.ts';

export interface FieldAnswer {
  readonly data: Result<'field.values'> | undefined;
  readonly problem: string | undefined;
  /** The view and the number of values requested: answers to another question are old. */
  readonly question: string;
  /** The question and the state of the case: if they differ, the values are requested again. */
  readonly asked: string;
}

interface FieldWanted {
  readonly field: string;
  readonly limit: number;
}

const AT_ONCE = 2;
/** The list and the timeline come first, but requests of other tabs may take longer than this. */
const MOST_WAIT_MS = 600;

export function useFieldValues(wanted: readonly FieldWanted[]): {
  answerOf: (field: string) => FieldAnswer | undefined;
  isOld: (wanted: FieldWanted) => boolean;
} {
  const workspace = useWorkspace();
  const question = useQuestion();
  const revision = useSession((session) => session.revision);
  const runs = useStore(workspace.views.store, (state) => state.runs);
  const [answers, setAnswers] = useState<ReadonlyMap<string, FieldAnswer>>(new Map());
  const known = useRef(answers);
  known.current = answers;
  const view = JSON.stringify(question);
  const scope = JSON.stringify([view, revision, runs]);
  const list = JSON.stringify(wanted.map(({ field, limit }) => [field, limit]));

  useEffect(() => {
    const controller = new AbortController();
    const ended = workspace.asking.begin(() => controller.abort(), true);
    const missing = (JSON.parse(list) as [string, number][])
      .map(([field, limit]) => ({ field, limit, asked: `${scope}/${limit}` }))
      .filter(({ field, asked }) => known.current.get(field)?.asked !== asked);
    const ask = async ({ field, limit, asked }: (typeof missing)[number]): Promise<void> => {
      const put = (answer: Pick<FieldAnswer, 'data' | 'problem'>): void => {
        if (controller.signal.aborted) return;
        setAnswers((before) =>
          new Map(before).set(field, { ...answer, question: `${view}/${limit}`, asked }),
        );
      };
      try {
        const data = await workspace.connection.call(
          'field.values',
          { ...question, field, limit },
          { signal: controller.signal },
        );
        put({ data, problem: undefined });
      } catch (error) {
        // The engine will come back, and everything will be requested again.
        if (error instanceof OperationError && error.info.code === 'engine-down') return;
        put({ data: undefined, problem: messageOfError(error) });
      }
    };
    void workspace.asking
      .settled(MOST_WAIT_MS)
      .then(() => eachOf(missing, AT_ONCE, controller.signal, ask))
      .finally(ended);
    return () => controller.abort();
    // `scope` stands for everything that is requested.
  }, [workspace, scope, view, list, question]);

  return {
    answerOf: (field) => answers.get(field),
    isOld: ({ field, limit }) => answers.get(field)?.question !== `${view}/${limit}`,
  };
}
