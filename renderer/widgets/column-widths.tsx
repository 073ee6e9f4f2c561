/** The widths of a table's columns: those of numbers are as wide as what they hold. */
type Widths = readonly (number | undefined)[];

interface Props {
  /** In pixels; undefined: what the others leave. */
  readonly widths: Widths;
}

/** Of the widest figure of the faces that the window asks for, at a table's size. */
const FIGURE = 7.7;
/** Padding of a cell, and of a button in it. */
const AROUND = 28;
/** Of a column that takes what the others leave. */
const LEAST = 90;

/** Pixels of texts of figures side by side, without what is around them. */
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
