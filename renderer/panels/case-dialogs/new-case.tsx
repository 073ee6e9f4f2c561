/** Creates an empty case, opens it, and continues with the evidence that was dropped for it. */
import { Button, Modal, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { counted, useSession, useSubmit, useWorkspace } from '../../panel-api.ts';
import form from '../../widgets/inputs/form.module.css';
import { chooseSection } from '../../widgets/choose-section.tsx';
import { Form } from '../../widgets/inputs/form.tsx';
import { Problem } from '../../widgets/problem.tsx';
import { DescriptionInputs } from './case-details.tsx';
import { casePathOf, suggestedName } from './case-path.ts';

interface Props {
  readonly paths: readonly string[] | undefined;
  readonly files: readonly File[] | undefined;
}

export function NewCaseDialog({ paths, files }: Props) {
  const workspace = useWorkspace();
  const { dialogs, shell } = workspace;
  const info = useSession((session) => session.info);
  const taken = (info?.recent ?? []).map((one) => one.name);
  const [name, setName] = useState(() => suggestedName(new Date(), taken));
  // Follows the name until the user edits it.
  const [chosenPath, setChosenPath] = useState<string>();
  // Nor does it change while it has the focus: the folder of cases may become known late, and the user's typing
  // would be appended to the new path.
  const [pathOnFocus, setPathOnFocus] = useState<string>();
  const [number, setNumber] = useState('');
  const [examiner, setExaminer] = useState('');
  const pathIn = (known: typeof info): string =>
    chosenPath ?? pathOnFocus ?? (known === undefined ? '' : casePathOf(known.casesFolder, name));
  const path = pathIn(info);
  const pending = paths?.length ?? files?.length ?? 0;

  const { busy, error, run } = useSubmit(async () => {
    // An engine that has just started may not have reported yet where cases are.
    if (info === undefined) await workspace.refreshInfo();
    const folder = pathIn(workspace.session.getState().info).trim();
    await workspace.connection.call('case.create', { case: folder, number, examiner });
    await workspace.openCase(folder);
    if (paths !== undefined) dialogs.open({ dialog: 'import', paths });
    else if (files !== undefined) dialogs.open({ dialog: 'import', files });
    else dialogs.done('new-case');
  });
  const choose = async (): Promise<void> => {
    const chosen = await shell?.chooseNewCase(path);
    if (chosen !== undefined) setChosenPath(chosen);
  };
  return (
    <Modal opened onClose={dialogs.close} title="New case" size="md">
      <Form onSubmit={run}>
        {pending > 0 && (
          <Text size="sm" c="dimmed">
            What you dropped ({counted(pending, 'item')}) is previewed in this case before it is
            imported.
          </Text>
        )}
        <TextInput
          data-autofocus
          label="Name"
          value={name}
          onFocus={(event) => event.currentTarget.select()}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <TextInput
          label="Folder"
          description="A new or empty folder. It will hold the events; your evidence stays where it is."
          classNames={{ input: 'mono' }}
          value={path}
          onFocus={() => setPathOnFocus(path)}
          onBlur={() => setPathOnFocus(undefined)}
          onChange={(event) => setChosenPath(event.currentTarget.value)}
          {...chooseSection(shell && choose)}
        />
        <DescriptionInputs {...{ number, setNumber, examiner, setExaminer }} />
        {error !== undefined && (
          <Problem margin={0} error={error} title="The case could not be created" />
        )}
        <div className={form['actions']}>
          <Button variant="default" onClick={dialogs.close}>
            Cancel
          </Button>
          <Button type="submit" loading={busy} disabled={info !== undefined && path.trim() === ''}>
            Create case
          </Button>
        </div>
      </Form>
    </Modal>
  );
}
