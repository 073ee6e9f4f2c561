/**
 * The editor of the query bar: a single line that grows. It knows the view only through the
 * workspace: what it holds is run into the view, and it follows the view when that changes elsewhere.
 *
 * Holds always: no key waits for the engine; what is asked meanwhile is cancelled by the next key.
 */
import {
  acceptCompletion,
  closeBrackets,
  closeBracketsKeymap,
  closeCompletion,
  completionStatus,
  moveCompletionSelection,
  selectedCompletionIndex,
  startCompletion,
} from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap, insertNewline } from '@codemirror/commands';
import { bracketMatching } from '@codemirror/language';
import { diagnosticCount, lintKeymap, setDiagnostics } from '@codemirror/lint';
import { Annotation, EditorState, Prec, type Extension } from '@codemirror/state';
import { EditorView, drawSelection, keymap, placeholder, tooltips } from '@codemirror/view';
import { getHotkeyHandler } from '@mantine/hooks';
import type { Workspace } from '../../panel-api.ts';
import { queryHighlight } from '../../widgets/query-highlight.ts';
import { queryTheme } from '../../widgets/query-theme.ts';
import { setBar, type BarStore, type Parsed } from './bar-state.ts';
import { queryCompletion } from './completion.ts';
import { createPastQueries } from './past-queries.ts';

export interface QueryEditor {
  focus(): void;
  /** Runs the editor's text, unless it is wrong. */
  run(): Promise<void>;
  /** Writes a text into the editor and runs it. */
  runText(text: string): void;
  text(): string;
  destroy(): void;
}

const PARSE_MS = 120;
const PAST = 200;
/** A change that no person typed. */
const Written = Annotation.define<boolean>();

