/** Every action of the window by name, for the command palette, shortcuts and the shell's menus. */
import { createStore, type StoreApi } from 'zustand/vanilla';

export interface Command {
  /** Stable, such as `case.open`. */
  readonly id: string;
  readonly title: string;
  readonly group: string;
  /** In the notation of Mantine's useHotkeys: `mod+K`, `alt+ArrowLeft`. */
  readonly hotkey?: string | undefined;
  /** Why it cannot run now; undefined when it can. */
  readonly disabled?: string | undefined;
  run(): void;
}

export interface CommandList {
  readonly store: StoreApi<{ readonly commands: readonly Command[] }>;
  /**
   * Adds commands; returns a function that removes them. A later command overrides an earlier one with the same ID.
   */
  add(commands: readonly Command[]): () => void;
  run(id: string): boolean;
}

export function createCommands(): CommandList {
  const store = createStore<{ readonly commands: readonly Command[] }>(() => ({ commands: [] }));
  return {
    store,
    add(commands) {
      store.setState((state) => ({ commands: [...commands, ...state.commands] }));
      return () =>
        store.setState((state) => ({
          commands: state.commands.filter((one) => !commands.includes(one)),
        }));
    },
    run(id) {
      const command = store.getState().commands.find((one) => one.id === id);
      if (command === undefined || command.disabled !== undefined) return false;
      command.run();
      return true;
    },
  };
}
