/** Dialogs that add to a case: tag, delete, save a search. */
import {
  Alert,
  Button,
  Checkbox,
  Modal,
  TagsInput,
  Textarea,
  TextInput,
  Text,
} from '@mantine/core';
import { useState } from 'react';
import {
  formatRange,
  notifyDone,
  useCase,
  useDialog,
  useQuestion,
  useResultList,
  useSubmit,
  useView,
  useWorkspace,
  useZone,
  viewToString,
  type DialogState,
  counted,
  nounOf,
} from '../../panel-api.ts';
import form from '../../widgets/inputs/form.module.css';
import { Form } from '../../widgets/inputs/form.tsx';
import { hiddenPackets } from '../../widgets/texts/hidden-packets.ts';
import { visibleText } from '../../widgets/texts/visible-text.ts';

type Of<N extends DialogState['dialog']> = Extract<DialogState, { dialog: N }>;

export function MarkDialogs() {
  const { dialogs } = useWorkspace();
  const tag = useDialog('tag');
  const remove = useDialog('delete');
  const search = useDialog('save-search');
  const close = (): void => dialogs.close();
  return (
    <>
      <Modal opened={tag !== undefined} onClose={close} title="Tag events">
        {tag !== undefined && <TagForm dialog={tag} onDone={() => dialogs.done('tag')} />}
      </Modal>
      <Modal opened={remove !== undefined} onClose={close} title="Delete events">
        {remove !== undefined && (
          <DeleteForm dialog={remove} onDone={() => dialogs.done('delete')} />
        )}
      </Modal>
      <Modal opened={search !== undefined} onClose={close} title="Save this search">
        {search !== undefined && <SearchForm onDone={() => dialogs.done('save-search')} />}
      </Modal>
    </>
  );
}

/** The events of a dialog: those named, or those that the view finds. */
function useTarget(events: readonly string[] | undefined) {
  const { list } = useView();
  const question = useQuestion();
  const { query, from, to, zone } = question;
  const { opened } = useResultList();
  const count = events?.length ?? opened?.total;
  const asked = query.trim() === '' ? '' : `: ${visibleText(query, 300)}`;
  const range = from === undefined || to === undefined ? '' : `, ${formatRange(from, to, zone)}`;
  const onList = list === undefined ? '' : `, on the list ${visibleText(list.name, 100)}`;
  const hidden = hiddenPackets(opened);
  const without = hidden === undefined ? '' : ` Without ${hidden}: kind:* includes them.`;
  const ofView = `What the query finds${asked}${range}${onList}.${without}`;
  return {
    target: events === undefined ? { view: question } : { events: [...events] },
    count,
    text:
      events?.length === 1
        ? 'this event'
        : count === undefined
          ? 'all events'
          : counted(count, 'event'),
    of: events === undefined ? ofView : undefined,
  };
}

function TagForm({ dialog, onDone }: { readonly dialog: Of<'tag'>; readonly onDone: () => void }) {
  const { connection } = useWorkspace();
  const info = useCase();
  const { target, text, of } = useTarget(dialog.events);
  const [names, setNames] = useState<string[]>([]);
  const [remove, setRemove] = useState(false);
  const { busy, run } = useSubmit(async () => {
    for (const name of names) {
      const { changed } = await connection.call('tag.set', {
        case: info.case,
        name,
        remove,
        target,
      });
      notifyDone(
        `${counted(changed, 'event')} ${remove ? 'lost' : nounOf(changed, 'has', 'have')} the tag ${visibleText(name, 100)}`,
      );
    }
    onDone();
  }, 'The tag could not be set');
  return (
    <Form onSubmit={run}>
      {of !== undefined && <Text size="sm">{of}</Text>}
      <TagsInput
        label="Tags"
        description="Press Enter to add; existing tags are suggested"
        data={info.tags.map(({ name }) => name)}
        value={names}
        onChange={setNames}
        acceptValueOnBlur
        data-autofocus
      />
      <Checkbox
        label="Remove these tags"
        checked={remove}
        onChange={({ currentTarget }) => setRemove(currentTarget.checked)}
      />
      <div className={form['actions']}>
        <Button variant="default" onClick={onDone}>
          Cancel
        </Button>
        <Button type="submit" loading={busy} disabled={names.length === 0}>
          {remove ? 'Untag' : 'Tag'} {text}
        </Button>
      </div>
    </Form>
  );
}

function DeleteForm({
  dialog,
  onDone,
}: {
  readonly dialog: Of<'delete'>;
  readonly onDone: () => void;
}) {
  const { connection } = useWorkspace();
  const info = useCase();
  const { target, text, of } = useTarget(dialog.events);
  const [reason, setReason] = useState('');
  const { busy, run } = useSubmit(async () => {
    const { changed } = await connection.call('delete.run', {
      case: info.case,
      reason,
      target,
    });
    notifyDone(
      `${counted(changed, 'event')} deleted: no answer shows ${nounOf(changed, 'it', 'them')} any more`,
    );
    onDone();
  }, 'Nothing was deleted');
  return (
    <Form onSubmit={run}>
      <Alert color="orange">
        {of} The evidence is not changed. The events are left out of every answer; the deletion is
        recorded in the audit log and in the report.
      </Alert>
      <Textarea
        label="Reason"
        required
        autosize
        minRows={2}
        value={reason}
        onChange={({ currentTarget }) => setReason(currentTarget.value)}
        data-autofocus
      />
      <div className={form['actions']}>
        <Button variant="default" onClick={onDone}>
          Cancel
        </Button>
        <Button type="submit" color="red" loading={busy} disabled={reason.trim() === ''}>
          Delete {text}
        </Button>
      </div>
    </Form>
  );
}

function SearchForm({ onDone }: { readonly onDone: () => void }) {
  const { connection } = useWorkspace();
  const info = useCase();
  const view = useView();
  const zone = useZone();
  const [name, setName] = useState(view.query.slice(0, 60));
  const [note, setNote] = useState('');
  const { busy, run } = useSubmit(async () => {
    await connection.call('search.save', {
      case: info.case,
      name,
      note,
      view: viewToString(view, zone),
    });
    onDone();
  }, 'The search was not saved');
  return (
    <Form onSubmit={run}>
      <Text size="sm" className="mono">
        {view.query.trim() === '' ? 'All events' : visibleText(view.query, 1000)}
      </Text>
      {view.list !== undefined && (
        <Alert color="orange">
          The list {visibleText(view.list.name, 100)} is not saved: the search will also find events
          that are not on the list.
        </Alert>
      )}
      <TextInput
        label="Name"
        required
        maxLength={200}
        value={name}
        onChange={({ currentTarget }) => setName(currentTarget.value)}
        data-autofocus
      />
      <Textarea
        label="Note"
        description="What it shows; included in the report"
        autosize
        minRows={2}
        value={note}
        onChange={({ currentTarget }) => setNote(currentTarget.value)}
      />
      <div className={form['actions']}>
        <Button variant="default" onClick={onDone}>
          Cancel
        </Button>
        <Button type="submit" loading={busy} disabled={name.trim() === ''}>
          Save
        </Button>
      </div>
    </Form>
  );
}
