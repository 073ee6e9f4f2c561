/**
 * The editor of the query bar: a single line that grows. It knows the view only through the workspace: its text is
 * run in the view, and it follows the view when that changes elsewhere.
 *
 * Invariant: no key waits for the engine; the next key cancels requests in progress.
 */
import {
  acceptCompletion,
  closeBrackets,
  closeBracketsKeymap,
  closeCompletion,
  moveCompletionSelection,
  selectedCompletionIndex,
  startCompletion,
} from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap, insertNewline } from '@codemirror/commands';
import { bracketMatching } from '@codemirror/language';
import { diagnosticCount, lintKeymap } from '@codemirror/lint';
import { Annotation, EditorState, Prec, type Extension } from '@codemirror/state';
import { EditorView, drawSelection, keymap, placeholder, tooltips } from '@codemirror/view';
import { getHotkeyHandler } from '@mantine/hooks';
import type { Workspace } from '../../panel-api.ts';
import { queryHighlight } from '../../widgets/query/query-highlight.ts';
import { queryTheme } from '../../widgets/query/query-theme.ts';
import { errorWords } from '../../widgets/texts/window-words.ts';
import { setBar, type BarStore, type Parsed } from './bar-state.ts';
import { createQueryCheck } from './check-query.ts';
import { areCompletionsShown, queryCompletion } from './completion.ts';
import { createPastKeys, type PastKeys } from './past-keys.ts';

export interface QueryEditor {
  focus(): void;
  /** Runs the editor's text, unless it is wrong. */
  run(): Promise<void>;
  /** Writes a text into the editor and runs it. */
  runText(text: string): void;
  text(): string;
  destroy(): void;
}

/** A change that no person typed. */
const Written = Annotation.define<boolean>();

export function createQueryEditor(
  parent: HTMLElement,
  workspace: Workspace,
  bar: BarStore,
): QueryEditor {
  const { views } = workspace;
  const editor = (): EditorView => view;
  const check = createQueryCheck(editor, workspace, bar);
  const past = createPastKeys(editor, workspace, (query) => write(view, query));
  const text = (): string => view.state.doc.toString();
  const shown = (): string => views.store.getState().view.query;

  async function run(): Promise<void> {
    closeCompletion(view);
    const query = text();
    // The text was usually parsed while it was typed: then it runs without another request.
    const known = bar.getState();
    const parsed = known.text === query ? known.parsed : await check.now();
    if (text() !== query) return;
    const error = parsed?.error;
    if (error === undefined) commit(query.trim());
    else refuse(view, bar, error);
  }

  function commit(query: string): void {
    setBar(bar, { isRefused: false, problem: undefined });
    views.search(query);
    past.asked();
    follow();
  }

  function follow(): void {
    write(view, shown());
    setBar(bar, { edited: false });
  }

  const behaviour: Extension = [
    barKeys(
      past,
      () => void run(),
      () => escape(view, bar, workspace),
    ),
    EditorView.domEventHandlers({
      focus: () => void past.fill(),
      blur: () => setBar(bar, { problem: undefined }),
    }),
    barUpdates(bar, shown, (isTyped) => {
      if (isTyped) past.typed();
      check.soon();
    }),
  ];
  const view = new EditorView({
    parent,
    state: EditorState.create({ doc: shown(), extensions: [behaviour, editing(workspace)] }),
  });
  setBar(bar, { filled: view.state.doc.length > 0 });
  check.soon();

  const unfollow = onChange(workspace, follow, () => check.soon());

  return {
    focus() {
      view.focus();
      view.dispatch({ selection: { anchor: 0, head: view.state.doc.length } });
    },
    run,
    runText(query) {
      write(view, query);
      commit(query.trim());
    },
    text,
    destroy() {
      check.stop();
      unfollow();
      view.destroy();
    },
  };
}

/**
 * Called when the view has another query, or the same query may mean something else. Returns the function that
 * unsubscribes.
 */
function onChange(
  { views, session }: Workspace,
  onQuery: () => void,
  onMeaning: () => void,
): () => void {
  const ends = [
    views.store.subscribe((state, before) => {
      if (state.view.query !== before.view.query) onQuery();
    }),
    session.subscribe((state, before) => {
      if (state.zone !== before.zone || state.revision !== before.revision) onMeaning();
    }),
  ];
  return () => ends.forEach((end) => end());
}

