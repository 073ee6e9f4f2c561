/** What is looked for in texts. */

export interface QueryToken {
  readonly text: string;
  /** Whether `*` and `?` in `text` are wildcards. */
  readonly wildcard: boolean;
}

/** As engine/query/filters/text.ts has it. */
export interface TextQuery {
  /** At least one. */
  readonly tokens: readonly QueryToken[];
  /** The text after each token but the last. */
  readonly between: readonly string[];
}
