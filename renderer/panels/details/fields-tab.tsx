/** All fields of an event, each with links to other views. */
import { ActionIcon, Badge, Button, Textarea, Tooltip } from '@mantine/core';
import { IconMinus, IconPlus } from '@tabler/icons-react';
import { Fragment, useEffect, useState } from 'react';
import type { Result } from '../../../engine/contract/operations.ts';
import {
  formatCount,
  formatTime,
  notifyError,
  offsetText,
  usePivots,
  useRefusal,
  useWorkspace,
  useCase,
  useZone,
} from '../../panel-api.ts';
import { connectionWords } from '../../widgets/texts/connection-words.ts';
import { fieldLabel } from '../../widgets/event-columns.ts';
import { EventText, visibleText } from '../../widgets/texts/event-text.tsx';
import { isSearched, useSearchedWords } from '../../widgets/query/searched-words.ts';
import { shownValue } from '../../widgets/texts/shown-value.ts';
import { ValueMenu } from '../../widgets/value-menu.tsx';
import { TagChip } from '../../widgets/tag-chip.tsx';
import { useTagColors } from '../../widgets/tag-colors.ts';
import css from './details.module.css';
import { flowGroups, isFlow } from './flow-groups.ts';
import { draftAfter, type NoteDraft } from './note-draft.ts';

/** Attributes shown at a time; an event may have thousands. */
const SHOWN = 200;
/** Characters of a field's name that are shown. */
const LONGEST_NAME = 100;

export type EventInfo = Result<'event.get'>;

export function FieldsTab({ info }: { readonly info: EventInfo }) {
  const zone = useZone();
  const [most, setMost] = useState(SHOWN);
  return (
    <>
      <div>
        {!isFlow(info.kind) && (
          <>
            <TimeRow info={info} />
            <SourceRow info={info} />
          </>
        )}
        {groupsOf(info, most).map(({ heading, fields }) => (
          <Fragment key={heading ?? ''}>
            {heading !== undefined && <h3 className={css['group']}>{heading}</h3>}
            {heading === 'Time' && <TimeRow info={info} />}
            {heading === 'Record' && <SourceRow info={info} />}
            {fields.map((field) => (
              <FieldRow key={field.name} info={info} field={field} />
            ))}
          </Fragment>
        ))}
        {info.fields.length > most && (
          <Button
            variant="subtle"
            size="compact-xs"
            mx={10}
            my={4}
            onClick={() => setMost(most + SHOWN)}
          >
            {formatCount(info.fields.length - most)} more
          </Button>
        )}
        <TagsRow info={info} />
      </div>
      <NoteBox key={info.event} info={info} />
      {info.otherNotes?.map(({ user, at, text }) => (
        <p key={user} className={css['note']}>
          <b>
            <EventText text={user} max={100} />
          </b>
          , {formatTime(Date.parse(at) * 1000, zone, 0)}: <EventText text={text} max={20_000} />
        </p>
      ))}
      <Pivots info={info} />
    </>
  );
}

function TimeRow({ info: { ts, tsDigits, tsNs, timeNotes } }: { readonly info: EventInfo }) {
  const zone = useZone();
  return (
    <>
      <div className={css['row']}>
        <span className={css['name']}>ts</span>
        <span className={css['value']}>
          {ts === undefined
            ? 'no time'
            : `${formatTime(ts, zone, tsDigits, tsNs)} ${offsetText(ts, zone)}`}
        </span>
        <span />
      </div>
      {timeNotes.map((note) => (
        <p key={note} className={css['note']}>
          {note}
        </p>
      ))}
    </>
  );
}

function SourceRow({ info: { source } }: { readonly info: EventInfo }) {
  return (
    <div className={css['row']}>
      <span className={css['name']}>source</span>
      <span className={css['value']}>
        <ValueMenu field="source" value={source.name}>
          <EventText text={source.name} max={300} />
        </ValueMenu>
        {source.exists === false && (
          <Tooltip label={`It is no longer at ${visibleText(source.path)}`}>
            <Badge color="orange" ml={6}>
              moved
            </Badge>
          </Tooltip>
        )}
      </span>
      <span />
    </div>
  );
}

