/** The query language on one page; each example is run by a click. */
import { Modal, UnstyledButton } from '@mantine/core';
import { useSession, useWorkspace } from '../../panel-api.ts';
import { QueryCode } from '../../widgets/query/query-code.tsx';
import { EXAMPLES } from './examples.ts';
import css from './help.module.css';

/** Longer ones go above their descriptions. */
const LONG = 27;

export function LanguageDialog() {
  const { dialogs, views } = useWorkspace();
  const hasCase = useSession((session) => session.openCase !== undefined);
  const run = (query: string): void => {
    dialogs.close();
    views.show({ query });
  };
  return (
    <Modal opened onClose={() => dialogs.close()} title="The query language" size={960}>
      <p className={css['intro']}>
        Before the first <QueryCode query="|" /> you choose events; after it you say what to do with
        them. Words next to each other must all match; <QueryCode query="NOT" /> binds tightest,
        then <QueryCode query="a AND b" />, then <QueryCode query="a OR b" />; ( ) group. Quote text
        that contains other characters. Fields and values are suggested as you type.
        {hasCase && ' Click an example to run it.'}
      </p>
      <div className={css['sheet']}>
        {EXAMPLES.map(({ title, examples }) => (
          <section key={title} className={css['group']}>
            <h3>{title}</h3>
            {examples.map(({ query, says }) => (
              <UnstyledButton
                key={query}
                className={`${css['example'] ?? ''} ${query.length > LONG ? (css['long'] ?? '') : ''}`}
                disabled={!hasCase}
                onClick={() => run(query)}
              >
                <span className={css['query']}>
                  <QueryCode query={query} />
                </span>
                <span className={css['says']}>{says}</span>
              </UnstyledButton>
            ))}
          </section>
        ))}
      </div>
    </Modal>
  );
}
