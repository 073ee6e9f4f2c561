/**
 * Has the engine parse the editor's text while it is typed, and underlines errors. A newer text cancels the parsing
 * of an older one.
 */
import { diagnosticCount, setDiagnostics } from '@codemirror/lint';
import type { EditorView } from '@codemirror/view';
import type { Workspace } from '../../panel-api.ts';
import { errorWords } from '../../widgets/texts/window-words.ts';
import { setBar, type BarStore, type Parsed } from './bar-state.ts';

const PARSE_MS = 120;

interface QueryCheck {
  /** Undefined: cancelled, outdated, or the engine is gone; the current marks stay. */
  now(): Promise<Parsed | undefined>;
  /** When nothing has been typed for a moment. */
  soon(): void;
  stop(): void;
}

/** @param editor returns the view, which is created after this */
export function createQueryCheck(
  editor: () => EditorView,
  workspace: Workspace,
  bar: BarStore,
): QueryCheck {
  let parsing: AbortController | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const stop = (): void => {
    clearTimeout(timer);
    parsing?.abort();
  };
  const now = async (): Promise<Parsed | undefined> => {
    stop();
    const { signal } = (parsing = new AbortController());
    const text = (): string => editor().state.doc.toString();
    const query = text();
    const { openCase, zone } = workspace.session.getState();
    try {
      const parsed = await workspace.parsed.ask({ case: openCase?.case, query, zone });
      if (signal.aborted || text() !== query) return undefined;
      underline(editor(), parsed);
      setBar(bar, { text: query, parsed });
      return parsed;
    } catch {
      return undefined;
    }
  };
  const checkLater = (): void => {
    stop();
    timer = setTimeout(() => void now(), PARSE_MS);
  };
  return { now, soon: checkLater, stop };
}

function underline(view: EditorView, { error }: Parsed): void {
  if (error === undefined && diagnosticCount(view.state) === 0) return;
  const { length } = view.state.doc;
  const words = error && errorWords(error);
  const diagnostics =
    error === undefined || words === undefined
      ? []
      : [
          {
            from: Math.min(error.start, length),
            to: Math.min(Math.max(error.end, error.start), length),
            severity: 'error' as const,
            message: [words.message, words.hint].filter(Boolean).join('\n'),
          },
        ];
  view.dispatch(setDiagnostics(view.state, diagnostics));
}