function TagsRow({ info }: { readonly info: EventInfo }) {
  const { dialogs } = useWorkspace();
  const colors = useTagColors();
  return (
    <div className={css['row']}>
      <span className={css['name']}>tags</span>
      <span className={css['value']}>
        {info.tags.map((tag) => (
          <TagChip key={tag} name={tag} color={colors.get(tag)} />
        ))}
        <Button
          size="compact-xs"
          variant="subtle"
          ml={info.tags.length === 0 ? -8 : 0}
          onClick={() => dialogs.open({ dialog: 'tag', events: [info.event] })}
        >
          {info.tags.length === 0 ? 'Tag it…' : 'Change…'}
        </Button>
      </span>
      <span />
    </div>
  );
}

const PIVOT = { variant: 'default', mr: 6, mb: 6 } as const;

/** Links from the event to other views. */
function Pivots({ info }: { readonly info: EventInfo }) {
  const { dialogs, select } = useWorkspace();
  const pivots = usePivots();
  const noFields = useRefusal('extractor.message');
  return (
    <div style={{ padding: '0 14px' }}>
      {hasMessage(info) && (
        <Button
          {...PIVOT}
          disabled={noFields !== undefined}
          title={noFields}
          // Pressed with the mouse, it would end the selection before it is read.
          onMouseDown={(event) => event.preventDefault()}
          onClick={() =>
            dialogs.open({
              ...{ dialog: 'make-field', event: info.event },
              selected: window.getSelection()?.toString().trim(),
            })
          }
        >
          Make a field…
        </Button>
      )}
      {info.fiveTuple !== undefined && (
        <Button {...PIVOT} onClick={() => pivots.filter(info.fiveTuple!, 'events')}>
          This five-tuple
        </Button>
      )}
      {info.packets !== undefined && (
        <Button {...PIVOT} onClick={() => pivots.filter(info.packets!, 'events')}>
          Its packets
        </Button>
      )}
      {info.flow !== undefined && (
        <Button {...PIVOT} onClick={() => select(info.flow)}>
          Its flow
        </Button>
      )}
      {info.ts !== undefined && (
        <Button {...PIVOT} onClick={() => pivots.around(info.ts!, 5)}>
          ± 5 minutes
        </Button>
      )}
    </div>
  );
}

function hasMessage({ kind, fields }: EventInfo): boolean {
  return kind === 'log' && fields.some(({ name, attribute }) => name === 'message' && !attribute);
}

type EventField = EventInfo['fields'][number];

interface FieldGroup {
  readonly heading: string | undefined;
  readonly fields: readonly EventField[];
}

/**
 * Groups: fields with standard names, fields extracted from the message, and fields with the source's own names.
 */
function groupsOf({ kind, fields, cut }: EventInfo, most: number): FieldGroup[] {
  const isCut = ({ name, attribute }: EventField): boolean =>
    !attribute && cut?.fields.includes(name) === true;
  const stated = fields.filter((field) => !field.attribute && !isCut(field));
  const attributes = fields.filter(({ attribute }) => attribute);
  const heading =
    cut === undefined
      ? ''
      : `Extracted from the message by ${cut.extractor}, version ${cut.version}`;
  return [
    ...(isFlow(kind) ? flowGroups(stated) : [{ heading: undefined, fields: stated }]),
    { heading, fields: fields.filter(isCut) },
    { heading: 'Attributes', fields: attributes.slice(0, Math.max(0, most - stated.length)) },
  ].filter(
    ({ heading: of, fields: listed }) => listed.length > 0 || of === 'Time' || of === 'Record',
  );
}

/** Characters of a value that are shown at first, so that the values after it stay on screen. */
const FIRST = 1000;
/** If so few more remain, they are shown as well. */
const FEW = 200;
/** Laying out more takes seconds. */
const MOST = 100_000;