/** Shows what is wrong with the text, and where. */
function refuse(view: EditorView, bar: BarStore, error: NonNullable<Parsed['error']>): void {
  setBar(bar, { isRefused: true, problem: errorWords(error) });
  view.dispatch({ selection: { anchor: Math.min(error.start, view.state.doc.length) } });
  view.focus();
}

/** Writes a text as one change that can be undone. */
function write(view: EditorView, query: string): void {
  if (query === view.state.doc.toString()) return;
  view.dispatch({
    changes: { from: 0, to: view.state.doc.length, insert: query },
    selection: { anchor: query.length },
    scrollIntoView: true,
    annotations: Written.of(true),
  });
}

/** Ends an error display, then a search, then editing. */
function escape(view: EditorView, bar: BarStore, { asking, commands }: Workspace): void {
  if (bar.getState().isRefused) setBar(bar, { isRefused: false, problem: undefined });
  else if (asking.running()) asking.stop();
  else if (!commands.run('view.results')) view.contentDOM.blur();
}

/** Updates the bar from the editor. @param onChange is called afterwards, with whether the user typed */
function barUpdates(
  bar: BarStore,
  shown: () => string,
  onChange: (isTyped: boolean) => void,
): Extension {
  return EditorView.updateListener.of(({ docChanged, transactions, state }) => {
    if (!docChanged) return;
    setBar(bar, {
      filled: state.doc.length > 0,
      edited: state.doc.toString().trim() !== shown(),
      isRefused: false,
      problem: undefined,
    });
    onChange(!transactions.some((one) => one.annotation(Written) === true));
  });
}

function barKeys(past: PastKeys, run: () => void, leave: () => void): Extension {
  const always = (act: () => void) => (): true => {
    act();
    return true;
  };
  return [
    Prec.high(
      keymap.of([
        { key: 'ArrowUp', run: () => past.walk('older') },
        { key: 'ArrowDown', run: () => past.walk('newer') },
      ]),
    ),
    keymap.of([
      { key: 'Enter', run: always(run), shift: insertNewline },
      { key: 'Escape', run: always(leave) },
    ]),
  ];
}

/** Extensions of any editor of queries: colours, completion, brackets, undoing. */
function editing(workspace: Workspace): Extension {
  return [
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
    Prec.highest(
      EditorView.domEventHandlers({ keydown: (event) => windowShortcut(event, workspace) }),
    ),
    Prec.high(keymap.of([{ key: 'Tab', run: tab }])),
    keymap.of([
      { key: 'Mod-Space', run: startCompletion },
      ...closeBracketsKeymap,
      ...historyKeymap,
      ...lintKeymap,
      // Ctrl+Enter and Alt+1… are the window's.
      ...defaultKeymap.filter(({ key }) => key !== 'Mod-Enter' && key !== 'Escape'),
    ]),
    EditorView.domEventHandlers({ beforeinput: typeOverSelection }),
  ];
}

function tab(view: EditorView): boolean {
  if (!areCompletionsShown(view)) return false;
  const chosen = selectedCompletionIndex(view.state);
  if (chosen === null || chosen < 0) moveCompletionSelection(true)(view);
  // If it comes too early for the list, no other handler gets the key.
  acceptCompletion(view);
  return true;
}

/** Shortcuts of the window: an editor must let them through explicitly. */
function windowShortcut(event: KeyboardEvent, { commands }: Workspace): boolean {
  const isWindows = event.ctrlKey || event.metaKey || event.altKey || /^F\d+$/.test(event.key);
  const isWordMove = event.altKey && event.key.startsWith('Arrow') && isMac();
  if (!isWindows || isWordMove || event.isComposing) return false;
  getHotkeyHandler(
    commands.store
      .getState()
      .commands.flatMap(({ id, hotkey }) =>
        hotkey === undefined ? [] : [[hotkey, () => void commands.run(id)]],
      ),
  )(event);
  return event.defaultPrevented;
}

/**
 * Replaces a selection in code: the browser would carry the colour of the replaced text into a style attribute,
 * which the page's policy refuses and reports.
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
