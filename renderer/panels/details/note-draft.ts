/** The text in the box of a note, and the note as the window last sent or received it. */
export interface NoteDraft {
  readonly text: string;
  readonly kept: string;
}

/** The box after the note has changed to `now`: text that was typed and not sent yet stays. */
export function draftAfter({ text, kept }: NoteDraft, now: string): NoteDraft {
  return { text: text === kept ? now : text, kept: now };
}
