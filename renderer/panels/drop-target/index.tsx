/** Placeholder until the panel is written. */
import type { ReactNode } from 'react';

export function DropTarget({ children }: { children: ReactNode }) {
  return <>{children}</>;
}
