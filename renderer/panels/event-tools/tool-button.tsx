/** A button above the table, reduced to its icon where there is little room. */
import { ActionIcon, Button, Tooltip } from '@mantine/core';
import type { ReactNode, Ref } from 'react';

interface Props {
  readonly label: string;
  readonly hint?: string | undefined;
  readonly icon: ReactNode;
  readonly narrow: boolean;
  readonly disabled?: boolean | undefined;
  readonly onClick: () => void;
  readonly ref?: Ref<HTMLButtonElement>;
}

export function ToolButton({
  label,
  hint,
  icon,
  narrow,
  ref = null,
  disabled = false,
  ...rest
}: Props) {
  const tip = hint ?? label;
  if (narrow) {
    return (
      <Tooltip label={tip}>
        <ActionIcon
          ref={ref}
          variant="default"
          size={24}
          ml={6}
          aria-label={label}
          disabled={disabled}
          {...rest}
        >
          {icon}
        </ActionIcon>
      </Tooltip>
    );
  }
  return (
    <Tooltip label={tip} disabled={hint === undefined}>
      <Button ref={ref} variant="default" h={24} ml={6} disabled={disabled} {...rest}>
        {label}
      </Button>
    </Tooltip>
  );
}
