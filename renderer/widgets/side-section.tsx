/** A section of the sidebar: a small heading that collapses the content below it. */
import { UnstyledButton } from '@mantine/core';
import { useId, useState, type ReactNode } from 'react';
import css from './side-section.module.css';

export function SideSection({
  title,
  action,
  children,
}: {
  readonly title: string;
  readonly action?: ReactNode;
  readonly children: ReactNode;
}) {
  const [open, setOpen] = useState(true);
  const id = useId();
  return (
    <section aria-labelledby={id}>
      <div className={css['title']}>
        <UnstyledButton
          id={id}
          className={css['toggle']}
          aria-expanded={open}
          onClick={() => setOpen(!open)}
        >
          {title}
        </UnstyledButton>
        {action}
      </div>
      {open && children}
    </section>
  );
}
