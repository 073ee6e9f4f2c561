/**
 * Creates a field: the user selects the value in the message of an event, a template is proposed and tried on the
 * events of the case, and the result is saved as an extractor of the case. Fields of existing events can then be
 * extracted again.
 */
import { Alert, Autocomplete, Button, Modal, Progress, Text, Textarea } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useEffect, useRef, useState } from 'react';
import {
  counted,
  notifyDone,
  nounOf,
  useAnswer,
  useCase,
  useDialog,
  useSession,
  useSubmit,
  useWorkspace,
} from '../../panel-api.ts';
import { errorInfoOf } from '../../../engine/contract/wire/client.ts';
import type { ErrorInfo } from '../../../engine/contract/wire/frame.ts';
import type { Params, Result } from '../../../engine/contract/operations.ts';
import { EventText } from '../../widgets/texts/event-text.tsx';
import form from '../../widgets/inputs/form.module.css';
import { Form } from '../../widgets/inputs/form.tsx';
import { Loading } from '../../widgets/loading.tsx';
import { Problem } from '../../widgets/problem.tsx';
import css from './make-field.module.css';

type Message = Result<'extractor.message'>;
type Draft = Params<'extractor.try'>;

/** After the last key, until the template is tried. */
const TRY_MS = 250;

export function MakeFieldDialog() {
  const { dialogs } = useWorkspace();
  const dialog = useDialog('make-field');
  const hasCase = useSession((session) => session.openCase !== undefined);
  return (
    <Modal
      opened={dialog !== undefined && hasCase}
      onClose={dialogs.close}
      title="Make a field"
      size="xl"
    >
      {dialog !== undefined && hasCase && (
        <Loaded key={dialog.event} event={dialog.event} selected={dialog.selected} />
      )}
    </Modal>
  );
}

interface Of {
  readonly event: string;
  readonly selected: string | undefined;
}

function Loaded({ event, selected }: Of) {
  const folder = useCase().case;
  const { data, error } = useAnswer('extractor.message', { case: folder, event }, { live: false });
  if (error !== undefined)
    return <Problem margin={0} error={error} title="No field can be made from this event" />;
  if (data === undefined) return <Loading />;
  return <MakeField event={event} selected={selected} of={data} />;
}

interface Range {
  readonly start: number;
  readonly end: number;
}

function MakeField({ event, selected, of }: Of & { readonly of: Message }) {
  const { connection, dialogs } = useWorkspace();
  const folder = useCase().case;
  const at = selected === undefined || selected === '' ? -1 : of.message.indexOf(selected);
  const [range, setRange] = useState<Range>({
    start: Math.max(0, at),
    end: at < 0 ? 0 : at + (selected?.length ?? 0),
  });
  const [field, setField] = useState('');
  const [template, setTemplate] = useState<string>();
  const [saved, setSaved] = useState<Result<'extractor.save'>>();
  const isReady = of.fields.some(({ name }) => name === field) && range.start < range.end;
  const draftOf = (text: string | undefined): Draft | undefined =>
    isReady
      ? { case: folder, event, field, ...range, ...(text === undefined ? {} : { template: text }) }
      : undefined;
  const [typed] = useDebouncedValue(template, TRY_MS);
  const trial = useAnswer('extractor.try', draftOf(typed), { live: false });
  const { busy, error, run } = useSubmit(async () => {
    const draft = draftOf(template);
    if (draft !== undefined) setSaved(await connection.call('extractor.save', draft));
  });
  if (saved !== undefined) return <Saved extractor={saved} field={field} />;
  return (
    <Form onSubmit={run}>
      <MessageBox
        of={of}
        range={range}
        onRange={(next) => {
          setRange(next);
          setTemplate(undefined);
        }}
      />
      <FieldInput
        fields={of.fields}
        field={field}
        onField={(name) => {
          setField(name);
          setTemplate(undefined);
        }}
      />
      <Textarea
        label="Template"
        description="The whole message: {field} captures the value, {:word} and the like match what varies, {:rest} the rest."
        classNames={{ input: 'mono' }}
        autosize
        minRows={1}
        maxRows={4}
        disabled={!isReady}
        value={template ?? (isReady ? (trial.data?.template ?? '') : '')}
        onChange={({ currentTarget }) => setTemplate(currentTarget.value || undefined)}
      />
      {isReady && <Trial answer={trial} field={field} />}
      {error !== undefined && (
        <Problem margin={0} error={error} title="The field could not be saved" />
      )}
      <div className={form['actions']}>
        <Button variant="default" onClick={dialogs.close}>
          Cancel
        </Button>
        <Button
          type="submit"
          loading={busy}
          disabled={!isReady || trial.error !== undefined || (trial.data?.fits ?? 0) === 0}
        >
          Save
        </Button>
      </div>
    </Form>
  );
}

