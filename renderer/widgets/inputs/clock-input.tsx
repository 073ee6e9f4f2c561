/** An input for a clock's error. */
import { clockErrorText, parseClockError } from '../../../engine/contract/time/clock.ts';
import { TypedInput, type Typing } from './typed-input.tsx';

interface Props extends Typing {
  readonly label: string;
  /** The value in effect while nothing is typed. */
  readonly placeholder?: string;
  readonly value: string | undefined;
  readonly onClock: (clock: string | undefined) => void;
}

export function ClockInput({ placeholder = 'right', value = '', onClock, ...rest }: Props) {
  return (
    <TypedInput
      {...rest}
      title="For example 90s fast or 1h2m slow; times are corrected by that much"
      width={130}
      placeholder={placeholder}
      value={value}
      isValid={(text) => parseClockError(text) !== undefined}
      onText={(text) =>
        onClock(text === undefined ? undefined : clockErrorText(parseClockError(text) ?? 0))
      }
    />
  );
}

/** Why a form cannot be submitted. @param clock which one, such as `the clock of a.log` */
export function mistypedClock(clock: string, text: string): string {
  return `“${text}” does not say how wrong ${clock} was: write 90s fast, or 1h2m slow`;
}
