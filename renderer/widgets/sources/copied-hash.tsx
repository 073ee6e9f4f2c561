/** The beginning of a SHA-256, with all of it in the title; a click copies it. */
import { ActionIcon, CopyButton, Tooltip } from '@mantine/core';
import { IconCheck, IconCopy } from '@tabler/icons-react';

interface Props {
  readonly hash: string;
  /** Characters shown; all by default. */
  readonly length?: number;
}

export function CopiedHash({ hash, length = hash.length }: Props) {
  return (
    <span style={length < hash.length ? { whiteSpace: 'nowrap' } : { wordBreak: 'break-all' }}>
      <span className="mono" title={hash}>
        {hash.slice(0, length)}
      </span>{' '}
      <CopyButton value={hash}>
        {({ copied, copy }) => (
          <Tooltip label={copied ? 'Copied' : 'Copy the SHA-256'}>
            <ActionIcon
              size="xs"
              display="inline-flex"
              style={{ verticalAlign: 'middle' }}
              aria-label="Copy the SHA-256"
              onClick={copy}
            >
              {copied ? <IconCheck size={12} /> : <IconCopy size={12} />}
            </ActionIcon>
          </Tooltip>
        )}
      </CopyButton>
    </span>
  );
}
