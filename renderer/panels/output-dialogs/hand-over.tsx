/** Writes the whole case to a folder that others read: Parquet by kind and day, and a manifest. */
import { Button, Modal, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { HandOverReport } from '../../../engine/contract/hand-over.ts';
import { counted, formatBytes, useCase, useWorkspace } from '../../panel-api.ts';
import { Form } from '../../widgets/inputs/form.tsx';
import { chooseSection } from '../../widgets/choose-section.tsx';
import { Outcome } from './outcome.tsx';
import { WritingActions } from './writing-actions.tsx';
import { useWriting, type WrittenFile } from './written.ts';

export function HandOverDialog() {
  const workspace = useWorkspace();
  const { connection, dialogs, shell } = workspace;
  const info = useCase();
  const [folder, setFolder] = useState(() => `${info.case.replace(/\.daybook$/, '')}-handed-over`);
  const writing = useWriting();

  const start = (): void =>
    writing.start(async (signal, onPart) =>
      writtenOf(
        await connection.call(
          'hand-over.run',
          { case: info.case, folder: folder.trim() },
          { signal, onPart },
        ),
      ),
    );
  const choose = async (): Promise<void> => {
    const chosen = await shell?.chooseSave(folder, []);
    if (chosen !== undefined) setFolder(chosen);
  };
  return (
    <Modal opened onClose={dialogs.close} title="Hand the case over" size="md">
      <Form onSubmit={start}>
        <Text size="sm" c="dimmed">
          Parquet files by kind and day, with sources, ledger, tags, notes, saved searches and the
          audit log, and a manifest with the SHA-256 of each file. Evidence and deleted events are
          not in it. Nothing leaves this machine.
        </Text>
        <TextInput
          data-autofocus
          label="Folder"
          description="New, empty, or one to which this case was handed over before: then only what is new is written."
          classNames={{ input: 'mono' }}
          value={folder}
          maxLength={4096}
          onChange={(event) => setFolder(event.currentTarget.value)}
          {...chooseSection(shell && choose)}
        />
        <Outcome
          writing={writing}
          label="The hand-over"
          unit="event"
          cancelledText="Cancelled: the files written so far are complete. Hand the case over again to continue."
        />
        <WritingActions writing={writing} cancel="Cancel the hand-over">
          <Button type="submit" loading={writing.running} disabled={folder.trim() === ''}>
            Hand over
          </Button>
        </WritingActions>
      </Form>
    </Modal>
  );
}

function writtenOf(report: HandOverReport): WrittenFile {
  const { written, replaced, kept, removed, notes } = report;
  const files = [
    `${counted(written, 'file')} written (${formatBytes(report.writtenBytes)})`,
    ...(replaced > 0 ? [`${replaced} of them replaced`] : []),
    ...(kept > 0 ? [`${kept} there already`] : []),
    ...(removed > 0 ? [`${removed} removed`] : []),
  ];
  return {
    ...{ bytes: report.bytes, sha256: report.sha256, path: report.folder, rows: report.events },
    facts: [
      ['Files', files.join(', ')],
      ['SHA-256 is of', 'manifest.json; the audit log has it, too'],
      ...notes.map((note): [string, string] => ['Note', note]),
    ],
  };
}
