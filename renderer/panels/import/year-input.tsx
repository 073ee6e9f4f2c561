/** A year that is typed, and taken with Enter or when the field is left. */
import { NumberInput } from '@mantine/core';
import { useState } from 'react';
import css from './import.module.css';

interface Props {
  readonly label: string;
  /** What holds while nothing is typed. */
  readonly guess?: string | number | boolean | undefined;
  readonly value: number | undefined;
  readonly onYear: (year: number | undefined) => void;
}

export function YearInput({ label, guess, value, onYear }: Props) {
  const [typed, setTyped] = useState<number | string>();
  const take = (): void => {
    if (typed === undefined) return;
    setTyped(undefined);
    const year = typeof typed === 'number' && typed >= 1970 && typed <= 2200 ? typed : undefined;
    if (typed === '' || year !== undefined) onYear(year);
  };
  return (
    <NumberInput
      aria-label={label}
      w={72}
      classNames={{ input: css['decision'] ?? '' }}
      hideControls
      allowDecimal={false}
      allowNegative={false}
      placeholder={guess === undefined ? '' : String(guess)}
      value={typed ?? value ?? ''}
      onChange={setTyped}
      onBlur={take}
      onKeyDown={(event) => {
        if (event.key !== 'Enter' || typed === undefined) return;
        event.preventDefault();
        take();
      }}
    />
  );
}
