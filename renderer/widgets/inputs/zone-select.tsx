/** An input for a time zone: IANA names are suggested, fixed offsets such as `+02:00` can be typed. */
import { Autocomplete } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { resolveZone } from '../../../engine/contract/time/zone.ts';
import { zoneNames } from '../texts/zone-names.ts';

interface Props {
  readonly label?: ReactNode;
  readonly 'aria-label'?: string;
  readonly description?: ReactNode;
  /** Empty for none. */
  readonly value: string;
  readonly placeholder?: string;
  readonly width?: number | string;
  /** For a placeholder that shows an assumed zone. */
  readonly inputClass?: string | undefined;
  /** Called when a zone was chosen or fully typed; with an empty text when it was cleared. */
  readonly onZone: (zone: string) => void;
}

function problemOf(text: string): string | undefined {
  if (text.trim() === '') return undefined;
  try {
    resolveZone(text.trim());
    return undefined;
  } catch {
    return 'No time zone matches';
  }
}

export function ZoneSelect({
  value,
  onZone,
  width,
  placeholder = 'UTC',
  inputClass,
  ...rest
}: Props) {
  // Typed, but not accepted yet.
  const [typed, setTyped] = useState<string>();
  // The hundreds of names are only rendered for the input in use: there may be hundreds of inputs.
  const [focused, setFocused] = useState(false);
  const shown = typed ?? value;
  const take = (text: string): void => {
    const zone = text.trim();
    if (problemOf(zone) !== undefined) return;
    setTyped(undefined);
    setFocused(false);
    if (zone !== value) onZone(zone);
  };
  return (
    <Autocomplete
      {...rest}
      size="xs"
      classNames={{ input: inputClass ?? '' }}
      w={width ?? 'auto'}
      value={shown}
      data={focused ? zoneNames() : []}
      onFocus={() => setFocused(true)}
      limit={60}
      placeholder={placeholder}
      clearable
      autoComplete="off"
      error={typed === undefined ? undefined : problemOf(typed)}
      comboboxProps={{ withinPortal: true, width: 240, position: 'bottom-start' }}
      onChange={(text) => {
        setTyped(text);
        setFocused(true);
        if (text === '') take('');
      }}
      onOptionSubmit={take}
      onBlur={() => take(shown)}
      onKeyDown={(event) => {
        if (event.key !== 'Enter' || typed === undefined) return;
        // Taken, not sent with the form around it.
        event.preventDefault();
        take(shown);
      }}
    />
  );
}
