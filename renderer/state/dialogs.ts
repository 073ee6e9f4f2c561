/** The open dialog and its parameters. One at a time. */
import { createStore, type StoreApi } from 'zustand/vanilla';

export type DialogState =
  /** Decisions before an import. Files without a path are received first. */
  | {
      readonly dialog: 'import';
      readonly paths?: readonly string[];
      readonly files?: readonly File[];
    }
  /** A file dialog for windows whose shell has none. */
  | { readonly dialog: 'open-case' }
  /** With evidence that is imported once the case has been created. */
  | {
      readonly dialog: 'new-case';
      readonly paths?: readonly string[];
      readonly files?: readonly File[];
    }
  /** Its number and examiner. */
  | { readonly dialog: 'case-details' }
  | { readonly dialog: 'export' }
  | { readonly dialog: 'report' }
  /** Writes the case to a folder for others. */
  | { readonly dialog: 'hand-over' }
  /** Tags events: those named, or all that the view finds. */
  | { readonly dialog: 'tag'; readonly events?: readonly string[] }
  | { readonly dialog: 'delete'; readonly events?: readonly string[] }
  /** Narrows the view by a list of values. */
  | { readonly dialog: 'match-list' }
  /** Rows of the view's list that match no event. */
  | { readonly dialog: 'list-unmatched' }
  | { readonly dialog: 'save-search' }
  /** Payloads of connections. */
  | { readonly dialog: 'payload-search' }
  /** A field of text in the message of an event, which may be selected already. */
  | {
      readonly dialog: 'make-field';
      readonly event: string;
      readonly selected?: string | undefined;
    }
  /** Whether the case is intact and the evidence unchanged. */
  | { readonly dialog: 'verify' }
  | { readonly dialog: 'settings' }
  | { readonly dialog: 'shortcuts' }
  | { readonly dialog: 'language' };
export type DialogName = DialogState['dialog'];

export interface Dialogs {
  readonly store: StoreApi<{ readonly open: DialogState | undefined }>;
  open(dialog: DialogState): void;
  close(): void;
  /** Closes one whose work has ended, unless another is open by now: evidence can be dropped on each. */
  done(dialog: DialogName): void;
}

export function createDialogs(): Dialogs {
  const store = createStore<{ readonly open: DialogState | undefined }>(() => ({
    open: undefined,
  }));
  const close = (): void => store.setState({ open: undefined });
  return {
    store,
    open: (dialog) => store.setState({ open: dialog }),
    close,
    done(dialog) {
      if (store.getState().open?.dialog === dialog) close();
    },
  };
}
