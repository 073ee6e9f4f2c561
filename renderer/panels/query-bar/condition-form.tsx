/** A form for one condition: field, operator, and a value suggested from the case; or for its text. */
import { Autocomplete, Button, Checkbox, Select, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useMemo, useState, type FormEvent, type ReactNode } from 'react';
import { formatCount, useAnswer, useCase, useView, useZone } from '../../panel-api.ts';
import { QueryCode } from '../../widgets/query/query-code.tsx';
import { visibleText } from '../../widgets/texts/visible-text.ts';
import {
  EMPTY_CONDITION,
  OPERATORS,
  isOperator,
  writeCondition,
  type Condition,
} from './conditions.ts';
import css from './query-bar.module.css';

interface Props {
  /** The condition being edited, or the text if it is not one; neither for a new condition. */
  readonly start: { readonly condition?: Condition; readonly text?: string };
  readonly onSave: (written: string) => void;
  readonly children?: ReactNode;
}

/** Fields that can be queried in every case, besides those of the case. */
const ALWAYS = ['kind', 'source', 'tag', 'ip', 'port', 'ts', 'day', 'flow', 'community_id'];
const ANY_FIELD = '(any field)';
const VALUES = 40;

export function ConditionForm({ start, onSave, children }: Props) {
  const [condition, setCondition] = useState<Condition>(
    start.condition ?? { ...EMPTY_CONDITION, field: 'src_ip' },
  );
  const [text, setText] = useState(start.text);
  const change = (part: Partial<Condition>): void => setCondition({ ...condition, ...part });
  const written = text === undefined ? writeCondition(condition) : text.trim() || undefined;
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (written !== undefined) onSave(written);
  };
  const { field, operator } = condition;
  return (
    <form className={css['form']} onSubmit={submit} aria-label="Condition">
      {text !== undefined ? (
        <TextInput
          label="Condition"
          data-autofocus
          value={text}
          onChange={({ currentTarget }) => setText(currentTarget.value)}
        />
      ) : (
        <>
          <FieldSelect field={field} onChange={(next) => change({ field: next })} />
          {field !== undefined && (
            <Select
              label="Condition"
              mt={6}
              allowDeselect={false}
              data={[...OPERATORS]}
              value={operator}
              maxDropdownHeight={320}
              onChange={(next) => isOperator(next) && change({ operator: next })}
            />
          )}
          {operator !== 'present' && (
            <ValueInput
              condition={condition}
              label={field === undefined ? 'Words' : operator === 'range' ? 'From' : 'Value'}
              onChange={(value) => change({ value })}
            />
          )}
          {operator === 'range' && (
            <TextInput
              label="To"
              mt={6}
              value={condition.upper}
              onChange={({ currentTarget }) => change({ upper: currentTarget.value })}
            />
          )}
          <Checkbox
            mt={10}
            label="Exclude events that match"
            checked={condition.negated}
            onChange={({ currentTarget }) => change({ negated: currentTarget.checked })}
          />
        </>
      )}
      {text === undefined && written !== undefined && (
        <div style={{ marginTop: 8 }}>
          <QueryCode query={written} max={200} />
        </div>
      )}
      <div className={css['row']}>
        {children}
        <Button type="submit" disabled={written === undefined}>
          Apply
        </Button>
      </div>
    </form>
  );
}

function FieldSelect({
  field,
  onChange,
}: {
  readonly field: string | undefined;
  readonly onChange: (field: string | undefined) => void;
}) {
  const { case: folder } = useCase();
  const { data } = useAnswer('field.list', { case: folder }, { live: false });
  const options = useMemo(() => {
    const counts = new Map<string, number | undefined>(ALWAYS.map((name) => [name, undefined]));
    for (const one of data?.fields ?? []) counts.set(one.field, one.events);
    if (field !== undefined && !counts.has(field)) counts.set(field, undefined);
    const names = [...counts.keys()];
    names.sort((a, b) => (counts.get(b) ?? 0) - (counts.get(a) ?? 0));
    return { counts, names };
  }, [data, field]);
  return (
    <Select
      label="Field"
      data-autofocus
      searchable
      allowDeselect={false}
      limit={200}
      maxDropdownHeight={280}
      data={[
        { value: '', label: ANY_FIELD },
        ...options.names.map((name) => ({ value: name, label: visibleText(name, 60) })),
      ]}
      value={field ?? ''}
      onChange={(next) => onChange(next === null || next === '' ? undefined : next)}
      renderOption={({ option }) => (
        <Counted text={option.label} count={options.counts.get(option.value)} />
      )}
    />
  );
}

function ValueInput({
  condition: { field, operator, value },
  label,
  onChange,
}: {
  readonly condition: Condition;
  readonly label: string;
  readonly onChange: (value: string) => void;
}) {
  const { case: folder } = useCase();
  const { from, to } = useView();
  const zone = useZone();
  const [wanted] = useDebouncedValue(field, 200);
  const { data } = useAnswer(
    'field.values',
    wanted === undefined || operator === 'pattern'
      ? undefined
      : { case: folder, query: '', from, to, zone, field: wanted, limit: VALUES },
    { live: false },
  );
  const counts = new Map<string, number>();
  for (const one of data?.values ?? [])
    if (one.value !== null) counts.set(String(one.value), one.count);
  return (
    <Autocomplete
      label={label}
      mt={6}
      size="xs"
      limit={VALUES}
      maxDropdownHeight={240}
      value={value}
      data={operator === 'any' ? [] : [...counts.keys()]}
      onChange={onChange}
      renderOption={({ option }) => (
        <Counted text={visibleText(option.value, 80)} count={counts.get(option.value)} />
      )}
    />
  );
}

function Counted({ text, count }: { readonly text: string; readonly count: number | undefined }) {
  return (
    <span className={css['option']}>
      <span className={css['value']}>{text}</span>
      {count !== undefined && <span className={css['optionCount']}>{formatCount(count)}</span>}
    </span>
  );
}
