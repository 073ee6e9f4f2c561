/** How the timeline shows its events: the stacking field, the scale, and whether as a chart or a table. */
import { ActionIcon, Tooltip, UnstyledButton } from '@mantine/core';
import { IconChartBar, IconTable } from '@tabler/icons-react';
import { usePreference, useWorkspace } from '../../panel-api.ts';
import { StackSelect } from './stack-select.tsx';
import css from './timeline.module.css';

const isBoolean = (value: unknown): value is boolean => typeof value === 'boolean';

export const useLogarithmic = () => usePreference('timeline.log', false, isBoolean);
export const useAsTable = () => usePreference('timeline.table', false, isBoolean);

export function Tools({ by, isStated }: { readonly by: string; readonly isStated: boolean }) {
  const { views } = useWorkspace();
  const [logarithmic, setLogarithmic] = useLogarithmic();
  const [asTable, setAsTable] = useAsTable();
  return (
    <div className={css['tools']}>
      <StackSelect value={by} fixed={isStated} onChange={(next) => views.show({ stack: next })} />
      <Tooltip
        label={logarithmic ? 'Logarithmic: switch to linear' : 'Linear: switch to logarithmic'}
      >
        <UnstyledButton
          className={logarithmic ? `${css['log']} ${css['logOn']}` : css['log']}
          aria-label="Log scale"
          aria-pressed={logarithmic}
          onClick={() => setLogarithmic(!logarithmic)}
        >
          Log scale
        </UnstyledButton>
      </Tooltip>
      <Tooltip label={asTable ? 'Show the chart' : 'Show as a table'}>
        <ActionIcon
          aria-label="Timeline as a table"
          aria-pressed={asTable}
          onClick={() => setAsTable(!asTable)}
        >
          {asTable ? <IconChartBar size={14} aria-hidden /> : <IconTable size={14} aria-hidden />}
        </ActionIcon>
      </Tooltip>
    </div>
  );
}
