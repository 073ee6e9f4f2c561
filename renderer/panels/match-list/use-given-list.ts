/** The list of a dialog: pasted text or a file, sent to the engine at once, and the choices for its columns. */
import { useDebouncedValue } from '@mantine/hooks';
import { useCallback, useEffect, useRef, useState } from 'react';
import { OperationError } from '../../../engine/contract/wire/client.ts';
import type { ErrorInfo } from '../../../engine/contract/wire/frame.ts';
import { linesOf, useView, useWorkspace } from '../../panel-api.ts';

/** Name of a list that has no file. */
export const PASTED = 'pasted list';
/** The same as the engine's limit. */
const MOST_BYTES = 32 << 20;
/** Longer ones are shown as a file, even if they were pasted. */
const MOST_TYPED = 500_000;
const TYPING_MS = 250;

export interface ColumnChoice {
  /** The field each column is matched as; null: the column is ignored. */
  readonly columns: readonly (string | null)[];
  readonly header: boolean;
}

export interface GivenList {
  readonly text: string;
  /** Instead of the text. */
  readonly file: { readonly name: string; readonly size: number } | undefined;
  /** Its key in the engine; undefined: there is none, or it is being sent. */
  readonly kept: string | undefined;
  readonly isEmpty: boolean;
  readonly choice: ColumnChoice | undefined;
  readonly directed: boolean;
  readonly error: ErrorInfo | undefined;
  type(text: string): void;
  take(file: File): void;
  /** Forgets the file. */
  drop(): void;
  choose(choice: ColumnChoice | undefined): void;
  direct(directed: boolean): void;
}

/** The newest list that the engine keeps. @param first the key of one that is already kept */
function useKept(first: string | undefined) {
  const { lists } = useWorkspace();
  const [kept, setKept] = useState(first);
  const [error, setError] = useState<ErrorInfo>();
  const newest = useRef(0);
  const forget = useCallback(() => {
    newest.current += 1;
    setKept(undefined);
    setError(undefined);
  }, []);
  const keep = useCallback(
    async (bytesOf: () => Promise<Uint8Array>): Promise<void> => {
      forget();
      const current = newest.current;
      try {
        const bytes = await bytesOf();
        if (bytes.length > MOST_BYTES) throw tooLarge();
        const id = await lists.keep(bytes);
        if (current === newest.current) setKept(id);
      } catch (failure) {
        if (current === newest.current) setError(infoOf(failure));
      }
    },
    [lists, forget],
  );
  return { kept, error, keep, forget };
}

/** Starts with the list of the view. */
export function useGivenList(): GivenList {
  const { lists } = useWorkspace();
  const { list } = useView();
  const [first] = useState(() => {
    const bytes = list && lists.bytesOf(list.kept);
    if (list === undefined || bytes === undefined) return undefined;
    const typed = list.name === PASTED && bytes.length <= MOST_TYPED;
    return { list, text: typed ? linesOf(bytes).join('\n') : '', bytes, typed };
  });
  const [text, setText] = useState(first?.text ?? '');
  const [file, setFile] = useState(
    first === undefined || first.typed
      ? undefined
      : { name: first.list.name, size: first.bytes.length },
  );
  const { kept, error, keep, forget } = useKept(first?.list.kept);
  const [choice, choose] = useState<ColumnChoice | undefined>(() => {
    const columns = first?.list.columns;
    return columns && { columns, header: first?.list.header === true };
  });
  const [directed, direct] = useState(first?.list.directed === true);
  const [settled] = useDebouncedValue(text, TYPING_MS);
  const written = useRef(first?.text ?? '');
  const isFile = useRef(false);
  isFile.current = file !== undefined;

  useEffect(() => {
    // Text typed just before a file was chosen is no longer the list.
    if (settled === written.current || isFile.current) return;
    // Columns are those of the first line.
    if (firstLine(settled) !== firstLine(written.current)) choose(undefined);
    written.current = settled;
    if (settled.trim() === '') forget();
    else void keep(async () => new TextEncoder().encode(settled));
  }, [settled, keep, forget]);

  const take = (given: File): void => {
    choose(undefined);
    setFile({ name: given.name, size: given.size });
    void keep(async () => {
      if (given.size > MOST_BYTES) throw tooLarge();
      return new Uint8Array(await given.arrayBuffer());
    });
  };

  return {
    ...{ text, file, choice, directed, error, choose, direct },
    isEmpty: file === undefined && text.trim() === '',
    kept: file === undefined && settled !== text ? undefined : kept,
    type: (next) => (next.length > MOST_TYPED ? take(new File([next], PASTED)) : setText(next)),
    take,
    drop() {
      choose(undefined);
      setFile(undefined);
      forget();
      // The text typed before the file counts again.
      written.current = '';
      setText('');
    },
  };
}

function firstLine(text: string): string {
  return text.trimStart().split('\n', 1)[0]?.trim() ?? '';
}

function tooLarge(): OperationError {
  return new OperationError({
    code: 'limit-exceeded',
    message: 'the list is larger than 32 MB',
    hint: 'split it',
  });
}

function infoOf(failure: unknown): ErrorInfo {
  if (failure instanceof OperationError) return failure.info;
  return { code: 'unreadable', message: 'the file cannot be read', hint: String(failure) };
}
