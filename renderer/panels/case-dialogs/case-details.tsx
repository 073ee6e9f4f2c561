/** The number of the case and its examiner, which its report names. */
import { Button, Modal, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useCase, useSubmit, useWorkspace } from '../../panel-api.ts';
import form from '../../widgets/inputs/form.module.css';
import { Form } from '../../widgets/inputs/form.tsx';

export function CaseDetailsDialog() {
  const { connection, dialogs } = useWorkspace();
  const info = useCase();
  const [number, setNumber] = useState(info.number ?? '');
  const [examiner, setExaminer] = useState(info.examiner ?? '');

  const { busy, run } = useSubmit(async () => {
    await connection.call('case.describe', { case: info.case, number, examiner });
    dialogs.done('case-details');
  }, 'The details could not be saved');
  return (
    <Modal opened onClose={dialogs.close} title="Case details" size="md">
      <Form onSubmit={run}>
        <Text size="sm" c="dimmed">
          Reports show both. Each change is recorded in the audit log.
        </Text>
        <DescriptionInputs
          {...{ number, setNumber, examiner, setExaminer }}
          isReadOnly={info.readOnly}
          isFirst
        />
        <div className={form['actions']}>
          <Button variant="default" onClick={dialogs.close}>
            Cancel
          </Button>
          <Button type="submit" loading={busy} disabled={info.readOnly}>
            Save
          </Button>
        </div>
      </Form>
    </Modal>
  );
}

interface Inputs {
  readonly number: string;
  readonly setNumber: (value: string) => void;
  readonly examiner: string;
  readonly setExaminer: (value: string) => void;
  readonly isReadOnly?: boolean;
  /** Whether typing begins here. */
  readonly isFirst?: boolean;
}

/** Both fields; the dialog for a new case has them too. */
export function DescriptionInputs({
  number,
  setNumber,
  examiner,
  setExaminer,
  isReadOnly = false,
  isFirst = false,
}: Inputs) {
  return (
    <>
      <TextInput
        label="Case number"
        placeholder="Optional"
        data-autofocus={isFirst || undefined}
        maxLength={100}
        readOnly={isReadOnly}
        value={number}
        onChange={(event) => setNumber(event.currentTarget.value)}
      />
      <TextInput
        label="Examiner"
        placeholder="Optional"
        maxLength={200}
        readOnly={isReadOnly}
        value={examiner}
        onChange={(event) => setExaminer(event.currentTarget.value)}
      />
    </>
  );
}
