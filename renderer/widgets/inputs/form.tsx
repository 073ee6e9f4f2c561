/** A form of the window: Enter and its button submit it, and the page stays. */
import type { ReactNode } from 'react';
import css from './form.module.css';

interface Props {
  readonly onSubmit: () => void;
  /** Side by side in place of one below the other. */
  readonly isRow?: boolean;
  readonly children: ReactNode;
}

export function Form({ onSubmit, isRow = false, children }: Props) {
  return (
    <form
      className={isRow ? css['row'] : css['stack']}
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit();
      }}
    >
      {children}
    </form>
  );
}
