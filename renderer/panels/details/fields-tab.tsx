/** All fields of an event, each with its ways to other views. */
import { ActionIcon, Badge, Button, Textarea, Tooltip } from '@mantine/core';
import { IconMinus, IconPlus } from '@tabler/icons-react';
import { useEffect, useState } from 'react';
import type { Result } from '../../../engine/contract/operations.ts';
import {
  formatTime,
  notifyError,
  offsetText,
  usePivots,
  useWorkspace,
  useCase,
  useZone,
} from '../../panel-api.ts';
import { EventText } from '../../widgets/event-text.tsx';
import { ValueMenu } from '../../widgets/value-menu.tsx';
import css from './details.module.css';

export type EventInfo = Result<'event.get'>;

export function FieldsTab({ info }: { readonly info: EventInfo }) {
  const zone = useZone();
  const pivots = usePivots();
  const workspace = useWorkspace();
  return (
    <>
      <div>
        <div className={css['row']}>
          <span className={css['name']}>ts</span>
          <span className={css['value']}>
            {info.ts === undefined
              ? 'no time'
              : `${formatTime(info.ts, zone, info.tsDigits, info.tsNs)} ${offsetText(info.ts, zone)}`}
          </span>
          <span />
        </div>
        {info.timeNotes.map((note) => (
          <p key={note} className={css['note']}>
            {note}
          </p>
        ))}
        <div className={css['row']}>
          <span className={css['name']}>source</span>
          <span className={css['value']}>
            <ValueMenu field="source" value={info.source.name}>
              <EventText text={info.source.name} max={300} />
            </ValueMenu>
            {!info.source.exists && (
              <Tooltip label={`It is no longer at ${info.source.path}`}>
                <Badge color="orange" ml={6}>
                  moved
                </Badge>
              </Tooltip>
            )}
          </span>
          <span />
        </div>
        {info.fields.map(({ name, value, attribute }) => (
          <div className={css['row']} key={name}>
            <span className={css['name']} title={attribute ? `attribute ${name}` : name}>
              {name.replace(/^attrs\./, '')}
            </span>
            <span className={css['value']}>
              <ValueMenu
                field={name}
                value={value}
                ts={info.ts}
                event={info.event}
                fiveTuple={info.fiveTuple}
              >
                <EventText text={String(value ?? '—')} max={20_000} />
              </ValueMenu>
            </span>
            <span className={css['pivots']}>
              <ActionIcon
                size="xs"
                aria-label={`Only events with this ${name}`}
                onClick={() => pivots.include(name, value)}
              >
                <IconPlus size={12} />
              </ActionIcon>
              <ActionIcon
                size="xs"
                aria-label={`Without events with this ${name}`}
                onClick={() => pivots.exclude(name, value)}
              >
                <IconMinus size={12} />
              </ActionIcon>
            </span>
          </div>
        ))}
        <div className={css['row']}>
          <span className={css['name']}>tags</span>
          <span className={css['value']}>
            {info.tags.map((tag) => (
              <Badge key={tag} mr={4}>
                {tag}
              </Badge>
            ))}
            <Button
              size="compact-xs"
              variant="subtle"
              onClick={() => workspace.dialogs.open({ dialog: 'tag', events: [info.event] })}
            >
              {info.tags.length === 0 ? 'Tag it…' : 'Change…'}
            </Button>
          </span>
          <span />
        </div>
      </div>
      <NoteBox key={info.event} info={info} />
      <div style={{ padding: '0 14px' }}>
        {info.fiveTuple !== undefined && (
          <Button
            variant="default"
            mr={6}
            mb={6}
            onClick={() => pivots.filter(info.fiveTuple!, 'events')}
          >
            This five-tuple
          </Button>
        )}
        {info.packets !== undefined && (
          <Button
            variant="default"
            mr={6}
            mb={6}
            onClick={() => pivots.filter(info.packets!, 'events')}
          >
            Its packets
          </Button>
        )}
        {info.flow !== undefined && (
          <Button variant="default" mr={6} mb={6} onClick={() => workspace.select(info.flow)}>
            Its flow
          </Button>
        )}
        {info.ts !== undefined && (
          <Button variant="default" mr={6} mb={6} onClick={() => pivots.around(info.ts!, 5)}>
            ± 5 minutes
          </Button>
        )}
      </div>
    </>
  );
}

/** What someone says about the event; kept when the field is left. */
function NoteBox({ info }: { readonly info: EventInfo }) {
  const { connection } = useWorkspace();
  const { case: folder } = useCase();
  const [text, setText] = useState(info.note ?? '');
  const kept = info.note ?? '';
  useEffect(() => setText(kept), [kept]);
  const keep = (): void => {
    if (text === kept) return;
    connection
      .call('note.set', { case: folder, event: info.event, text })
      .catch((error: unknown) => notifyError(error, 'The note was not kept'));
  };
  return (
    <Textarea
      mx={14}
      my={10}
      aria-label="Note on this event"
      placeholder="A note on this event; it goes into the report"
      autosize
      minRows={1}
      maxRows={10}
      value={text}
      onChange={({ currentTarget }) => setText(currentTarget.value)}
      onBlur={keep}
    />
  );
}
