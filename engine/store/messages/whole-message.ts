/** Assembles a message from its shape and variables, as the view of a segment's events does. */
import { Width } from './cut-rows.ts';
import type { MessageShape } from './message-cutter.ts';
import { bytesIn, numberAt, numberStarts } from './number-bytes.ts';

/** A row's variables. */
interface MessageVariables {
  /** As bytes, or by width, each list in order. */
  readonly numbers:
    { readonly bytes: readonly unknown[] } | { readonly lists: readonly (readonly unknown[])[] };
  /** In order. */
  readonly texts: readonly unknown[];
  readonly pid: unknown;
}

/** @param most maximum number of characters; all if omitted */
export function wholeMessage(
  { constants, widths }: MessageShape,
  { numbers, texts, pid }: MessageVariables,
  most = Infinity,
): string {
  const used = [0, 0, 0, 0];
  const starts = numberStarts(widths);
  let text = constants[0] ?? '';
  for (const [i, width] of widths.entries()) {
    let value: unknown;
    if (width === Width.pid) value = pid;
    else {
      const place = used[width]!++;
      if (width === Width.text) value = texts[place];
      else if ('lists' in numbers) value = numbers.lists[width]?.[place];
      else value = numberAt(numbers.bytes, starts[width] + place * bytesIn(width), width);
    }
    // A missing value is omitted, as by `concat`.
    if (typeof value === 'number' || typeof value === 'string') text += value;
    text += constants[i + 1] ?? '';
  }
  return firstCharacters(text, most);
}

/** Equals SQL's `left`: counts Unicode characters, not UTF-16 units. */
function firstCharacters(text: string, most: number): string {
  if (text.length <= most) return text;
  let at = 0;
  for (let n = 0; n < most && at < text.length; n++) at += text.codePointAt(at)! > 0xffff ? 2 : 1;
  return text.slice(0, at);
}
