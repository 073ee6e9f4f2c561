/** What went wrong and what to do about it. */
import { Alert, Button } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import type { ErrorInfo } from '../../engine/contract/frame.ts';
import { EventText } from './event-text.tsx';

interface Props {
  readonly error: ErrorInfo;
  /** What did not work; in a few words. */
  readonly title: string;
  readonly onRetry?: () => void;
  readonly actions?: ReactNode;
}

export function Problem({ error, title, onRetry, actions }: Props) {
  // By the person: nothing is wrong.
  const isStopped = error.code === 'cancelled';
  return (
    <Alert
      role="alert"
      m="md"
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
        <EventText text={error.message} max={4000} />
        {error.hint !== undefined && (
          <div style={{ marginTop: 4, color: 'var(--db-muted)' }}>
            <EventText text={error.hint} />
          </div>
        )}
      </div>
      {(onRetry !== undefined || actions !== undefined) && (
        <div style={{ marginTop: 10 }}>
          {onRetry !== undefined && (
            <Button variant="default" onClick={onRetry} mr={8}>
              Try again
            </Button>
          )}
          {actions}
        </div>
      )}
    </Alert>
  );
}
