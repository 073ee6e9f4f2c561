/** The query bar: an editor for the language, its history, and the builder beneath. */
import { ActionIcon, Loader, Tooltip } from '@mantine/core';
import { IconAdjustmentsHorizontal, IconX } from '@tabler/icons-react';
import { useEffect, useMemo, useRef, useState } from 'react';
import { createPortal } from 'react-dom';
import { useStore } from 'zustand';
import { useCommands, usePreference, useResultList, useWorkspace } from '../../panel-api.ts';
import { createBarStore, type BarStore } from './bar-state.ts';
import { Builder } from './builder.tsx';
import { visibleText } from '../../widgets/texts/visible-text.ts';
import { createQueryEditor, type QueryEditor } from './editor.ts';
import { ListChip } from './list-chip.tsx';
import { PastMenu } from './past-menu.tsx';
import css from './query-bar.module.css';

const isBoolean = (value: unknown): value is boolean => typeof value === 'boolean';
/** The shell's element for the builder. */
const BENEATH = 'beneath-header';

export function QueryBar() {
  const workspace = useWorkspace();
  const [bar] = useState(createBarStore);
  const parent = useRef<HTMLDivElement>(null);
  const [editor, setEditor] = useState<QueryEditor>();
  const [isOpen, setOpen] = usePreference('query-builder', false, isBoolean);
  const [beneath, setBeneath] = useState<HTMLElement | null>(null);

  useEffect(() => {
    if (parent.current === null) return undefined;
    const made = createQueryEditor(parent.current, workspace, bar);
    setEditor(made);
    setBeneath(document.getElementById(BENEATH));
    return () => {
      setEditor(undefined);
      made.destroy();
    };
  }, [workspace, bar]);
  useBarCommands(editor, isOpen, setOpen);
  useKeysOfWindow(editor);

  return (
    <>
      <Frame bar={bar}>
        <ListChip />
        <div ref={parent} className={css['editor']} />
        <div className={css['tools']}>
          <Running />
          <Clear bar={bar} editor={editor} />
          <PastMenu editor={editor} />
          <Tooltip label={isOpen ? 'Hide the builder' : 'Build the query from conditions'}>
            <ActionIcon
              aria-label="Query builder"
              aria-pressed={isOpen}
              variant={isOpen ? 'light' : 'subtle'}
              color={isOpen ? 'accent' : 'gray'}
              onClick={() => setOpen(!isOpen)}
            >
              <IconAdjustmentsHorizontal size={15} />
            </ActionIcon>
          </Tooltip>
        </div>
        <Problem bar={bar} />
      </Frame>
      {beneath !== null && createPortal(<Readings bar={bar} />, beneath)}
      {isOpen &&
        editor !== undefined &&
        beneath !== null &&
        createPortal(<Builder bar={bar} editor={editor} />, beneath)}
    </>
  );
}

/** The results belong to another query than the one in the bar, which is wrong. */
function useUnanswered(bar: BarStore): void {
  const { session } = useWorkspace();
  const isRefused = useStore(bar, (state) => state.isRefused);
  useEffect(() => {
    session.setState({ unanswered: isRefused });
    return () => session.setState({ unanswered: false });
  }, [session, isRefused]);
}

function Frame({ bar, children }: { bar: BarStore; children: React.ReactNode }) {
  useUnanswered(bar);
  const isWrong = useStore(bar, ({ problem }) => problem !== undefined);
  return (
    <div className={`${css['bar'] ?? ''} ${isWrong ? (css['wrong'] ?? '') : ''}`}>{children}</div>
  );
}

function Running() {
  const { loading } = useResultList();
  if (!loading) return null;
  return (
    <span className={css['spinner']}>
      <Loader role="img" size={13} aria-label="Searching; Escape stops it" />
    </span>
  );
}

function Clear({ bar, editor }: { bar: BarStore; editor: QueryEditor | undefined }) {
  const isFilled = useStore(bar, ({ filled }) => filled);
  if (!isFilled) return null;
  return (
    <Tooltip label="Clear the query">
      <ActionIcon
        aria-label="Clear the query"
        onClick={() => {
          editor?.runText('');
          editor?.focus();
        }}
      >
        <IconX size={14} />
      </ActionIcon>
    </Tooltip>
  );
}

