/** Chooses the columns of the table of events and their order. */
import { ActionIcon, Button, Checkbox, Group, Popover, ScrollArea, TextInput } from '@mantine/core';
import { IconArrowDown, IconArrowUp } from '@tabler/icons-react';
import { useMemo, useState, type ReactNode } from 'react';
import { formatCount } from '../../panel-api.ts';
import {
  columnLabel,
  SUMMARY,
  useEventColumns,
  type EventColumns,
} from '../../widgets/event-columns.ts';
import { visibleText } from '../../widgets/texts/visible-text.ts';
import css from './column-chooser.module.css';
import { ToolButton } from './tool-button.tsx';

/** Fields listed at once; the search finds the rest. */
const MOST_LISTED = 200;

interface Props {
  readonly narrow: boolean;
  readonly icon: ReactNode;
}

export function ColumnChooser({ narrow, icon }: Props) {
  const columns = useEventColumns();
  const { chosen, show } = columns;
  const [search, setSearch] = useState('');
  const [opened, setOpened] = useState(false);

  return (
    <Popover
      opened={opened}
      onChange={setOpened}
      position="bottom-end"
      shadow="md"
      width={300}
      trapFocus
      returnFocus
    >
      <Popover.Target>
        <ToolButton
          label="Columns"
          icon={icon}
          narrow={narrow}
          onClick={() => setOpened(!opened)}
        />
      </Popover.Target>
      <Popover.Dropdown p="xs">
        <TextInput
          aria-label="Search fields"
          placeholder="Search fields"
          value={search}
          onChange={(event) => setSearch(event.currentTarget.value)}
          data-autofocus
          mb={6}
        />
        <ScrollArea.Autosize mah={360} type="auto" scrollbars="y">
          <ShownColumns columns={columns} />
          <OtherFields columns={columns} search={search} />
        </ScrollArea.Autosize>
        <Group justify="space-between" mt={6}>
          <Button
            variant="subtle"
            size="compact-xs"
            disabled={!chosen}
            onClick={() => show(undefined)}
          >
            Default columns
          </Button>
          <Button size="compact-xs" variant="default" onClick={() => setOpened(false)}>
            Done
          </Button>
        </Group>
      </Popover.Dropdown>
    </Popover>
  );
}

/** The shown columns in their order, to move or hide them. */
function ShownColumns({ columns: { shown, show } }: { readonly columns: EventColumns }) {
  const move = (at: number, by: number): void => {
    const next = [...shown];
    const [name] = next.splice(at, 1);
    if (name === undefined) return;
    next.splice(at + by, 0, name);
    show(next);
  };
  return (
    <div role="group" aria-label="Columns shown">
      {shown.map((name, at) => (
        <div key={name} className={css['field']}>
          <Checkbox
            checked
            disabled={shown.length === 1}
            label={<Name field={name} />}
            onChange={() => show(shown.filter((one) => one !== name))}
          />
          <span className={css['moves']}>
            <ActionIcon
              aria-label={`Move ${name} to the left`}
              disabled={at === 0}
              onClick={() => move(at, -1)}
            >
              <IconArrowUp size={13} aria-hidden />
            </ActionIcon>
            <ActionIcon
              aria-label={`Move ${name} to the right`}
              disabled={at === shown.length - 1}
              onClick={() => move(at, 1)}
            >
              <IconArrowDown size={13} aria-hidden />
            </ActionIcon>
          </span>
        </div>
      ))}
    </div>
  );
}

/** Fields that are not shown as columns and match the search. */
function OtherFields({
  columns: { shown, fields, show },
  search,
}: {
  readonly columns: EventColumns;
  readonly search: string;
}) {
  const others = useMemo(() => {
    const wanted = search.trim().toLowerCase();
    const known = (fields ?? []).map(({ field, events }) => ({ field, events }));
    const all = [
      { field: SUMMARY, events: undefined },
      { field: 'tag', events: undefined },
      ...known,
    ];
    const seen = new Set(shown);
    return all.filter(({ field }) => {
      if (seen.has(field) || !field.toLowerCase().includes(wanted)) return false;
      seen.add(field);
      return true;
    });
  }, [fields, shown, search]);

  const add = (field: string): void => {
    // Before the summary, which takes the rest of the width.
    const at = shown.indexOf(SUMMARY);
    const next = [...shown];
    next.splice(at < 0 ? next.length : at, 0, field);
    show(next);
  };
  return (
    <div role="group" aria-label="Other fields" className={css['others']}>
      {others.slice(0, MOST_LISTED).map(({ field, events }) => (
        <div key={field} className={css['field']}>
          <Checkbox checked={false} label={<Name field={field} />} onChange={() => add(field)} />
          <span className={css['count']}>{events === undefined ? '' : formatCount(events)}</span>
        </div>
      ))}
      {others.length > MOST_LISTED && (
        <div className={css['more']}>
          and {formatCount(others.length - MOST_LISTED)} more: search for them
        </div>
      )}
      {others.length === 0 && <div className={css['more']}>No other field matches</div>}
    </div>
  );
}

function Name({ field }: { readonly field: string }) {
  const label = columnLabel(field);
  return (
    <span>
      {visibleText(label, 60)}
      {label !== field && <span className={css['aside']}> {visibleText(field, 60)}</span>}
    </span>
  );
}
