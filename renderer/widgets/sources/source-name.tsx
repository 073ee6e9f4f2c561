/** A source's name where there is little room: its end, which distinguishes it from its neighbours, stays. */
import { EventText } from '../texts/event-text.tsx';
import css from './source-name.module.css';
import { endOf, nameParts } from './source-name-parts.ts';

export function SourceName({ name }: { readonly name: string }) {
  const { path, last } = nameParts(name);
  const { start, end } = endOf(last);
  return (
    <span className={css['name']}>
      {path !== '' && (
        <span className={css['path']}>
          <EventText text={path} max={300} />
        </span>
      )}
      <span className={css['last']}>
        {start !== '' && (
          <span className={css['start']}>
            <EventText text={start} max={300} />
          </span>
        )}
        <span className={css['end']}>
          <EventText text={end} max={300} />
        </span>
      </span>
    </span>
  );
}
