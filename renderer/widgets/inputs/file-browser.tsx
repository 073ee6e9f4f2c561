/**
 * The engine's machine, folder by folder: for windows whose shell has no file dialog. Names are
 * evidence: they are shown as text.
 */
import { ActionIcon, Checkbox, TextInput, UnstyledButton } from '@mantine/core';
import { IconArrowUp, IconBook2, IconFile, IconFolder, IconHome } from '@tabler/icons-react';
import { useState, type ReactNode } from 'react';
import type { Result } from '../../../engine/contract/operations.ts';
import { useAnswer } from '../../state/answer.ts';
import { formatBytes, formatCount } from '../../state/view/time.ts';
import { EventText, visibleText } from '../texts/event-text.tsx';
import css from './file-browser.module.css';
import { Loading } from '../loading.tsx';
import { Problem } from '../problem.tsx';

type FolderEntry = Result<'files.list'>['entries'][number];

interface Props {
  /** The initial folder; the home folder by default. */
  readonly start?: string | undefined;
  /** The entries that are ticked; without it none can be. */
  readonly chosen?: ReadonlySet<string> | undefined;
  readonly onChoose?: ((path: string, chosen: boolean) => void) | undefined;
  /** The entries that are listed. */
  readonly shows: (entry: FolderEntry) => boolean;
  /** A click on a case or a file; folders are entered. */
  readonly onPick: (entry: FolderEntry) => void;
  /** Takes the focus of the dialog that it is in. */
  readonly focused?: boolean;
}

const ICONS = { folder: IconFolder, case: IconBook2, file: IconFile } as const;

export function FileBrowser({ start, chosen, onChoose, shows, onPick, focused = false }: Props) {
  const [folder, setFolder] = useState(start);
  const [typed, setTyped] = useState<string>();
  const { data, error, loading } = useAnswer('files.list', folder === undefined ? {} : { folder }, {
    live: false,
  });
  const go = (next: string | undefined): void => {
    setFolder(next);
    setTyped(undefined);
  };
  const entries = (data?.entries ?? []).filter(shows);
  return (
    <div className={css['box']}>
      <div className={css['path']}>
        <ActionIcon aria-label="Home folder" onClick={() => go(undefined)}>
          <IconHome size={15} />
        </ActionIcon>
        <ActionIcon
          aria-label="The folder above"
          disabled={data?.parent === undefined}
          onClick={() => go(data?.parent)}
        >
          <IconArrowUp size={15} />
        </ActionIcon>
        <TextInput
          aria-label="Folder"
          data-autofocus={focused || undefined}
          style={{ flex: '1 1 auto' }}
          value={typed ?? data?.folder ?? folder ?? ''}
          onChange={(event) => setTyped(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || typed === undefined) return;
            event.preventDefault();
            event.stopPropagation();
            go(typed.trim() === '' ? undefined : typed.trim());
          }}
        />
      </div>
      {error !== undefined ? (
        <Problem
          error={error}
          title="The folder cannot be shown"
          onRetry={() => go(data?.parent)}
        />
      ) : data === undefined ? (
        <Loading label="Listing…" />
      ) : (
        <ul
          className={css['list']}
          aria-label={`Content of ${visibleText(data.folder)}`}
          style={{ opacity: loading ? 0.6 : 1 }}
        >
          {entries.map((entry) => (
            <Entry
              key={entry.path}
              entry={entry}
              chosen={chosen?.has(entry.path) === true}
              onChoose={onChoose}
              onOpen={() => (entry.type === 'folder' ? go(entry.path) : onPick(entry))}
            />
          ))}
          {entries.length === 0 && <Note>Nothing to choose in this folder.</Note>}
          {data.left > 0 && (
            <Note>{formatCount(data.left)} more entries are not listed; type a path above.</Note>
          )}
        </ul>
      )}
    </div>
  );
}

function Note({ children }: { readonly children: ReactNode }) {
  return (
    <li className={css['entry']}>
      <span className={css['small']}>{children}</span>
    </li>
  );
}

function Entry({
  entry,
  chosen,
  onChoose,
  onOpen,
}: {
  readonly entry: FolderEntry;
  readonly chosen: boolean;
  readonly onChoose: Props['onChoose'];
  readonly onOpen: () => void;
}) {
  const Icon = ICONS[entry.type];
  return (
    <li className={`${css['entry']} ${chosen ? css['chosen'] : ''}`}>
      {onChoose !== undefined && (
        <Checkbox
          aria-label={`Choose ${visibleText(entry.name)}`}
          checked={chosen}
          onChange={(event) => onChoose(entry.path, event.currentTarget.checked)}
        />
      )}
      <UnstyledButton className={css['name']} onClick={onOpen}>
        <Icon size={15} aria-hidden />
        <span className={css['text']}>
          <EventText text={entry.name} max={300} />
        </span>
      </UnstyledButton>
      <span className={css['small']}>
        {entry.type === 'case' ? 'case' : entry.size === undefined ? '' : formatBytes(entry.size)}
      </span>
    </li>
  );
}
