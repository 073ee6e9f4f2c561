/** A source's name where there is little room: its end, which tells it from its neighbours, stays. */
import { EventText } from './event-text.tsx';
import css from './source-name.module.css';
import { nameParts } from './source-name-parts.ts';

export function SourceName({ name }: { readonly name: string }) {
  const { path, last } = nameParts(name);
  return (
    <span className={css['name']}>
      {path !== '' && (
        <span className={css['path']}>
          <EventText text={path} max={300} />
        </span>
      )}
      <span className={css['last']}>
        <EventText text={last} max={300} />
      </span>
    </span>
  );
}
