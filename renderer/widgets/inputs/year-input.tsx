/** An input for the year of a source that states none. */
import { TypedInput, type Typing } from './typed-input.tsx';

/** The years that operations accept. */
const [FIRST, LAST] = [1970, 2200];

interface Props extends Typing {
  readonly label: string;
  /** The value in effect while nothing is typed. */
  readonly placeholder: string;
  readonly inputClass?: string | undefined;
  readonly value: number | undefined;
  readonly onYear: (year: number | undefined) => void;
}

export function YearInput({ value, onYear, ...rest }: Props) {
  return (
    <TypedInput
      {...rest}
      width={72}
      value={value === undefined ? '' : String(value)}
      isValid={(text) => /^\d{4}$/.test(text) && Number(text) >= FIRST && Number(text) <= LAST}
      onText={(text) => onYear(text === undefined ? undefined : Number(text))}
    />
  );
}

/** Why a form cannot be submitted. @param source whose year, such as `a.log` */
export function mistypedYear(source: string, text: string): string {
  return `“${text}” cannot be the year of ${source}: give one from ${FIRST} to ${LAST}`;
}
