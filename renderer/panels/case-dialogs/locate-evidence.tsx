/** Says where evidence is now that was moved: its files are recognised by their content. */
import { Button, TextInput } from '@mantine/core';
import { useState } from 'react';
import { counted, notifyDone, useCase, useSubmit, useWorkspace } from '../../panel-api.ts';
import { chooseSection } from '../../widgets/choose-section.tsx';
import { EventText } from '../../widgets/texts/event-text.tsx';
import form from '../../widgets/inputs/form.module.css';
import { Form } from '../../widgets/inputs/form.tsx';
import { Problem } from '../../widgets/problem.tsx';
import css from './verify.module.css';

export function LocateEvidence({ onLocated }: { readonly onLocated: () => void }) {
  const { connection, shell } = useWorkspace();
  const { case: path, readOnly } = useCase();
  const [below, setBelow] = useState('');
  const [left, setLeft] = useState<readonly string[]>([]);
  const { busy, error, run } = useSubmit(async () => {
    const found = await connection.call('source.locate', { case: path, below: below.trim() });
    setLeft([
      ...found.left.map(({ name, reason }) => `${name}: ${reason}`),
      ...found.unreadable.map((one) => `not searched: ${one}`),
    ]);
    if (found.located === 0) return;
    notifyDone(
      'The audit log has the old and the new paths.',
      `${counted(found.located, 'source')} located`,
    );
    onLocated();
  });
  const choose = async (): Promise<void> => {
    const [chosen] = (await shell?.chooseEvidence('folder')) ?? [];
    if (chosen !== undefined) setBelow(chosen);
  };
  return (
    <Form onSubmit={run}>
      <TextInput
        label="Evidence was moved"
        description="The folder where it is now; its subfolders are searched, too. Evidence is only read."
        placeholder="/evidence/moved"
        classNames={{ input: 'mono' }}
        value={below}
        maxLength={4096}
        disabled={readOnly}
        onChange={(event) => setBelow(event.currentTarget.value)}
        {...chooseSection(shell && choose)}
      />
      {error !== undefined && (
        <Problem
          margin={0}
          actions={null}
          error={error}
          title="The evidence could not be located"
        />
      )}
      {left.length > 0 && (
        <div className={css['list']}>
          <ul aria-label="Not located">
            {left.map((one) => (
              <li key={one}>
                <EventText text={one} />
              </li>
            ))}
          </ul>
        </div>
      )}
      <div className={form['row']}>
        <Button
          type="submit"
          variant="default"
          loading={busy}
          disabled={readOnly || below.trim() === ''}
        >
          Locate evidence
        </Button>
      </div>
    </Form>
  );
}
