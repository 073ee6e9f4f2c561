/** Shown instead of missing content: says why, and what to do. */
import { EmptyState } from '@mantine/core';
import type { ReactNode } from 'react';

interface Props {
  readonly title: string;
  readonly text?: ReactNode;
  readonly icon?: ReactNode;
  /** Buttons. */
  readonly actions?: ReactNode;
}

export function Empty({ title, text, icon, actions }: Props) {
  return (
    <EmptyState size="sm" p="xl" align="center" title={title} description={text} icon={icon}>
      {actions !== undefined && <EmptyState.Actions>{actions}</EmptyState.Actions>}
    </EmptyState>
  );
}
