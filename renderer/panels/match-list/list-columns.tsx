/** The first rows of a list, with a choice above each column of the field that it is matched as. */
import { Select } from '@mantine/core';
import type { Result } from '../../../engine/contract/operations.ts';
import { useAnswer, useCase } from '../../panel-api.ts';
import { EventText, visibleText } from '../../widgets/texts/event-text.tsx';
import css from './match-list.module.css';
import { choiceOf, withColumn } from './choice-of.ts';
import type { ColumnChoice } from './use-given-list.ts';

type Preview = Result<'list.preview'>;

interface Props {
  readonly preview: Preview;
  readonly choice: ColumnChoice | undefined;
  readonly onChoose: (choice: ColumnChoice | undefined) => void;
}

/** Instead of a field's name. */
const NOT = '-';
const ANY = '*';
const EITHER = ['ip', 'port', 'flow'];
const ENDS = ['src_ip', 'src_port', 'dst_ip', 'dst_port', 'proto', 'community_id'];
const TEXT = 'text';
/** Values of columns that are shown. */
const MOST_SHOWN = 160;

export function ListColumns({ preview, choice, onChoose }: Props) {
  const { case: folder } = useCase();
  const fields = useAnswer('field.list', { case: folder }, { live: false }).data?.fields;
  const { form, columns, first } = preview;
  const anything = form === 'values' && choice === undefined;
  const data = choicesOf(
    preview,
    (fields ?? []).map(({ field }) => field),
  );
  const choose = (at: number, value: string): void => {
    if (value === ANY) return onChoose(undefined);
    onChoose(withColumn(choiceOf(preview, choice), at, value === NOT ? null : value));
  };
  return (
    <div className={css['frame']} tabIndex={0} role="region" aria-label="Beginning of the list">
      <table className={css['table']}>
        <thead>
          <tr>
            {columns.map(({ name, field }, at) => (
              // Columns have no other identity than their place.
              <th key={at} scope="col">
                <div className={css['column']}>
                  {name === undefined ? (
                    <span className={css['unnamed']}>
                      {columns.length === 1 ? 'each line' : `column ${at + 1}`}
                    </span>
                  ) : (
                    <EventText text={name} max={80} />
                  )}
                </div>
                <Select
                  aria-label={`How ${name === undefined ? `column ${at + 1}` : visibleText(name, 80)} is matched`}
                  data={data}
                  value={field ?? (anything ? ANY : NOT)}
                  onChange={(value) => value !== null && choose(at, value)}
                  allowDeselect={false}
                  searchable
                  maxDropdownHeight={260}
                  w={columns.length === 1 ? 210 : 130}
                  comboboxProps={{ width: 210, position: 'bottom-start' }}
                  classNames={{
                    input: `mono ${field === undefined && !anything ? (css['off'] ?? '') : ''}`,
                  }}
                />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {first.map((row, line) => (
            <tr key={line}>
              {row.map((cell, at) => (
                <td
                  key={at}
                  className={`mono ${columns[at]?.field === undefined && !anything ? (css['off'] ?? '') : ''}`}
                >
                  {cell === '' ? (
                    <span className={css['unnamed']}>any</span>
                  ) : (
                    <EventText text={cell} max={MOST_SHOWN} />
                  )}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** The fields that a column may be matched as. @param fields of the case */
function choicesOf({ form, columns }: Props['preview'], fields: readonly string[]) {
  const known = new Set([...EITHER, ...ENDS, TEXT]);
  const others = [...fields]
    .concat(columns.flatMap(({ field }) => field ?? []))
    .filter((field) => !known.has(field));
  const item = (value: string, label = value) => ({ value, label: visibleText(label, 80) });
  return [
    form === 'values' ? item(ANY, 'address, else text') : item(NOT, 'not matched'),
    { group: 'Either end', items: EITHER.map((one) => item(one)) },
    { group: 'One end', items: ENDS.map((one) => item(one)) },
    { group: 'Anywhere', items: [item(TEXT, 'text of the event')] },
    { group: 'Fields of this case', items: [...new Set(others)].map((one) => item(one)) },
  ];
}
