/**
 * Queries parsed by the engine, each once: the editor has them parsed as the user types, and running one needs no
 * further request. The meaning of a text does not change while its case is open.
 */
import type { Engine } from '../../engine/contract/wire/client.ts';
import type { Params, Result } from '../../engine/contract/operations.ts';

export type ParsedQuery = Result<'query.parse'>;
type QueryText = Params<'query.parse'>;

export interface ParsedQueries {
  known(text: QueryText): ParsedQuery | undefined;
  /** @throws OperationError */
  ask(text: QueryText): Promise<ParsedQuery>;
}

const MOST = 100;

export function createParsedQueries(connection: Engine): ParsedQueries {
  /** The most recently requested is last. */
  const kept = new Map<string, { answer: Promise<ParsedQuery>; value?: ParsedQuery }>();
  const keyOf = ({ case: path, query, zone }: QueryText): string =>
    JSON.stringify([path, query, zone]);
  return {
    known: (text) => kept.get(keyOf(text))?.value,
    ask(text) {
      const key = keyOf(text);
      const before = kept.get(key);
      if (before !== undefined) {
        kept.delete(key);
        kept.set(key, before);
        return before.answer;
      }
      const one: { answer: Promise<ParsedQuery>; value?: ParsedQuery } = {
        answer: connection.call('query.parse', text).then(
          (value) => (one.value = value),
          (error: unknown) => {
            // The engine may be back next time.
            if (kept.get(key) === one) kept.delete(key);
            throw error;
          },
        ),
      };
      kept.set(key, one);
      for (const oldest of kept.keys()) {
        if (kept.size <= MOST) break;
        kept.delete(oldest);
      }
      return one.answer;
    },
  };
}
