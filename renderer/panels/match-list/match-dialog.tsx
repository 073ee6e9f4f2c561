/** Gives the view a list: shows the input, how it was understood, and how many events will remain. */
import { Button, Modal, Switch, Text } from '@mantine/core';
import { IconAlertTriangle, IconCircleCheck } from '@tabler/icons-react';
import { useEffect, useRef, useState, type DragEvent } from 'react';
import type { Result } from '../../../engine/contract/operations.ts';
import { counted, useAnswer, useCase, useView, useWorkspace } from '../../panel-api.ts';
import { EventText } from '../../widgets/texts/event-text.tsx';
import form from '../../widgets/inputs/form.module.css';
import { Form } from '../../widgets/inputs/form.tsx';
import { ListColumns } from './list-columns.tsx';
import { ListInput } from './list-input.tsx';
import css from './match-list.module.css';
import { choiceOf } from './choice-of.ts';
import { PASTED, useGivenList, type GivenList } from './use-given-list.ts';

type Preview = Result<'list.preview'>;

export function MatchDialog() {
  const { dialogs, views } = useWorkspace();
  const { case: folder } = useCase();
  const { list } = useView();
  const given = useGivenList();
  const { kept, choice, directed } = given;
  const { over, ...drop } = useDrop(given);
  const { data, error, stale } = useAnswer(
    'list.preview',
    kept === undefined
      ? undefined
      : {
          case: folder,
          list: {
            ...{ kept, directed },
            ...(choice && { columns: [...choice.columns], header: choice.header }),
          },
        },
    { live: false },
  );
  const fresh = kept === undefined || stale ? undefined : data;
  useKnownColumns(fresh, given);
  // The previous answer is shown until the next arrives.
  const last = useRef(fresh);
  last.current = given.isEmpty ? undefined : (fresh ?? last.current);
  const shown = last.current;
  const problem = given.error ?? error;
  const understood = problem === undefined ? fresh?.understood : undefined;
  const match = (): void => {
    if (kept === undefined || understood === undefined) return;
    const name = given.file?.name ?? PASTED;
    views.show({
      list: { kept, name, rows: understood.rows, directed, ...choice },
    });
    dialogs.close();
  };
  const takeOff = (): void => {
    views.show({ list: undefined });
    dialogs.close();
  };
  return (
    <Modal opened onClose={dialogs.close} title="Match a list" size="min(840px, 94vw)" {...drop}>
      <Form onSubmit={match}>
        <Text size="sm" c="dimmed">
          Shows only events that match a line of the list: addresses, blocks, hosts, flows, values
          of any field. The list is only read, not imported.
        </Text>
        <ListInput given={given} over={over} />
        {shown !== undefined && shown.columns.length > 0 && (
          <>
            <ListColumns preview={shown} choice={choice} onChoose={given.choose} />
            <Options preview={shown} given={given} />
          </>
        )}
        <Verdict preview={shown} message={problem?.message} />
        <div className={form['actions']}>
          {list !== undefined && (
            <Button variant="subtle" color="red" mr="auto" onClick={takeOff}>
              Remove list
            </Button>
          )}
          <Button variant="default" onClick={dialogs.close}>
            Cancel
          </Button>
          <Button type="submit" disabled={understood === undefined}>
            {understood === undefined ? 'Match' : `Match ${counted(understood.rows, 'line')}`}
          </Button>
        </div>
      </Form>
    </Modal>
  );
}

function Options({ preview, given }: { readonly preview: Preview; readonly given: GivenList }) {
  const { form: shape, header, understood } = preview;
  const isFlow = understood?.fields.includes('flow') === true;
  return (
    <div className={css['options']}>
      {shape !== 'json' && (
        <Switch
          label="The first line names the columns"
          checked={header}
          onChange={({ currentTarget }) =>
            given.choose({ ...choiceOf(preview, given.choice), header: currentTarget.checked })
          }
        />
      )}
      {((understood?.eitherWay === true && !isFlow) || given.directed) && (
        <Switch
          label="Only in the direction as written"
          checked={given.directed}
          onChange={({ currentTarget }) => given.direct(currentTarget.checked)}
        />
      )}
    </div>
  );
}

