/** In place of what cannot be shown: says why, and what to do. */
import { EmptyState } from '@mantine/core';
import { useLayoutEffect, useRef, type ReactNode } from 'react';
import { useWorkspace } from '../state/context.ts';

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
  const { commands } = useWorkspace();
  const root = useRef<HTMLDivElement>(null);
  // The button that was pressed is gone with it: the keyboard goes on in what has taken its place.
  useLayoutEffect(() => {
    const { current } = root;
    return () => {
      if (current?.contains(document.activeElement) === true)
        requestAnimationFrame(() => {
          commands.run('view.results');
          // Results that are still on their way cannot have it.
          if (document.activeElement === document.body) commands.run('query.focus');
        });
    };
  }, [commands]);
  return (
    <EmptyState
      ref={root}
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
