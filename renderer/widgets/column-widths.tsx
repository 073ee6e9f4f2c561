/** The widths of a table's columns: columns of numbers fit their contents. */
type Widths = readonly (number | undefined)[];

interface Props {
  /** In pixels; undefined: shares the remaining width. */
  readonly widths: Widths;
}

/** Width in pixels of the widest digit in the window's typefaces, at a table's size. */
const FIGURE = 7.7;
/** Padding of a cell, and of a button in it. */
const AROUND = 28;
/** Of a column that takes the remaining width. */
const LEAST = 90;

/** Pixels of several figures side by side, without padding. */
export function figuresWidth(texts: readonly string[]): number {
  return Math.ceil(FIGURE * texts.reduce((longest, { length }) => Math.max(longest, length), 0));
}

/** Pixels of a column whose longest number must not be cut. @param texts its heading and its numbers, as shown */
export function numberWidth(texts: readonly string[]): number {
  return figuresWidth(texts) + AROUND;
}

/** Pixels that a table of fixed columns needs. */
export function leastWidth(widths: Widths): number {
  return widths.reduce<number>((sum, width) => sum + (width ?? LEAST), 0);
}

export function ColumnWidths({ widths }: Props) {
  return (
    <colgroup>
      {widths.map((width, i) => (
        <col key={i} style={{ width }} />
      ))}
    </colgroup>
  );
}
