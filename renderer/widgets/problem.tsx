/** Shows an error and what to do about it. */
import { Alert, Button } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import type { ErrorInfo } from '../../engine/contract/wire/frame.ts';
import { useSession, useWorkspace } from '../state/context.ts';
import { EventText } from './texts/event-text.tsx';
import { errorWords } from './texts/window-words.ts';

interface Props {
  readonly error: ErrorInfo;
  /** The failed action, in a few words. */
  readonly title: string;
  readonly onRetry?: () => void;
  /** In addition to retrying; by default, for a damaged case, verifying it. */
  readonly actions?: ReactNode;
  /** Space around it; none in a column of other elements. */
  readonly margin?: 0 | 'md';
}

export function Problem({ error, title, onRetry, actions, margin = 'md' }: Props) {
  // By the user: nothing is wrong.
  const isStopped = error.code === 'cancelled';
  const { message, hint } = errorWords(error);
  const { dialogs } = useWorkspace();
  const hasCase = useSession(({ openCase }) => openCase !== undefined);
  const more =
    actions === undefined && error.code === 'case-damaged' && hasCase ? (
      <Button variant="default" onClick={() => dialogs.open({ dialog: 'verify' })}>
        Verify the case and its evidence…
      </Button>
    ) : (
      actions
    );
  return (
    <Alert
      role="alert"
      m={margin}
      color={isStopped ? 'gray' : 'red'}
      variant="transparent"
      style={{
        background: 'var(--db-raised)',
        borderLeft: `3px solid var(${isStopped ? '--db-muted' : '--db-bad'})`,
      }}
      title={isStopped ? 'Stopped' : title}
      icon={<IconAlertTriangle size={18} aria-hidden />}
    >
      <div style={{ overflowWrap: 'anywhere', whiteSpace: 'normal' }}>
        <EventText text={message} max={4000} />
        {hint !== undefined && (
          <div style={{ marginTop: 4, color: 'var(--db-muted)' }}>
            <EventText text={hint} />
          </div>
        )}
      </div>
      {(onRetry !== undefined || Boolean(more)) && (
        <div style={{ marginTop: 10 }}>
          {onRetry !== undefined && (
            <Button variant="default" onClick={onRetry} mr={8}>
              Try again
            </Button>
          )}
          {more}
        </div>
      )}
    </Alert>
  );
}
