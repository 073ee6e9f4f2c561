/** Maps columns of a table to fields of events, and shows the first values of each column. */
import { ActionIcon, Select, Text } from '@mantine/core';
import { IconX } from '@tabler/icons-react';
import { Fragment } from 'react';
import { EventText, visibleText } from '../../widgets/texts/event-text.tsx';
import css from './import.module.css';
import type { Preview } from './decisions.ts';

interface Props {
  readonly table: NonNullable<Preview['table']>;
  readonly onMapping: (mapping: Readonly<Record<string, string>>) => void;
}

export function MappingEditor({ table, onMapping }: Props) {
  const { columns, mapping, fields } = table;
  const entries = Object.entries(mapping);
  const used = new Set(Object.values(mapping));
  const free = columns.filter(({ name }) => !used.has(name));
  const names = [...new Set(columns.map(({ name }) => name))];
  const samplesOf = (column: string): string =>
    (columns.find(({ name }) => name === column)?.samples ?? []).slice(0, 4).join('  ·  ');
  return (
    <div>
      <h4 className={css['heading']}>Columns of the table</h4>
      <div className={css['mapping']}>
        {entries.map(([field, column]) => (
          <Fragment key={field}>
            <span className="mono">
              <EventText text={field} max={100} />
            </span>
            <Select
              aria-label={`Column for ${visibleText(field)}`}
              data={names.map((name) => ({ value: name, label: visibleText(name, 80) }))}
              value={column}
              searchable
              allowDeselect={false}
              onChange={(next) => next !== null && onMapping({ ...mapping, [field]: next })}
            />
            <span className={`${css['samples']} mono`}>
              <EventText text={samplesOf(column)} max={200} />
            </span>
            <ActionIcon
              size="xs"
              aria-label={`Do not read ${visibleText(field)}`}
              onClick={() => {
                onMapping(Object.fromEntries(entries.filter(([name]) => name !== field)));
              }}
            >
              <IconX size={12} />
            </ActionIcon>
          </Fragment>
        ))}
        <Select
          aria-label="Add a field"
          placeholder="Add a field…"
          searchable
          data={fields.filter((field) => !(field in mapping))}
          value={null}
          onChange={(field) => {
            const column = free[0]?.name ?? names[0];
            if (field !== null && column !== undefined) onMapping({ ...mapping, [field]: column });
          }}
        />
      </div>
      {free.length > 0 && (
        <Text size="xs" c="dimmed" mt={6}>
          Kept as attributes under their own names:{' '}
          <EventText text={free.map(({ name }) => name).join(', ')} max={400} />
        </Text>
      )}
    </div>
  );
}
