/** The widths of a table's columns. */
interface Props {
  /** In pixels; undefined: what the others leave. */
  readonly widths: readonly (number | undefined)[];
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
