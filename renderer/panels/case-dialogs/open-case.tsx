/** Opens a case: with the shell's dialog if it has one, otherwise by browsing the machine's folders. */
import { Button, Modal, TextInput } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { useSession, useWorkspace } from '../../panel-api.ts';
import { FileBrowser } from '../../widgets/inputs/file-browser.tsx';
import form from '../../widgets/inputs/form.module.css';
import { Form } from '../../widgets/inputs/form.tsx';

export function OpenCaseDialog() {
  const workspace = useWorkspace();
  const { shell, dialogs } = workspace;
  const info = useSession((session) => session.info);
  const [path, setPath] = useState('');
  const asked = useRef(false);

  useEffect(() => {
    if (shell === undefined || asked.current) return;
    asked.current = true;
    void shell.chooseCase().then((chosen) => {
      dialogs.done('open-case');
      if (chosen !== undefined) void workspace.openCase(chosen);
    });
  }, [workspace, shell, dialogs]);
  if (shell !== undefined) return null;

  const open = (chosen: string): void => {
    dialogs.close();
    void workspace.openCase(chosen);
  };
  return (
    <Modal opened onClose={dialogs.close} title="Open a case" size="lg">
      <Form
        onSubmit={() => {
          if (path.trim() !== '') open(path.trim());
        }}
      >
        <FileBrowser
          key={info?.casesFolder}
          start={commonFolder(info)}
          shows={(entry) => entry.type !== 'file'}
          onPick={(entry) => open(entry.path)}
        />
        <TextInput
          data-autofocus
          label="Or the path of its folder"
          placeholder="/cases/acme.daybook"
          value={path}
          onChange={(event) => setPath(event.currentTarget.value)}
        />
        <div className={form['actions']}>
          <Button variant="default" onClick={dialogs.close}>
            Cancel
          </Button>
          <Button type="submit" disabled={path.trim() === ''}>
            Open
          </Button>
        </div>
      </Form>
    </Modal>
  );
}

/** The usual folder of cases: the one of the case opened last, or the home folder. */
function commonFolder(
  info: { recent: readonly { case: string; exists: boolean }[]; home: string } | undefined,
): string | undefined {
  const last = info?.recent.find(({ exists }) => exists)?.case;
  if (last === undefined) return info?.home;
  const cut = Math.max(last.lastIndexOf('/'), last.lastIndexOf('\\'));
  return cut <= 0 ? info?.home : last.slice(0, cut);
}
