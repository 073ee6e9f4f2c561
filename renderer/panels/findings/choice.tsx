/** A choice of one of a few words: the chosen word is shown at once, before the case confirms it. */
import { NativeSelect } from '@mantine/core';
import { useState } from 'react';
import { notifyError } from '../../panel-api.ts';

interface Props {
  /** Accessible name. */
  readonly label: string;
  readonly value: string;
  readonly options: readonly { readonly value: string; readonly label: string }[];
  readonly disabled: boolean;
  readonly onChoose: (value: string) => Promise<unknown>;
}

export function Choice({ label, value, options, disabled, onChoose }: Props) {
  const [asked, setAsked] = useState<{ readonly before: string; readonly value: string }>();
  if (asked !== undefined && asked.before !== value) setAsked(undefined);
  return (
    <NativeSelect
      size="xs"
      aria-label={label}
      data={[...options]}
      disabled={disabled}
      value={asked?.value ?? value}
      onChange={({ currentTarget }) => {
        setAsked({ before: value, value: currentTarget.value });
        onChoose(currentTarget.value).catch((error: unknown) => {
          setAsked(undefined);
          notifyError(error, 'The finding was not changed');
        });
      }}
    />
  );
}
