/** Input for a list: pasted, dropped or chosen as a file. */
import { ActionIcon, Button, FileButton, Text, Textarea } from '@mantine/core';
import { IconFileText, IconUpload, IconX } from '@tabler/icons-react';
import { formatBytes } from '../../panel-api.ts';
import { EventText } from '../../widgets/texts/event-text.tsx';
import css from './match-list.module.css';
import type { GivenList } from './use-given-list.ts';

const EXAMPLE = `src_ip,dst_ip,dst_port
203.0.113.7,10.20.0.14,443
198.51.100.0/24,*,22`;

export function ListInput({ given, over }: { readonly given: GivenList; readonly over: boolean }) {
  const { file } = given;
  const overCss = over ? (css['over'] ?? '') : '';
  if (file !== undefined)
    return (
      <div className={`${css['file'] ?? ''} ${overCss}`}>
        <IconFileText size={18} stroke={1.5} aria-hidden />
        <span className={css['fileName']}>
          <EventText text={file.name} max={200} />
        </span>
        <span className={css['fileSize']}>{formatBytes(file.size)}</span>
        <ActionIcon aria-label="Replace the list" onClick={() => given.drop()}>
          <IconX size={14} />
        </ActionIcon>
      </div>
    );
  return (
    <div>
      <Textarea
        label="Paste the list"
        placeholder={EXAMPLE}
        minRows={given.text === '' ? 6 : 4}
        maxRows={9}
        autosize
        spellCheck={false}
        value={given.text}
        onChange={({ currentTarget }) => given.type(currentTarget.value)}
        classNames={{ input: `mono ${css['text'] ?? ''} ${overCss}` }}
        data-autofocus
      />
      <div className={css['or']}>
        <FileButton onChange={(chosen) => chosen !== null && given.take(chosen)}>
          {(props) => (
            <Button
              {...props}
              size="compact-xs"
              variant="default"
              leftSection={<IconUpload size={13} aria-hidden />}
            >
              Choose a file…
            </Button>
          )}
        </FileButton>
        <Text size="xs" c="dimmed">
          or drop one here: CSV, TSV, NDJSON, or one value per line
        </Text>
      </div>
    </div>
  );
}