export function createQueryEditor(
  parent: HTMLElement,
  workspace: Workspace,
  bar: BarStore,
): QueryEditor {
  const { views, session, connection, asking, commands } = workspace;
  const past = createPastQueries();
  let parsing: AbortController | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let filledFor: number | undefined;

  const text = (): string => view.state.doc.toString();
  const shown = (): string => views.store.getState().view.query;

  // -- what is wrong -------------------------------------------------------------------------------

  async function parse(): Promise<Parsed | undefined> {
    clearTimeout(timer);
    parsing?.abort();
    const controller = new AbortController();
    parsing = controller;
    const query = text();
    const { openCase, zone } = session.getState();
    try {
      const parsed = await workspace.parsed.ask({ case: openCase?.case, query, zone });
      if (controller.signal.aborted || text() !== query) return undefined;
      underline(parsed);
      setBar(bar, { text: query, parsed });
      return parsed;
    } catch {
      // Cancelled, or the engine is gone: what is shown stays.
      return undefined;
    }
  }

  function underline({ error }: Parsed): void {
    if (error === undefined && diagnosticCount(view.state) === 0) return;
    const { length } = view.state.doc;
    view.dispatch(
      setDiagnostics(
        view.state,
        error === undefined
          ? []
          : [
              {
                from: Math.min(error.start, length),
                to: Math.min(Math.max(error.end, error.start), length),
                severity: 'error',
                message:
                  error.hint === undefined ? error.message : `${error.message}\n${error.hint}`,
              },
            ],
      ),
    );
  }

  function parseSoon(): void {
    clearTimeout(timer);
    parsing?.abort();
    timer = setTimeout(() => void parse(), PARSE_MS);
  }

  // -- running -------------------------------------------------------------------------------------

  async function run(): Promise<void> {
    closeCompletion(view);
    const query = text();
    // Mostly the text was taken apart while it was typed: nothing has to be asked before it runs.
    const known = bar.getState();
    const parsed = known.text === query ? known.parsed : await parse();
    if (text() !== query) return;
    const error = parsed?.error;
    if (error !== undefined) {
      setBar(bar, { isRefused: true, problem: { message: error.message, hint: error.hint } });
      view.dispatch({ selection: { anchor: Math.min(error.start, query.length) } });
      view.focus();
      return;
    }
    commit(query.trim());
  }

  function commit(query: string): void {
    past.reset();
    setBar(bar, { isRefused: false, problem: undefined });
    views.search(query);
    // The history has this query when it has been answered.
    filledFor = undefined;
    follow();
  }

  /** Writes a text as one change that can be undone. */
  function write(query: string): void {
    if (query === text()) return;
    view.dispatch({
      changes: { from: 0, to: view.state.doc.length, insert: query },
      selection: { anchor: query.length },
      scrollIntoView: true,
      annotations: Written.of(true),
    });
  }

  function follow(): void {
    write(shown());
    setBar(bar, { edited: false });
  }

  // -- the past ------------------------------------------------------------------------------------

  async function fillPast(): Promise<void> {
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
  }

  function walk(direction: 'older' | 'newer'): boolean {
    if (completionStatus(view.state) === 'active' || !onOuterLine(direction)) return false;
    const query = past.step(direction, text());
    if (query === undefined) {
      // After the newest there are the results.
      if (direction === 'newer') return commands.run('view.results');
      return view.state.doc.lines === 1;
    }
    write(query);
    return true;
  }

  /** Whether the cursor is on the first, or last, line as it is wrapped. */
  function onOuterLine(direction: 'older' | 'newer'): boolean {
    const { head } = view.state.selection.main;
    const at = view.coordsAtPos(head);
    const outer = view.coordsAtPos(direction === 'older' ? 0 : view.state.doc.length);
    return at === null || outer === null || Math.abs(at.top - outer.top) < 8;
  }

  // -- keys ----------------------------------------------------------------------------------------

  function escape(): boolean {
    if (bar.getState().isRefused) setBar(bar, { isRefused: false, problem: undefined });
    else if (asking.running()) asking.stop();
    else if (!commands.run('view.results')) view.contentDOM.blur();
    return true;
  }

  function tab(): boolean {
    if (completionStatus(view.state) !== 'active') return false;
    const chosen = selectedCompletionIndex(view.state);
    if (chosen === null || chosen < 0) moveCompletionSelection(true)(view);
    return acceptCompletion(view);
  }

  /** Shortcuts of the window: an editor has to let them through by itself. */
  function windowShortcut(event: KeyboardEvent): boolean {
    const isWindows = event.ctrlKey || event.metaKey || event.altKey || /^F\d+$/.test(event.key);
    const isWordMove = event.altKey && event.key.startsWith('Arrow') && isMac();
    if (!isWindows || isWordMove || event.isComposing) return false;
    getHotkeyHandler(
      commands.store
        .getState()
        .commands.flatMap(({ id, hotkey }) =>
          hotkey === undefined ? [] : [[hotkey, () => void commands.run(id)] as const],
        )
        .map(([hotkey, act]) => [hotkey, act]),
    )(event);
    return event.defaultPrevented;
  }

  const extensions: Extension = [
    queryTheme(),
    queryHighlight,
    queryCompletion(workspace),
    history(),
    drawSelection(),
    bracketMatching(),
    closeBrackets(),
    EditorState.languageData.of(() => [{ closeBrackets: { brackets: ['(', '"'] } }]),
    tooltips({ parent: document.body }),
    placeholder('Words, field:value, | top 10 src_ip …   F1 explains the language'),
    EditorView.lineWrapping,
    EditorView.clipboardInputFilter.of((pasted) => pasted.trim()),
    EditorView.contentAttributes.of(({ state }) => ({
      'aria-label': 'Query',
      'aria-invalid': String(diagnosticCount(state) > 0),
      autocapitalize: 'off',
      autocorrect: 'off',
      spellcheck: 'false',
    })),
    Prec.highest(EditorView.domEventHandlers({ keydown: windowShortcut })),
    Prec.high(
      keymap.of([
        { key: 'Tab', run: tab },
        { key: 'ArrowUp', run: () => walk('older') },
        { key: 'ArrowDown', run: () => walk('newer') },
      ]),
    ),
    keymap.of([
      {
        key: 'Enter',
        run: () => {
          void run();
          return true;
        },
        shift: insertNewline,
      },
      { key: 'Escape', run: escape },
      { key: 'Mod-Space', run: startCompletion },
      ...closeBracketsKeymap,
      ...historyKeymap,
      ...lintKeymap,
      // Ctrl+Enter and Alt+1… are the window's.
      ...defaultKeymap.filter(({ key }) => key !== 'Mod-Enter' && key !== 'Escape'),
    ]),
    EditorView.domEventHandlers({
      beforeinput: typeOverSelection,
      focus: () => void fillPast(),
      blur: () => setBar(bar, { problem: undefined }),
    }),
    EditorView.updateListener.of(({ docChanged, transactions, state }) => {
      if (!docChanged) return;
      const isWritten = transactions.some((one) => one.annotation(Written) === true);
      if (!isWritten) past.reset();
      setBar(bar, {
        filled: state.doc.length > 0,
        edited: state.doc.toString().trim() !== shown(),
        isRefused: false,
        problem: undefined,
      });
      parseSoon();
    }),
  ];

  const view = new EditorView({
    parent,
    state: EditorState.create({ doc: shown(), extensions }),
  });
  setBar(bar, { filled: view.state.doc.length > 0 });
  parseSoon();

  const forget = [
    views.store.subscribe((state, before) => {
      if (state.view.query !== before.view.query) follow();
    }),
    session.subscribe((state, before) => {
      if (state.zone !== before.zone || state.revision !== before.revision) parseSoon();
    }),
  ];

  return {
    focus() {
      view.focus();
      view.dispatch({ selection: { anchor: 0, head: view.state.doc.length } });
    },
    run,
    runText(query) {
      write(query);
      commit(query.trim());
    },
    text,
    destroy() {
      clearTimeout(timer);
      parsing?.abort();
      for (const one of forget) one();
      view.destroy();
    },
  };
}

/**
 * Writes over a selection by the editor's own hand: the browser would carry the colour of what it
 * replaces into a style attribute, which the page's policy refuses and complains about.
 */
function typeOverSelection(event: InputEvent, view: EditorView): boolean {
  const { data } = event;
  const { empty, from, to } = view.state.selection.main;
  if (event.inputType !== 'insertText' || data === null || event.isComposing || empty) return false;
  event.preventDefault();
  const insert = () =>
    view.state.update(view.state.replaceSelection(data), {
      userEvent: 'input.type',
      scrollIntoView: true,
    });
  const handlers = view.state.facet(EditorView.inputHandler);
  if (!handlers.some((handler) => handler(view, from, to, data, insert))) view.dispatch(insert());
  return true;
}

function isMac(): boolean {
  return /Mac/.test(navigator.platform);
}
