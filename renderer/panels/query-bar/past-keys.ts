/** The up and down keys of the editor: earlier queries of this case. */
import { completionStatus } from '@codemirror/autocomplete';
import type { EditorView } from '@codemirror/view';
import type { Workspace } from '../../panel-api.ts';
import { areCompletionsShown } from './completion.ts';
import { createPastQueries } from './past-queries.ts';

const PAST = 200;

export interface PastKeys {
  /** Fetches the history if the case has changed since. */
  fill(): Promise<void>;
  /** A query was run: once answered, it is in the history. */
  asked(): void;
  /** A person typed: the keys begin at the newest query again. */
  typed(): void;
  /** Whether the key was used. */
  walk(direction: 'older' | 'newer'): boolean;
}

/** @param editor returns the view, which is created after this */
export function createPastKeys(
  editor: () => EditorView,
  { session, connection, commands }: Workspace,
  write: (query: string) => void,
): PastKeys {
  const past = createPastQueries();
  let filledFor: number | undefined;
  return {
    async fill() {
      const { openCase, revision } = session.getState();
      if (openCase === undefined || filledFor === revision) return;
      filledFor = revision;
      try {
        const { queries } = await connection.call('query.history', {
          case: openCase.case,
          limit: PAST,
        });
        past.fill(queries.map(({ query }) => query).filter((query) => query !== ''));
      } catch {
        // Without a history the keys do nothing.
        filledFor = undefined;
      }
    },
    asked() {
      past.reset();
      filledFor = undefined;
    },
    typed() {
      past.reset();
    },
    walk(direction) {
      const view = editor();
      // If it comes too early for the list that is shown, no other handler gets the key.
      if (areCompletionsShown(view)) return true;
      if (!isOnOuterLine(view, direction)) return false;
      const query = past.step(direction, view.state.doc.toString());
      if (query === undefined) {
        // After the newest there are the results, unless a list is on its way.
        if (direction === 'newer')
          return completionStatus(view.state) === 'pending' || commands.run('view.results');
        return view.state.doc.lines === 1;
      }
      write(query);
      return true;
    },
  };
}

/** Whether the cursor is on the first, or last, line as wrapped. */
function isOnOuterLine(view: EditorView, direction: 'older' | 'newer'): boolean {
  const { head } = view.state.selection.main;
  const at = view.coordsAtPos(head);
  const outer = view.coordsAtPos(direction === 'older' ? 0 : view.state.doc.length);
  return at === null || outer === null || Math.abs(at.top - outer.top) < 8;
}
