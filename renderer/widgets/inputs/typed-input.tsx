/**
 * A value that is typed as text, and taken with Enter or when the field is left. What is typed and is no such value is
 * reported at every key: the form that the field is in must not go on without what a person meant to give.
 */
import { TextInput } from '@mantine/core';
import { useState } from 'react';

export interface Typing {
  /** The text that was typed last and is no value. The form keeps it, for a field that is shown again. */
  readonly mistyped: string | undefined;
  readonly onMistyped: (text: string | undefined) => void;
}

interface Props extends Typing {
  readonly label: string;
  readonly title?: string;
  readonly width: number;
  readonly inputClass?: string | undefined;
  /** What holds while nothing is typed. */
  readonly placeholder: string;
  /** What was taken. */
  readonly value: string;
  /** Whether a text that is not blank is a value. */
  readonly isValid: (text: string) => boolean;
  /** Gets the text without blanks around it; undefined: none. */
  readonly onText: (text: string | undefined) => void;
}

export function TypedInput(props: Props) {
  const { mistyped, onMistyped, isValid, onText } = props;
  const [typed, setTyped] = useState(mistyped);
  const isWrong = (text: string): boolean => text.trim() !== '' && !isValid(text.trim());
  const take = (): void => {
    if (typed === undefined || isWrong(typed)) return;
    setTyped(undefined);
    onText(typed.trim() === '' ? undefined : typed.trim());
  };
  return (
    <TextInput
      aria-label={props.label}
      title={props.title}
      w={props.width}
      classNames={{ input: props.inputClass ?? '' }}
      placeholder={props.placeholder}
      value={typed ?? props.value}
      error={typed !== undefined && isWrong(typed)}
      onChange={({ currentTarget: { value: text } }) => {
        setTyped(text);
        onMistyped(isWrong(text) ? text : undefined);
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
