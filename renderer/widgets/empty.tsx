/** In place of what cannot be shown: says why, and what to do. */
import { EmptyState } from '@mantine/core';
import type { ReactNode } from 'react';

interface Props {
  readonly title: string;
  readonly text?: ReactNode;
  readonly icon?: ReactNode;
  /** Buttons. */
  readonly actions?: ReactNode;
  /** Small, for the side of the window. */
  readonly compact?: boolean;
}

export function Empty({ title, text, icon, actions, compact = false }: Props) {
  return (
    <EmptyState
      size={compact ? 'xs' : 'sm'}
      p={compact ? 'sm' : 'xl'}
      align={compact ? 'left' : 'center'}
      title={title}
      description={text}
      icon={icon}
    >
      {actions !== undefined && <EmptyState.Actions>{actions}</EmptyState.Actions>}
    </EmptyState>
  );
}