/** The message, in which the value is selected. */
function MessageBox({
  of,
  range,
  onRange,
}: {
  readonly of: Message;
  readonly range: Range;
  readonly onRange: (range: Range) => void;
}) {
  const message = useRef<HTMLTextAreaElement>(null);
  useEffect(() => {
    message.current?.setSelectionRange(range.start, range.end);
    // Only the initial value.
    // oxlint-disable-next-line react/exhaustive-deps
  }, []);
  const select = (): void => {
    const box = message.current;
    if (box === null || box.selectionStart === box.selectionEnd) return;
    const next = { start: box.selectionStart, end: box.selectionEnd };
    if (next.start !== range.start || next.end !== range.end) onRange(next);
  };
  return (
    <>
      <Textarea
        ref={message}
        label={of.program === '' ? 'Message' : `Message of ${of.program}`}
        description="Select the value: with the mouse, or with Shift and the arrow keys."
        classNames={{ input: 'mono' }}
        // A box that is `readOnly` has no caret, which keys could move.
        aria-readonly
        onBeforeInput={(typed) => typed.preventDefault()}
        onChange={() => undefined}
        autosize
        minRows={2}
        maxRows={6}
        value={of.message}
        onSelect={select}
      />
      <Text size="sm">
        {range.start < range.end ? (
          <>
            Selected: <EventText text={of.message.slice(range.start, range.end)} max={200} />
          </>
        ) : (
          <span className={form['muted']}>Nothing is selected yet.</span>
        )}
      </Text>
    </>
  );
}

function FieldInput({
  fields,
  field,
  onField,
}: {
  readonly fields: Message['fields'];
  readonly field: string;
  readonly onField: (name: string) => void;
}) {
  const known = fields.find(({ name }) => name === field);
  const isWrong =
    field !== '' && known === undefined && !fields.some(({ name }) => name.startsWith(field));
  return (
    <Autocomplete
      // The dialog is shown before its content is loaded.
      autoFocus
      label="Field"
      description={known?.meaning ?? 'One of the fields that events have, such as user or src_ip.'}
      data={fields.map(({ name }) => name)}
      limit={12}
      value={field}
      onChange={(value) => onField(value.trim())}
      error={isWrong ? 'There is no such field' : undefined}
    />
  );
}

function Trial({
  answer: { data, error, loading, stale },
  field,
}: {
  readonly answer: ReturnType<typeof useAnswer<'extractor.try'>>;
  readonly field: string;
}) {
  if (error !== undefined)
    return <Problem margin={0} error={error} title="The template cannot be used" />;
  if (data === undefined || (loading && stale)) return <Loading label="Trying it…" />;
  const { fits, events, isWhole, examples } = data;
  return (
    <section aria-label="Messages that the template fits" aria-live="polite">
      <Text size="sm">
        {fits === 0
          ? `Fits none of ${counted(events, 'event')}: change the template.`
          : `Fits ${fits.toLocaleString('en-US')} of ${isWhole ? '' : 'the first '}${counted(events, 'event')}.`}
      </Text>
      {examples.length > 0 && (
        <div className={css['examples']}>
          <table>
            <thead>
              <tr>
                <th scope="col">{field}</th>
                <th scope="col">message</th>
              </tr>
            </thead>
            <tbody>
              {examples.map((example, i) => (
                <tr key={i}>
                  <td>
                    <EventText text={example.value} max={100} />
                  </td>
                  <td>
                    <EventText text={example.message} max={200} />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  );
}

/** The next step: existing events have the field once they are cut again. */
function Saved({
  extractor: { name, version },
  field,
}: {
  readonly extractor: Result<'extractor.save'>;
  readonly field: string;
}) {
  const { connection, dialogs } = useWorkspace();
  const folder = useCase().case;
  const [progress, setProgress] = useState<{ events: number; total: number }>();
  const [error, setError] = useState<ErrorInfo>();
  const running = useRef<AbortController>(null);
  const next = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    // The element that had the focus is gone.
    next.current?.focus();
    return () => running.current?.abort();
  }, []);
  const refield = async (): Promise<void> => {
    const controller = new AbortController();
    running.current = controller;
    setError(undefined);
    setProgress({ events: 0, total: 0 });
    try {
      const { changed } = await connection.call(
        'case.refield',
        { case: folder },
        { signal: controller.signal, onPart: setProgress },
      );
      notifyDone(`${counted(changed, 'event')} ${nounOf(changed, 'has', 'have')} changed fields`);
      dialogs.done('make-field');
    } catch (failure) {
      if (!controller.signal.aborted) setError(errorInfoOf(failure));
    } finally {
      setProgress(undefined);
    }
  };
  const { events, total } = progress ?? { events: 0, total: 0 };
  return (
    <div className={form['stack']}>
      <Alert role="status" color="teal" title={`Saved as ${name}, version ${version}`}>
        Imports extract {field} from now on. Events already in the case get it when their fields are
        extracted again; the evidence is not needed for that.
      </Alert>
      {progress !== undefined && (
        <Progress
          aria-label="Extracting fields"
          value={total === 0 ? 0 : (100 * events) / total}
          animated
        />
      )}
      {error !== undefined && (
        <Problem margin={0} error={error} title="The fields could not be extracted again" />
      )}
      <div className={form['actions']}>
        <Button
          variant="default"
          onClick={() => (progress === undefined ? dialogs.close() : running.current?.abort())}
        >
          {progress === undefined ? 'Later' : 'Stop'}
        </Button>
        <Button ref={next} loading={progress !== undefined} onClick={() => void refield()}>
          Extract fields again
        </Button>
      </div>
    </div>
  );
}