function Problem({ bar }: { bar: BarStore }) {
  const problem = useStore(bar, (state) => state.problem);
  if (problem === undefined) return null;
  return (
    <div className={css['problem']} role="alert">
      {problem.message}
      {problem.hint !== undefined && <div className={css['hint']}>{problem.hint}</div>}
    </div>
  );
}

/** How the engine read ambiguous parts of the query that was run. */
function Readings({ bar }: { bar: BarStore }) {
  const readings = useStore(bar, ({ parsed, edited }) => (edited ? undefined : parsed?.readings));
  if (readings === undefined || readings.length === 0) return null;
  return (
    <div className={css['readings']} role="note" aria-label="How the query was read">
      {readings.map((reading) => (
        <div key={reading}>{visibleText(reading, 400)}</div>
      ))}
    </div>
  );
}

function useBarCommands(
  editor: QueryEditor | undefined,
  isOpen: boolean,
  setOpen: (open: boolean) => void,
): void {
  const { asking } = useWorkspace();
  const set = useRef(setOpen);
  set.current = setOpen;
  const commands = useMemo(
    () =>
      editor === undefined
        ? []
        : [
            {
              id: 'query.run',
              title: 'Run the query',
              group: 'Query',
              hotkey: 'mod+Enter',
              run: () => void editor.run(),
            },
            {
              id: 'query.focus',
              title: 'Go to the query bar',
              group: 'Query',
              hotkey: 'mod+L',
              run: () => editor.focus(),
            },
            {
              id: 'query.clear',
              title: 'Clear the query',
              group: 'Query',
              run: () => editor.runText(''),
            },
            {
              id: 'query.builder',
              title: isOpen ? 'Hide the query builder' : 'Show the query builder',
              group: 'Query',
              hotkey: 'mod+B',
              run: () => set.current(!isOpen),
            },
            {
              id: 'query.stop',
              title: 'Stop searching',
              group: 'Query',
              run: () => asking.stop(),
            },
          ],
    [editor, isOpen, asking],
  );
  useCommands(commands);
}

/** Whether a dialog, menu or list covers the window. Closed ones stay in the page without a box. */
function isCovered(): boolean {
  const all = document.querySelectorAll('[role="dialog"], [role="menu"], [role="listbox"]');
  return [...all].some((one) => one.getClientRects().length > 0);
}

/** Options and lists to choose from are inputs as well, but the key means nothing in them. */
function takesText(element: HTMLElement): boolean {
  if (element instanceof HTMLInputElement)
    return !element.readOnly && element.type !== 'radio' && element.type !== 'checkbox';
  return /^(?:TEXTAREA|SELECT)$/.test(element.tagName);
}

/** `/` focuses the bar and Escape stops a search, where these keys have no other meaning. */
function useKeysOfWindow(editor: QueryEditor | undefined): void {
  const { asking } = useWorkspace();
  useEffect(() => {
    let wasCovered = false;
    // Whatever the key closes is gone before the window gets the event.
    const beforeKey = ({ key }: KeyboardEvent): void => {
      wasCovered = (key === '/' || key === 'Escape') && isCovered();
    };
    const onKey = (event: KeyboardEvent): void => {
      const { target } = event;
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
      if (!(target instanceof HTMLElement) || target.isContentEditable) return;
      if (takesText(target)) return;
      if (wasCovered) return;
      if (event.key === '/') {
        event.preventDefault();
        editor?.focus();
      } else if (event.key === 'Escape' && asking.running()) {
        event.preventDefault();
        asking.stop();
      }
    };
    window.addEventListener('keydown', beforeKey, { capture: true });
    window.addEventListener('keydown', onKey);
    return () => {
      window.removeEventListener('keydown', beforeKey, { capture: true });
      window.removeEventListener('keydown', onKey);
    };
  }, [editor, asking]);
}
