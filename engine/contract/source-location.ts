/** Location of a source: plain data, enough to open it again in another thread or years later. */
export interface SourceLocation {
  /** The file on disk. */
  readonly path: string;
  /** Archive members from the outermost in; empty for a plain or merely compressed file. */
  readonly members: readonly string[];
}
