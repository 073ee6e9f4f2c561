/** Checks that the case is intact and its evidence unchanged, line by line. */
import { Alert, Button, Modal, Text } from '@mantine/core';
import { useEffect, useState } from 'react';
import { useCase, useWorkspace } from '../../panel-api.ts';
import { OperationError } from '../../../engine/contract/client.ts';
import type { ErrorInfo } from '../../../engine/contract/frame.ts';
import { EventText } from '../../widgets/event-text.tsx';
import form from '../../widgets/form.module.css';
import { Problem } from '../../widgets/problem.tsx';
import css from './sources.module.css';

export function VerifyDialog({ onClose }: { readonly onClose: () => void }) {
  const { connection } = useWorkspace();
  const { case: path } = useCase();
  const [line, setLine] = useState('');
  const [result, setResult] = useState<{ ok: boolean; lines: readonly string[] }>();
  const [error, setError] = useState<ErrorInfo>();
  useEffect(() => {
    const controller = new AbortController();
    connection
      .call(
        'case.verify',
        { case: path },
        { signal: controller.signal, onPart: (part) => setLine(part.line) },
      )
      .then(setResult, (failure: unknown) => {
        if (controller.signal.aborted) return;
        setError(
          failure instanceof OperationError
            ? failure.info
            : { code: 'internal', message: String(failure) },
        );
      });
    return () => controller.abort();
  }, [connection, path]);
  const running = result === undefined && error === undefined;
  return (
    <Modal opened onClose={onClose} title="Verify the case" size="lg">
      <div className={form['stack']}>
        <Text size="sm" c="dimmed">
          Reads every segment and the evidence itself: nothing is changed.
        </Text>
        {error !== undefined && <Problem error={error} title="The case could not be checked" />}
        {result !== undefined && (
          <Alert
            role="status"
            color={result.ok ? 'teal' : 'red'}
            title={result.ok ? 'The case is intact' : 'Something is wrong with the case'}
          >
            {result.ok
              ? 'Segments, catalog and audit log agree.'
              : 'What was found stands below. `daybook verify --repair` mends what can be mended.'}
          </Alert>
        )}
        <pre
          className={`${css['lines']} mono`}
          role="log"
          aria-label="What was checked"
          tabIndex={0}
        >
          {running
            ? line === ''
              ? 'Beginning…'
              : line
            : result?.lines.map((one, at) => (
                <div key={at}>
                  <EventText text={one} />
                </div>
              ))}
        </pre>
        <div className={form['actions']}>
          <Button variant="default" data-autofocus onClick={onClose}>
            {running ? 'Cancel' : 'Close'}
          </Button>
        </div>
      </div>
    </Modal>
  );
}
