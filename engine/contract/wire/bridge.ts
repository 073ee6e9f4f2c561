/**
 * What a shell can do for the window beyond carrying frames: Electron's preload puts a `Bridge` at
 * `window.daybook`; in a browser there is none. Types only; everything in it must pass a context
 * bridge (plain values, functions, promises, typed arrays).
 */
export interface FileFilter {
  readonly name: string;
  /** Without the dot. */
  readonly extensions: readonly string[];
}

/** A command from a menu of the shell or the system. */
export type ShellCommand =
  | { readonly command: 'open-case'; readonly path?: string | undefined }
  | { readonly command: 'add-evidence'; readonly paths?: readonly string[] | undefined }
  /** A command of the palette, by its id. */
  | { readonly command: 'run'; readonly id: string };

export interface Bridge {
  readonly shell: 'electron';
  readonly platform: string;
  /** Sends one frame to the engine. */
  send(frame: Uint8Array): void;
  /** One handler; frames that came before it are kept for it. */
  onFrame(handler: (frame: Uint8Array) => void): void;
  onCommand(handler: (command: ShellCommand) => void): void;
  /** The path on disk of a dropped or chosen file; empty if it has none. */
  pathOfFile(file: File): string;
  /** Native dialogs; undefined or empty if cancelled. */
  chooseEvidence(kind: 'files' | 'folder'): Promise<readonly string[]>;
  chooseCase(): Promise<string | undefined>;
  chooseNewCase(suggested: string): Promise<string | undefined>;
  chooseSave(suggested: string, filters: readonly FileFilter[]): Promise<string | undefined>;
  /** Shows a file in the system's file manager. */
  showFile(path: string): void;
  setTitle(title: string): void;
  setTheme(theme: 'light' | 'dark' | 'auto'): void;
}
