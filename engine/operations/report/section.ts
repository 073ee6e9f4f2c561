/** A part of the report. */
import type { Html } from './html.ts';

export interface Section {
  /** Of its anchor. */
  readonly id: string;
  readonly title: string;
  readonly body: Html;
  /** On paper it begins a page: only what is long. */
  readonly ownPage?: boolean;
}
