/**
 * How wrong a clock was, typed, and taken with Enter or when the field is left. What is typed and is no clock error is
 * reported at every key: the form that the field is in must not go on without a correction that a person meant to give.
 */
import { TextInput } from '@mantine/core';
import { useState } from 'react';
import { clockErrorText, parseClockError } from '../../engine/contract/clock.ts';

interface Props {
  readonly label: string;
  /** What holds while nothing is typed. */
  readonly placeholder?: string;
  readonly value: string | undefined;
  readonly onClock: (clock: string | undefined) => void;
  /** The text that was typed last and is no clock error. The form keeps it, for a field that is shown again. */
  readonly mistyped: string | undefined;
  readonly onMistyped: (text: string | undefined) => void;
}

export function ClockInput({
  label,
  placeholder = 'right',
  value,
  onClock,
  mistyped,
  onMistyped,
}: Props) {
  const [typed, setTyped] = useState(mistyped);
  const error = errorOf(typed);
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
      error={error === undefined}
      onChange={({ currentTarget: { value: text } }) => {
        setTyped(text);
        onMistyped(errorOf(text) === undefined ? text : undefined);
      }}
      onBlur={take}
      onKeyDown={(event) => {
        if (event.key !== 'Enter' || typed === undefined) return;
        event.preventDefault();
        take();
      }}
    />
  );
}

/** Microseconds; 0 where nothing is typed. */
function errorOf(typed: string | undefined): number | undefined {
  return typed === undefined || typed.trim() === '' ? 0 : parseClockError(typed);
}

/** Why a form does not go on. @param clock which one, such as `the clock of a.log` */
export function mistypedText(clock: string, text: string): string {
  return `“${text}” does not say how wrong ${clock} was: write 90s fast, or 1h2m slow`;
}
