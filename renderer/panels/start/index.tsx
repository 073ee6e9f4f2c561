/** The start page, when no case is open: what Daybook is, how to begin, recent cases. */
import { ActionIcon, Badge, Button, Loader, Tooltip, UnstyledButton } from '@mantine/core';
import { IconBook2, IconFolderOpen, IconLock, IconSparkles, IconX } from '@tabler/icons-react';
import {
  formatTime,
  notifyError,
  useSession,
  useSubmit,
  useWorkspace,
  useZone,
} from '../../panel-api.ts';
import { EventText, visibleText } from '../../widgets/texts/event-text.tsx';
import { Loading } from '../../widgets/loading.tsx';
import { Problem } from '../../widgets/problem.tsx';
import css from './start.module.css';

export function StartPage() {
  const workspace = useWorkspace();
  const info = useSession((session) => session.info);
  const problem = useSession((session) => session.problem);
  const opening = useSession((session) => session.opening);
  return (
    <main className={css['page']}>
      <div className={css['inner']}>
        <div className={css['brand']}>
          <img src="./icon.svg" alt="" className={css['mark']} />
          <h1 className={css['title']}>Daybook</h1>
        </div>
        <p className={css['lead']}>
          Brings packet captures, logs, Windows events and flow records of any size into one
          searchable day book of what happened, and accounts for every record it reads.
        </p>
        {opening !== undefined && <Loading label={`Opening ${visibleText(opening, 300)}…`} />}
        {problem !== undefined && (
          <Problem
            error={problem}
            margin={0}
            title="The case cannot be opened"
            actions={
              <Button
                variant="default"
                onClick={() => workspace.dialogs.open({ dialog: 'open-case' })}
              >
                Open another case
              </Button>
            }
          />
        )}
        <Choices />
        <p className={css['drop']}>
          Or drop files and folders anywhere on this window: a new case is created for them.
        </p>
        <RecentCases />
        <footer className={css['foot']}>
          <span>
            <IconLock size={14} aria-hidden />
            Nothing leaves this machine.
          </span>
          {info !== undefined && <span>Daybook {info.version}</span>}
        </footer>
      </div>
    </main>
  );
}

/** The ways to begin. */
function Choices() {
  const workspace = useWorkspace();
  const { busy: preparing, run: openSample } = useSubmit(async () => {
    const { paths, suggestedCase } = await workspace.connection.call('sample.prepare', {});
    await workspace.connection.call('case.create', { case: suggestedCase });
    await workspace.openCase(suggestedCase);
    workspace.dialogs.open({ dialog: 'import', paths });
  }, 'The sample evidence cannot be opened');
  return (
    <div className={css['choices']}>
      <UnstyledButton
        className={css['choice']}
        onClick={() => workspace.dialogs.open({ dialog: 'new-case' })}
      >
        <IconBook2 size={22} aria-hidden />
        <b>New case</b>
        <span>Starts empty; you add the evidence.</span>
      </UnstyledButton>
      <UnstyledButton
        className={css['choice']}
        onClick={() => workspace.dialogs.open({ dialog: 'open-case' })}
      >
        <IconFolderOpen size={22} aria-hidden />
        <b>Open a case</b>
        <span>A case on this machine.</span>
      </UnstyledButton>
      <UnstyledButton
        className={css['choice']}
        disabled={preparing}
        data-disabled={preparing || undefined}
        onClick={openSample}
      >
        {preparing ? <Loader size={22} /> : <IconSparkles size={22} aria-hidden />}
        <b>Try the sample evidence</b>
        <span>
          {preparing
            ? 'Creating it takes a few seconds…'
            : 'An invented intrusion: a capture, logs and flows to practise on.'}
        </span>
      </UnstyledButton>
    </div>
  );
}

function RecentCases() {
  const workspace = useWorkspace();
  const zone = useZone();
  const recent = useSession((session) => session.info?.recent);
  const forget = (path: string): void => {
    workspace.connection
      .call('recent.forget', { case: path })
      .then(() => workspace.refreshInfo())
      .catch((error: unknown) => notifyError(error, 'The list was not changed'));
  };
  if (recent === undefined || recent.length === 0) return null;
  return (
    <section aria-labelledby="recent-cases">
      <h2 id="recent-cases" className={css['heading']}>
        Recent cases
      </h2>
      <ul className={css['recent']}>
        {recent.map((one) => (
          <li key={one.case}>
            <UnstyledButton
              className={css['open']}
              disabled={!one.exists}
              onClick={() => void workspace.openCase(one.case)}
            >
              <b>
                <EventText text={one.name} max={200} />
              </b>{' '}
              {!one.exists && <Badge color="orange">missing</Badge>}
              <span className={`${css['path']} mono`} title={visibleText(one.case)}>
                <EventText text={one.case} />
              </span>
            </UnstyledButton>
            <span className={css['when']}>
              {formatTime(Date.parse(one.openedAt) * 1000, zone, 0).slice(0, 16)}
            </span>
            <Tooltip label="Remove from this list; the case stays where it is">
              <ActionIcon
                aria-label={`Remove ${visibleText(one.name)} from this list`}
                onClick={() => forget(one.case)}
              >
                <IconX size={14} />
              </ActionIcon>
            </Tooltip>
          </li>
        ))}
      </ul>
    </section>
  );
}
