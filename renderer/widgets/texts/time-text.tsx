/** A time in the window's zone; its title has it in UTC. */
import { useZone } from '../../state/context.ts';
import { formatTime, offsetText } from '../../state/view/time.ts';

interface Props {
  /** UTC microseconds; undefined for an event without a time. */
  readonly micros: number | undefined;
  /** Digits of the fraction of a second, 6 by default. */
  readonly digits?: number | undefined;
}

export function TimeText({ micros, digits = 6 }: Props) {
  const zone = useZone();
  if (micros === undefined || Number.isNaN(micros)) return <span>no time</span>;
  const utc = formatTime(micros, 'UTC', digits);
  return (
    <time
      dateTime={`${utc.replace(' ', 'T')}Z`}
      title={`${utc} UTC · ${zone} is UTC${offsetText(micros, zone)}`}
    >
      {formatTime(micros, zone, digits)}
    </time>
  );
}
