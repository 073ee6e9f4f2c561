/** Runs work on the events of a view, after answering the queries within its query. */
import { type Ast, eventsAst, parseQuery } from '../query/index.ts';
import { Asker, type View, type ViewScope, priorityOf } from './asker.ts';
import type { AskedView } from './asked-view.ts';
import { queriesAnswered } from './query-within.ts';
import type { CaseSession } from './session/case-session.ts';

/**
 * Runs `work` on the events of a view: the part of its query that yields events, followed by `stages`.
 * @param prunes false: `work` uses the finder itself
 * @throws DaybookError query-syntax, unknown-field, cancelled, and whatever `work` throws
 */
export async function askView<T extends object>(
  session: CaseSession,
  operation: string,
  view: View,
  signal: AbortSignal | undefined,
  work: (asked: AskedView) => Promise<T>,
  stages: Ast['stages'] = [],
  prunes = true,
): Promise<T & ViewScope> {
  const release = session.store.hold();
  try {
    const question = { ...view, text: view.query, signal };
    const whole = await queriesAnswered(session, question);
    const asker = new Asker(session, operation, question, priorityOf(operation), (text) => {
      const events = eventsAst(whole ?? parseQuery(text));
      return { ...events, stages: [...events.stages, ...stages] };
    });
    for (;;) {
      try {
        const asked = asker.asked();
        const result = await work(prunes ? await asked.pruned() : asked);
        asker.finish('done');
        return { ...result, ...asker.scope() };
      } catch (error) {
        if (!asker.canRetry(error)) {
          asker.fail(error);
          throw error;
        }
        asker.replan();
      }
    }
  } finally {
    release();
  }
}
