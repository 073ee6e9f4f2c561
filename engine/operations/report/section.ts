/** A part of the report. */
import type { Html } from './html.ts';

export interface Section {
  /** Of its anchor. */
  readonly id: string;
  readonly title: string;
  readonly body: Html;
  /** Whether it begins a page on paper: only long sections. */
  readonly startsPage?: boolean;
}
