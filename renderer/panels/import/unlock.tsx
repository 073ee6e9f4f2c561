/** Asks for the password of encrypted archives in the preview. The engine keeps it in memory only. */
import { Button, PasswordInput, Text } from '@mantine/core';
import { useState } from 'react';
import { counted, useWorkspace } from '../../panel-api.ts';
import { NOT_UNLOCKED } from '../../../engine/contract/left-out.ts';
import form from '../../widgets/inputs/form.module.css';

interface Props {
  /** Members that are encrypted, and why each was not read. */
  readonly locked: readonly { readonly name: string; readonly reason: string }[];
  /** Looks at the evidence again. */
  readonly onUnlocked: () => void;
}

export function Unlock({ locked, onUnlocked }: Props) {
  const { connection } = useWorkspace();
  const [password, setPassword] = useState('');
  const [problem, setProblem] = useState<string>();
  const tried = locked.some(({ reason }) => reason === NOT_UNLOCKED);
  const unlock = (): void => {
    setProblem(undefined);
    connection.call('evidence.unlock', { password }).then(
      () => {
        setPassword('');
        onUnlocked();
      },
      (error: unknown) => setProblem(error instanceof Error ? error.message : String(error)),
    );
  };
  return (
    <div className={form['row']}>
      <PasswordInput
        className={form['grow']}
        size="xs"
        label={`Password of ${counted(locked.length, 'encrypted file')} in archives`}
        description="Kept in memory until Daybook is closed, and never written to disk."
        error={problem ?? (tried && 'None of the passwords given so far opens them all')}
        value={password}
        autoComplete="off"
        onChange={({ currentTarget }) => setPassword(currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter') return;
          // Enter unlocks; it must not start the import.
          event.preventDefault();
          if (password !== '') unlock();
        }}
      />
      <Button variant="default" size="xs" disabled={password === ''} onClick={unlock}>
        Unlock
      </Button>
      {locked.length > 1 && (
        <Text size="xs" c="dimmed">
          If there are several passwords, enter one after the other.
        </Text>
      )}
    </div>
  );
}
