/** The name of a tag in a frame of its colour. The name carries the meaning; the colour only helps. */
import { TAG_COLORS, type TagColor } from '../../engine/contract/findings.ts';
import { REST_COLOR, seriesColor } from './series-color.ts';
import css from './tag-chip.module.css';
import { visibleText } from './texts/visible-text.ts';

/** The CSS colour of a tag; grey if unknown. */
export function tagCssColor(color: TagColor | undefined): string {
  return color === undefined ? REST_COLOR : seriesColor('tag', color, TAG_COLORS.indexOf(color));
}

interface Props {
  readonly name: string;
  readonly color: TagColor | undefined;
  /** Characters of the name, 60 by default. */
  readonly max?: number;
}

export function TagChip({ name, color, max = 60 }: Props) {
  return (
    <span className={css['chip']} style={{ borderColor: tagCssColor(color) }}>
      {visibleText(name, max)}
    </span>
  );
}
