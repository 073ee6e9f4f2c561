/** The case as one self-contained HTML page. */
import { Button, Modal, Text, TextInput, Textarea } from '@mantine/core';
import { useState } from 'react';
import { CLASSIFICATION_PAGES } from '../../../engine/contract/words/classification.ts';
import { saveFile, useCase, usePreference, useWorkspace, useZone } from '../../panel-api.ts';
import { Form } from '../../widgets/inputs/form.tsx';
import { ZoneSelect } from '../../widgets/inputs/zone-select.tsx';
import { Outcome } from './outcome.tsx';
import { WritingActions } from './writing-actions.tsx';
import { useWriting } from './written.ts';

const isText = (value: unknown): value is string => typeof value === 'string';

export function ReportDialog() {
  const workspace = useWorkspace();
  const info = useCase();
  const windowZone = useZone();
  const [title, setTitle] = useState(info.name);
  const [author, setAuthor] = usePreference('author', '', isText);
  const [note, setNote] = useState('');
  const [classification, setClassification] = useState('');
  const [zone, setZone] = useState(windowZone);
  const { writing, start } = useReport({ title, author, note, classification, zone });
  return (
    <Modal opened onClose={workspace.dialogs.close} title="Write a report" size="md">
      <Form onSubmit={start}>
        <Text size="sm" c="dimmed">
          One self-contained HTML page: findings in the order of the report (tab Findings), saved
          searches, sources with their hashes and ledgers, and the audit log.
        </Text>
        <TextInput
          data-autofocus
          label="Title"
          maxLength={300}
          value={title}
          onChange={(event) => setTitle(event.currentTarget.value)}
        />
        <TextInput
          label="Author"
          maxLength={300}
          value={author}
          onChange={(event) => setAuthor(event.currentTarget.value)}
        />
        <TextInput
          label="Classification"
          description={`Who may read it, such as TLP:AMBER. ${CLASSIFICATION_PAGES}`}
          maxLength={100}
          value={classification}
          onChange={(event) => setClassification(event.currentTarget.value)}
        />
        <Textarea
          label="Note"
          description="Shown at the top."
          autosize
          minRows={3}
          maxRows={10}
          maxLength={20_000}
          value={note}
          onChange={(event) => setNote(event.currentTarget.value)}
        />
        <ZoneSelect
          label="Times in"
          value={zone}
          onZone={(next) => setZone(next === '' ? 'UTC' : next)}
        />
        <Outcome writing={writing} label="The report" />
        <WritingActions writing={writing} cancel="Cancel">
          <Button type="submit" loading={writing.running}>
            Write the report
          </Button>
        </WritingActions>
      </Form>
    </Modal>
  );
}

/** Texts about the report itself; an empty one is left out. */
interface Preface {
  readonly title: string;
  readonly author: string;
  readonly note: string;
  readonly classification: string;
  readonly zone: string;
}

function useReport({ title, author, note, classification, zone }: Preface) {
  const { connection } = useWorkspace();
  const info = useCase();
  const writing = useWriting();

  const start = (): void =>
    writing.start((signal, onPart) =>
      saveFile(
        `${info.name.replace(/[^\w.-]+/g, '-')}-report.html`,
        [{ name: 'HTML page', extensions: ['html'] }],
        'text/html',
        (path, onPiece) =>
          connection.call(
            'report.write',
            {
              ...{ case: info.case, zone },
              ...(title.trim() === '' ? {} : { title: title.trim() }),
              ...(author.trim() === '' ? {} : { author: author.trim() }),
              ...(note.trim() === '' ? {} : { note }),
              ...(classification.trim() === '' ? {} : { classification: classification.trim() }),
              ...(path === undefined ? {} : { path }),
            },
            {
              signal,
              onPart: (part) => {
                onPiece(part);
                onPart(part);
              },
            },
          ),
      ),
    );
  return { writing, start };
}
