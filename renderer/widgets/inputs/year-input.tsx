/** The year of a source that states none, typed. */
import { TypedInput, type Typing } from './typed-input.tsx';

/** What times of events may be; the operations take the same. */
const [FIRST, LAST] = [1970, 2200];

interface Props extends Typing {
  readonly label: string;
  /** What holds while nothing is typed. */
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

/** Why a form does not go on. @param source whose year, such as `a.log` */
export function mistypedYear(source: string, text: string): string {
  return `“${text}” cannot be the year of ${source}: give one from ${FIRST} to ${LAST}`;
}
