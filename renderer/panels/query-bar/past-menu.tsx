/** Queries that were run on this case, to run one again. */
import { ActionIcon, Menu, ScrollArea, Tooltip } from '@mantine/core';
import { IconHistory } from '@tabler/icons-react';
import { useState } from 'react';
import { formatCount, formatTime, useAnswer, useCase, useZone } from '../../panel-api.ts';
import { errorWords } from '../../widgets/texts/window-words.ts';
import { QueryCode } from '../../widgets/query/query-code.tsx';
import type { QueryEditor } from './editor.ts';
import css from './query-bar.module.css';

const MOST = 60;

export function PastMenu({ editor }: { editor: QueryEditor | undefined }) {
  const [opened, setOpened] = useState(false);
  return (
    <Menu opened={opened} onChange={setOpened} position="bottom-end" width={560} shadow="lg">
      <Menu.Target>
        <Tooltip label="Past queries" disabled={opened}>
          <ActionIcon aria-label="Past queries">
            <IconHistory size={15} />
          </ActionIcon>
        </Tooltip>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>Past queries, newest first</Menu.Label>
        {opened && <Items editor={editor} />}
      </Menu.Dropdown>
    </Menu>
  );
}

function Items({ editor }: { editor: QueryEditor | undefined }) {
  const { case: folder } = useCase();
  const zone = useZone();
  const { data, error, loading } = useAnswer('query.history', { case: folder, limit: MOST });
  const queries = data?.queries.filter(({ query }) => query.trim() !== '') ?? [];
  if (error !== undefined) return <Menu.Label>{errorWords(error).message}</Menu.Label>;
  if (queries.length === 0)
    return (
      <Menu.Label>{loading ? 'Loading…' : 'None yet: queries that you run appear here'}</Menu.Label>
    );
  return (
    <ScrollArea.Autosize mah={380}>
      {queries.map(({ query, at, count }) => (
        <Menu.Item key={query} py={4} onClick={() => editor?.runText(query)}>
          <span className={css['past']}>
            <span className={css['pastQuery']}>
              <QueryCode query={query} max={240} />
            </span>
            <span className={css['pastWhen']}>
              {count > 1 && `${formatCount(count)}× · `}
              {formatTime(Date.parse(at) * 1000, zone, 0)}
            </span>
          </span>
        </Menu.Item>
      ))}
    </ScrollArea.Autosize>
  );
}