/** Columns that are fields are matched even if others are not: the user must see above them which ones. */
function useKnownColumns(preview: Preview | undefined, { choice, choose }: GivenList): void {
  const wanted = useRef(choose);
  wanted.current = choose;
  useEffect(() => {
    if (preview === undefined || choice !== undefined || preview.form === 'values') return;
    const { columns, header } = preview;
    const known = columns.map(({ field }) => field ?? null);
    if (known.includes(null) && known.some((field) => field !== null))
      wanted.current({ columns: known, header });
  }, [preview, choice]);
}

/** `5 addresses, 2 texts`. */
function valuesText({ addresses, texts }: { addresses: number; texts: number }): string {
  return [
    ...(addresses > 0 ? [counted(addresses, 'address', 'addresses')] : []),
    ...(texts > 0 ? [counted(texts, 'text')] : []),
  ].join(', ');
}

/** Whether the list can be used, and how it is understood. */
function Verdict({
  preview,
  message,
}: {
  readonly preview: Preview | undefined;
  readonly message: string | undefined;
}) {
  const { understood, problem, columns = [] } = preview ?? {};
  const wrong = message ?? problem?.message;
  if (wrong !== undefined) {
    const unnamed = columns.length > 0 && columns.every(({ field }) => field === undefined);
    return (
      <div className={css['verdict']} role="alert">
        <IconAlertTriangle size={16} color="var(--db-bad)" aria-hidden />
        <span>
          {unnamed && columns.length > 1 && message === undefined ? (
            'Choose above how each column is matched.'
          ) : (
            <EventText text={`${wrong.charAt(0).toUpperCase()}${wrong.slice(1)}.`} max={500} />
          )}
        </span>
      </div>
    );
  }
  if (understood === undefined) return null;
  const { rows, fields, eitherWay, anyType } = understood;
  const others = columns.flatMap(({ name, field }, at) =>
    field === undefined ? (name ?? `column ${at + 1}`) : [],
  );
  return (
    <div className={css['verdict']} role="status">
      <IconCircleCheck size={16} color="var(--db-ok)" aria-hidden />
      <span>
        {anyType !== undefined ? (
          `${counted(rows, 'line')}: ${valuesText(anyType)}`
        ) : (
          <>
            {counted(rows, 'line')}, matched as{' '}
            <span className="mono">
              <EventText text={fields.join(', ')} max={300} />
            </span>
            {eitherWay ? ', in either direction' : ''}
          </>
        )}
        {others.length > 0 && columns.length > 1 && (
          <span className={css['off']}>
            {'; not matched: '}
            <EventText text={others.join(', ')} max={200} />
          </span>
        )}
      </span>
    </div>
  );
}

/** A file that is dropped anywhere over the dialog is the list, and no evidence to be imported. */
function useDrop({ take }: GivenList) {
  const [over, setOver] = useState(false);
  const isFile = ({ dataTransfer }: DragEvent): boolean => dataTransfer.types.includes('Files');
  const onDragOver = (event: DragEvent): void => {
    if (!isFile(event)) return;
    event.preventDefault();
    event.stopPropagation();
    event.dataTransfer.dropEffect = 'copy';
    setOver(true);
  };
  return {
    over,
    onDragEnter: onDragOver,
    onDragOver,
    onDragLeave: (event: DragEvent) => {
      event.stopPropagation();
      if (event.relatedTarget === null) setOver(false);
    },
    onDrop: (event: DragEvent) => {
      if (!isFile(event)) return;
      event.preventDefault();
      event.stopPropagation();
      setOver(false);
      const [file] = event.dataTransfer.files;
      if (file !== undefined) take(file);
    },
  };
}
