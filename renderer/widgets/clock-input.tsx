/** How wrong a clock was, typed, and taken with Enter or when the field is left. */
import { TextInput } from '@mantine/core';
import { useState } from 'react';
import { clockErrorText, parseClockError } from '../../engine/contract/clock.ts';

interface Props {
  readonly label: string;
  /** What holds while nothing is typed. */
  readonly placeholder?: string;
  readonly value: string | undefined;
  readonly onClock: (clock: string | undefined) => void;
}

export function ClockInput({ label, placeholder = 'right', value, onClock }: Props) {
  const [typed, setTyped] = useState<string>();
  const error = typed === undefined || typed.trim() === '' ? 0 : parseClockError(typed);
  const take = (): void => {
    if (typed === undefined || error === undefined) return;
    setTyped(undefined);
    onClock(typed.trim() === '' ? undefined : clockErrorText(error));
  };
  return (
    <TextInput
      aria-label={label}
      title="Such as 90s fast or 1h2m slow: the times are corrected by that"
      w={130}
      placeholder={placeholder}
      value={typed ?? value ?? ''}
      error={error === undefined ? 'such as 90s fast, 1h2m slow' : undefined}
      onChange={(event) => setTyped(event.currentTarget.value)}
      onBlur={take}
      onKeyDown={(event) => {
        if (event.key !== 'Enter' || typed === undefined) return;
        event.preventDefault();
        take();
      }}
    />
  );
}
