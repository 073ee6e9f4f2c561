/** What is in the box of a note, and what is kept of it as far as the window knows: what it sent, or was told. */
export interface NoteDraft {
  readonly text: string;
  readonly kept: string;
}

/** Another text is kept now. What was typed meanwhile stays. */
export function draftAfter({ text, kept }: NoteDraft, now: string): NoteDraft {
  return { text: text === kept ? now : text, kept: now };
}