/** Line breaks in a name go between its words. */
function FieldName({ name }: { readonly name: string }) {
  const words = name.length > LONGEST_NAME ? [name] : name.split(/(?<=[_.])/);
  return words.map((word, at) => (
    <Fragment key={at}>
      {at > 0 && <wbr />}
      <EventText text={word} max={LONGEST_NAME} />
    </Fragment>
  ));
}

function FieldRow({
  info,
  field: { name, value, attribute },
}: {
  readonly info: EventInfo;
  readonly field: EventField;
}) {
  const pivots = usePivots();
  const proto = info.fields.find((one) => one.name === 'proto')?.value;
  /** The event whose value is shown in full. */
  const [whole, setWhole] = useState<string>();
  const isWhole = whole === info.event;
  const text = shownValue(name, value);
  const isLong = text.length > FIRST + FEW;
  const searched = useSearchedWords();
  const isCut = info.fields.some((one) => one.name === 'extractor' && !one.attribute);
  const fullName = attribute ? `attrs.${name}` : name;
  const words = attribute ? undefined : connectionWords(name, String(value), String(proto ?? ''));
  return (
    <div className={css['row']}>
      <span
        className={css['name']}
        title={`${attribute ? 'attribute ' : ''}${visibleText(name, 300)}`}
      >
        <FieldName name={fieldLabel(name)} />
      </span>
      <span className={css['value']}>
        <ValueMenu
          field={name}
          value={value}
          ts={info.ts}
          event={info.event}
          fiveTuple={info.fiveTuple}
        >
          <EventText
            text={text}
            max={isLong && !isWhole ? FIRST : MOST}
            highlight={searched?.in(fullName, isSearched(fullName, isCut))}
          />
        </ValueMenu>
        {isLong && (
          <Button
            variant="subtle"
            size="compact-xs"
            onClick={() => setWhole(isWhole ? undefined : info.event)}
          >
            {isWhole ? 'Show less' : `Show all ${formatCount(text.length)} characters`}
          </Button>
        )}
        {isWhole && text.length > MOST && (
          <span className={css['words']}>
            The first {formatCount(MOST)} characters; Raw shows the rest.
          </span>
        )}
        {words !== undefined && <span className={css['words']}>{words}</span>}
      </span>
      <span className={css['pivots']}>
        <ActionIcon
          size={24}
          aria-label={`Only events with this ${visibleText(name, 60)}`}
          onClick={() => pivots.include(name, value)}
        >
          <IconPlus size={12} />
        </ActionIcon>
        <ActionIcon
          size={24}
          aria-label={`Without events with this ${visibleText(name, 60)}`}
          onClick={() => pivots.exclude(name, value)}
        >
          <IconMinus size={12} />
        </ActionIcon>
      </span>
    </div>
  );
}

/** The user's note on the event; saved when the field loses the focus. */
function NoteBox({ info }: { readonly info: EventInfo }) {
  const { connection } = useWorkspace();
  const { case: folder } = useCase();
  const noReport = useRefusal('report.write');
  const stored = info.note ?? '';
  const [draft, setDraft] = useState<NoteDraft>({ text: stored, kept: stored });
  const { text, kept } = draft;
  useEffect(() => setDraft((before) => draftAfter(before, stored)), [stored]);
  const keep = (): void => {
    if (text === kept) return;
    setDraft({ text, kept: text });
    connection
      .call('note.set', { case: folder, event: info.event, text })
      .catch((error: unknown) => {
        setDraft((now) => (now.kept === text ? { ...now, kept } : now));
        notifyError(error, 'The note could not be saved');
      });
  };
  const noteWords =
    noReport === undefined
      ? 'A note on this event; included in the report'
      : 'A note on this event; everybody who opens the case sees it';
  return (
    <Textarea
      mx={14}
      my={10}
      aria-label="Note on this event"
      placeholder={noteWords}
      autosize
      minRows={1}
      maxRows={10}
      value={text}
      onChange={({ currentTarget: { value } }) =>
        setDraft((before) => ({ ...before, text: value }))
      }
      onBlur={keep}
    />
  );
}
