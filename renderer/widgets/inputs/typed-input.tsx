/**
 * A value typed as text, and accepted with Enter or when the input loses the focus. Invalid text is reported at
 * every key: the form must not be submitted without the value that the user meant to enter.
 */
import { TextInput } from '@mantine/core';
import { useState } from 'react';

export interface Typing {
  /** The invalid text that was typed last. The form keeps it, for when the input is shown again. */
  readonly mistyped: string | undefined;
  readonly onMistyped: (text: string | undefined) => void;
}

interface Props extends Typing {
  readonly label: string;
  readonly title?: string;
  readonly width: number;
  readonly inputClass?: string | undefined;
  /** The value in effect while nothing is typed. */
  readonly placeholder: string;
  /** The accepted value. */
  readonly value: string;
  /** Whether a text that is not blank is valid. */
  readonly isValid: (text: string) => boolean;
  /** Gets the trimmed text; undefined: none. */
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
