/** The series of the timeline with their colours; a click hides one or shows it again. */
import { UnstyledButton } from '@mantine/core';
import { formatCount } from '../../panel-api.ts';
import { colorOf, seriesName, type Buckets } from './buckets.ts';
import { seriesKey } from './chart/stacks.ts';
import css from './timeline.module.css';

export function Legend({
  buckets: { series, field, hidden },
  onToggle,
}: {
  readonly buckets: Buckets;
  readonly onToggle: (key: string) => void;
}) {
  return (
    <div className={css['legend']} role="group" aria-label="Series of the timeline">
      {series.map((one, at) => {
        const key = seriesKey(one);
        const on = !hidden.has(key);
        const name = seriesName(one, field);
        return (
          <UnstyledButton
            key={key}
            className={on ? css['series'] : `${css['series']} ${css['off']}`}
            aria-pressed={on}
            title={`${name}: ${formatCount(one.total)} — click to ${on ? 'hide' : 'show'}`}
            onClick={() => onToggle(key)}
          >
            <i className={css['swatch']} style={{ background: colorOf(one, field, at) }} />
            <span className={css['seriesName']}>{name}</span>
          </UnstyledButton>
        );
      })}
    </div>
  );
}
