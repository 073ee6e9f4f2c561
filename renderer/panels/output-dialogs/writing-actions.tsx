/** The buttons of a dialog that writes a file: close or cancel, and start. */
import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { useWorkspace } from '../../panel-api.ts';
import form from '../../widgets/inputs/form.module.css';
import type { Writing } from './written.ts';

interface Props {
  readonly writing: Writing;
  /** Label of the button that cancels. */
  readonly cancel: string;
  /** The button that begins. */
  readonly children: ReactNode;
}

export function WritingActions({ writing, cancel, children }: Props) {
  const { dialogs } = useWorkspace();
  return (
    <div className={form['actions']}>
      {writing.running ? (
        <Button variant="default" onClick={writing.cancel}>
          {cancel}
        </Button>
      ) : (
        <Button variant="default" onClick={dialogs.close}>
          Close
        </Button>
      )}
      {children}
    </div>
  );
}
