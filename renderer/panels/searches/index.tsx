/** Saved searches of the case in the side: a click shows one again. */
import { ActionIcon, Menu, Text, Tooltip, UnstyledButton } from '@mantine/core';
import { IconDots, IconPlus } from '@tabler/icons-react';
import type { Result } from '../../../engine/contract/operations.ts';
import {
  notifyError,
  useAnswer,
  useCase,
  useRefusal,
  useWorkspace,
  viewFromString,
  viewToString,
} from '../../panel-api.ts';
import { visibleText } from '../../widgets/texts/visible-text.ts';
import { SideSection } from '../../widgets/side-section.tsx';
import css from '../../widgets/side-section.module.css';

export function SearchesPanel() {
  const workspace = useWorkspace();
  const folder = useCase().case;
  const [refused, noReport] = [useRefusal('search.save'), useRefusal('report.write')];
  const { data } = useAnswer('search.list', { case: folder });
  const searches = data?.searches ?? [];
  const show = (text: string): void => {
    const { zone, ...change } = viewFromString(text);
    workspace.setZone(zone);
    workspace.views.show(change);
  };
  return (
    <SideSection
      title="Searches"
      action={
        <Tooltip label={refused ?? 'Save this search'} multiline maw={320}>
          <ActionIcon
            size="xs"
            aria-label="Save this search"
            disabled={refused !== undefined}
            onClick={() => workspace.dialogs.open({ dialog: 'save-search' })}
          >
            <IconPlus size={12} />
          </ActionIcon>
        </Tooltip>
      }
    >
      {searches.length === 0 && (
        <Text size="xs" c="dimmed" px={12} pb={6}>
          {refused ??
            `Saved searches appear here${noReport === undefined ? ' and in the report' : ' for everybody'}.`}
        </Text>
      )}
      {searches.map((search) => (
        <div key={search.id} className={css['item']}>
          <UnstyledButton
            className={css['name']}
            title={[search.name, search.note === '' ? search.view : search.note]
              .map((text) => visibleText(text, 500))
              .join('\n')}
            onClick={() => show(search.view)}
          >
            {visibleText(search.name, 100)}
          </UnstyledButton>
          <SearchMenu search={search} />
        </div>
      ))}
    </SideSection>
  );
}

function SearchMenu({ search }: { readonly search: Result<'search.list'>['searches'][number] }) {
  const { connection, session, views } = useWorkspace();
  const folder = useCase().case;
  const { id, name, note } = search;
  const replace = (): void => {
    const view = viewToString(views.store.getState().view, session.getState().zone);
    connection
      .call('search.save', { case: folder, id, name, note, view })
      .catch((error: unknown) => notifyError(error, 'The search was not saved'));
  };
  const remove = (): void => {
    connection
      .call('search.delete', { case: folder, id })
      .catch((error: unknown) => notifyError(error, 'The search was not deleted'));
  };
  return (
    <Menu>
      <Menu.Target>
        <ActionIcon size="xs" aria-label={`More for ${visibleText(name, 60)}`}>
          <IconDots size={12} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={() => void navigator.clipboard.writeText(search.view)}>
          Copy as text
        </Menu.Item>
        <Menu.Item onClick={replace}>Replace with the current view</Menu.Item>
        <Menu.Item color="red" onClick={remove}>
          Delete
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
