/** Chooses the field by which the timeline is stacked. */
import { Select } from '@mantine/core';
import { useMemo } from 'react';
import { useAnswer, useCase } from '../../panel-api.ts';
import { visibleText } from '../../widgets/texts/visible-text.ts';

const USUAL = ['kind', 'severity', 'host', 'program', 'source', 'src_ip', 'dst_ip', 'dst_port'];
const MORE = ['proto', 'service', 'conn_state', 'tag'];
const NONE = '';
/** Fields that differ from event to event make no series. */
const NEVER: ReadonlySet<string> = new Set([
  ...['ts', 'event_id', 'seq', 'message', 'offset', 'length', 'flow_id', 'community_id'],
]);

/** Of those that match the search. */
const MOST_OFFERED = 200;

interface Props {
  readonly value: string;
  readonly onChange: (field: string) => void;
  /** The query determines it. */
  readonly fixed: boolean;
}

export function StackSelect({ value, onChange, fixed }: Props) {
  const { case: path } = useCase();
  const fields = useAnswer('field.list', { case: path }).data?.fields;
  const data = useMemo(() => {
    const others = (fields ?? [])
      .map(({ field }) => field)
      .filter((field) => !USUAL.includes(field) && !MORE.includes(field) && !NEVER.has(field));
    const known = new Set(['', ...USUAL, ...MORE, ...others]);
    return [
      { value: NONE, label: 'Not split' },
      ...[...USUAL, ...MORE, ...others, ...(known.has(value) ? [] : [value])].map((field) => ({
        value: field,
        label: visibleText(field, 60),
      })),
    ];
  }, [fields, value]);
  return (
    <Select
      aria-label="Stack the timeline by"
      data={data}
      value={value}
      onChange={(next) => onChange(next ?? NONE)}
      disabled={fixed}
      allowDeselect={false}
      searchable
      limit={MOST_OFFERED}
      variant="unstyled"
      // Typing starts a search; otherwise the text would be appended to the current name.
      onFocus={({ currentTarget }) => currentTarget.select()}
      onClick={({ currentTarget }) => currentTarget.select()}
      leftSection={<span aria-hidden>by</span>}
      leftSectionWidth={22}
      w={104}
      size="xs"
      comboboxProps={{ width: 200, position: 'bottom-end' }}
      maxDropdownHeight={320}
    />
  );
}
