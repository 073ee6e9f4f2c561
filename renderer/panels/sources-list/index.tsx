/** The case's sources in the sidebar: a click restricts the view to one. */
import { ActionIcon, Text, Tooltip, UnstyledButton } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useMemo, useState } from 'react';
import {
  formatBytes,
  formatCount,
  showEvidence,
  useAnswer,
  useCase,
  usePivots,
  useRefusal,
  useWorkspace,
  counted,
} from '../../panel-api.ts';
import { visibleText } from '../../widgets/texts/event-text.tsx';
import { eventsOf } from '../../widgets/sources/ledger-sum.ts';
import { SourceName } from '../../widgets/sources/source-name.tsx';
import { SideSection } from '../../widgets/side-section.tsx';
import css from '../../widgets/side-section.module.css';
import listCss from './sources-list.module.css';

const SHORT = 8;
const MOST = 300;

export function SourcesList() {
  const workspace = useWorkspace();
  const pivots = usePivots();
  const { case: path, readOnly } = useCase();
  const refused = useRefusal('import.start');
  const { data } = useAnswer('case.sources', { case: path });
  const [all, setAll] = useState(false);
  const sources = useMemo(
    () => [...(data?.sources ?? [])].sort((a, b) => eventsOf(b.byKind) - eventsOf(a.byKind)),
    [data],
  );
  const shown = sources.slice(0, all ? MOST : SHORT);
  return (
    <SideSection
      title="Sources"
      action={
        <Tooltip label={refused ?? 'Add evidence'} multiline maw={320}>
          <ActionIcon
            size="xs"
            aria-label="Add evidence"
            disabled={readOnly || refused !== undefined}
            onClick={() => workspace.dialogs.open({ dialog: 'import' })}
          >
            <IconPlus size={12} />
          </ActionIcon>
        </Tooltip>
      }
    >
      {data !== undefined && sources.length === 0 && (
        <Text size="xs" c="dimmed" px={12} pb={6}>
          Drop captures, logs or flow records on the window to add them.
        </Text>
      )}
      {shown.map((source) => (
        <div key={source.id} className={css['item']}>
          <UnstyledButton
            className={`${css['name']} ${listCss['source']}`}
            aria-label={visibleText(source.name, 300)}
            title={`${visibleText(source.name, 300)} — ${counted(eventsOf(source.byKind), 'event')}; click to show only these`}
            onClick={() => pivots.include('source', source.name)}
          >
            <SourceName name={source.name} />
          </UnstyledButton>
          <span className={css['small']}>
            {source.status === 'complete'
              ? source.bytes === undefined
                ? ''
                : formatBytes(source.bytes)
              : source.status}
          </span>
        </div>
      ))}
      {sources.length > SHORT && (
        <div className={css['item']}>
          <UnstyledButton
            className={listCss['more']}
            aria-expanded={all}
            onClick={() => setAll(!all)}
          >
            {all ? 'Fewer' : `${formatCount(sources.length - SHORT)} more`}
          </UnstyledButton>
          <UnstyledButton
            className={listCss['more']}
            onClick={() => showEvidence(workspace, { section: 'sources' })}
          >
            All as a table
          </UnstyledButton>
        </div>
      )}
    </SideSection>
  );
}
