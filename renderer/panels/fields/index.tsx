/** Fields of the case, with the most frequent values among the events found. */
import { ActionIcon, TextInput, Tooltip, UnstyledButton } from '@mantine/core';
import {
  IconChevronDown,
  IconChevronRight,
  IconMinus,
  IconPlus,
  IconSearch,
} from '@tabler/icons-react';
import { useMemo, useState } from 'react';
import {
  formatCount,
  useAnswer,
  useCase,
  usePivots,
  usePreference,
  counted,
  useResultList,
} from '../../panel-api.ts';
import { fieldLabel, isToldByEnd } from '../../widgets/event-columns.ts';
import { EventText, visibleText } from '../../widgets/texts/event-text.tsx';
import { Loading } from '../../widgets/loading.tsx';
import { placeOf, useValueMenu } from '../../widgets/value-menu.tsx';
import { errorWords } from '../../widgets/texts/window-words.ts';
import { fieldsShown, openAtFirst } from './fields-shown.ts';
import css from './fields.module.css';
import { useFieldValues, type FieldAnswer } from './use-field-values.ts';

const isNames = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((one) => typeof one === 'string');

/** More values than these are requested on demand. */
const FEW = 5;
const MORE = 30;
/** Evidence may have any number of fields; nobody reads more than this. */
const MOST_LISTED = 200;
/** Closed fields that are listed until the user asks for all: the panels below need the space. */
const FIRST_CLOSED = 6;
/** Nobody has opened or closed a field yet. */
const UNTOUCHED: string[] = [];

/** The search among the names of fields, and how many are listed. */
interface Listing {
  /** Undefined: the search is closed. */
  readonly search: string | undefined;
  readonly all: boolean;
}

/** Fields of the case, those that are listed, and which of them are open. */
function useFields({ search, all }: Listing) {
  const info = useCase();
  const { data, error } = useAnswer('field.list', { case: info.case });
  const [chosen, setOpened] = usePreference('open-fields', UNTOUCHED, isNames);
  const known = useResultList().opened?.fields;
  const fields = data?.fields;
  const opened = useMemo(
    () => (chosen === UNTOUCHED ? openAtFirst(fields ?? []) : chosen),
    [chosen, fields],
  );
  const shown = useMemo(
    () => fieldsShown(fields ?? [], opened, search ?? '', known),
    [fields, opened, search, known],
  );
  const searching = search !== undefined && search.trim() !== '';
  const listed = useMemo(() => {
    if (all || searching) return shown.slice(0, MOST_LISTED);
    const closed = shown.filter(({ open }) => !open).slice(0, FIRST_CLOSED);
    return shown.filter((one) => one.open || closed.includes(one)).slice(0, MOST_LISTED);
  }, [shown, all, searching]);
  const toggle = (field: string): void =>
    setOpened(opened.includes(field) ? opened.filter((one) => one !== field) : [...opened, field]);
  return { isLoaded: data !== undefined, error, found: shown.length, listed, searching, toggle };
}

export function FieldsPanel() {
  const [search, setSearch] = useState<string>();
  const [all, setAll] = useState(false);
  const [longer, setLonger] = useState<ReadonlySet<string>>(new Set());
  const { isLoaded, error, found, listed, searching, toggle } = useFields({ search, all });
  const limitOf = (field: string): number => (longer.has(field) ? MORE : FEW);
  const { answerOf, isOld } = useFieldValues(
    listed.filter(({ open }) => open).map(({ field }) => ({ field, limit: limitOf(field) })),
  );
  return (
    <section aria-label="Fields">
      <Search search={search} onSearch={setSearch} />
      {!isLoaded &&
        (error === undefined ? (
          <Loading />
        ) : (
          <p className={css['rest']}>
            <EventText
              text={`The fields cannot be listed. ${errorWords(error).message}`}
              max={300}
            />
          </p>
        ))}
      {isLoaded && listed.length === 0 && (
        <p className={css['rest']}>
          {searching
            ? 'No field has such a name.'
            : 'Fields of events and their most frequent values appear here.'}
        </p>
      )}
      {listed.map(({ field, events, open }) => (
        <Field
          key={field}
          field={field}
          events={events}
          open={open}
          answer={answerOf(field)}
          old={isOld({ field, limit: limitOf(field) })}
          more={longer.has(field)}
          onMore={() => setLonger((before) => new Set([...before, field]))}
          onToggle={() => toggle(field)}
        />
      ))}
      {!searching && (all || found > listed.length) && (
        <UnstyledButton className={css['rest']} onClick={() => setAll(!all)}>
          {all ? 'fewer fields' : `all ${counted(found, 'field')}`}
        </UnstyledButton>
      )}
      {(all || searching) && found > MOST_LISTED && (
        <p className={css['rest']}>
          and {formatCount(found - MOST_LISTED)} more: find them by name
        </p>
      )}
    </section>
  );
}

function Search({
  search,
  onSearch,
}: {
  readonly search: string | undefined;
  readonly onSearch: (search: string | undefined) => void;
}) {
  return (
    <>
      <div className={css['head']} style={{ padding: '8px 12px 4px' }}>
        <span
          style={{
            color: 'var(--db-muted)',
            fontSize: 11,
            letterSpacing: '0.05em',
            textTransform: 'uppercase',
          }}
        >
          Fields
        </span>
        <Tooltip label="Find a field">
          <ActionIcon
            size={24}
            aria-label="Find a field"
            aria-pressed={search !== undefined}
            onClick={() => onSearch(search === undefined ? '' : undefined)}
          >
            <IconSearch size={13} />
          </ActionIcon>
        </Tooltip>
      </div>
      {search !== undefined && (
        <TextInput
          mx={8}
          mb={4}
          placeholder="Name of a field"
          aria-label="Name of a field"
          autoFocus
          value={search}
          onChange={({ currentTarget }) => onSearch(currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key !== 'Escape') return;
            event.preventDefault();
            onSearch(undefined);
          }}
        />
      )}
    </>
  );
}

function Field({
  field,
  events,
  open,
  answer,
  old,
  more,
  onMore,
  onToggle,
}: {
  readonly field: string;
  readonly events: number;
  readonly open: boolean;
  readonly answer: FieldAnswer | undefined;
  /** Whether the answer is of another view. */
  readonly old: boolean;
  readonly more: boolean;
  readonly onMore: () => void;
  readonly onToggle: () => void;
}) {
  const isAbsent = answer?.data?.values.length === 0;
  const Icon = open ? IconChevronDown : IconChevronRight;
  return (
    <div className={`${css['field']} ${open && !isAbsent ? css['open'] : ''}`}>
      <div className={css['head']}>
        <UnstyledButton
          className={css['toggle']}
          aria-expanded={open}
          aria-label={`${visibleText(field, 60)}, in ${counted(events, 'event')}`}
          onClick={onToggle}
        >
          <Icon size={11} style={{ verticalAlign: -1, marginRight: 3, color: 'var(--db-faint)' }} />
          {visibleText(fieldLabel(field), 60)}
        </UnstyledButton>
        {open && answer?.data !== undefined && <Distinct n={answer.data.distinct} />}
      </div>
      {open && !isAbsent && (
        <Values field={field} answer={answer} old={old} more={more} onMore={onMore} />
      )}
    </div>
  );
}

function Distinct({ n }: { readonly n: number }) {
  return (
    <Tooltip
      label={n === 0 ? 'not in these events' : `${counted(n, 'different value')} in these events`}
    >
      <span className={css['distinct']}>{n === 0 ? 'none' : formatCount(n)}</span>
    </Tooltip>
  );
}

function Values({
  field,
  answer,
  old,
  more,
  onMore,
}: {
  readonly field: string;
  readonly answer: FieldAnswer | undefined;
  readonly old: boolean;
  readonly more: boolean;
  readonly onMore: () => void;
}) {
  const pivots = usePivots();
  const menu = useValueMenu();
  if (answer?.problem !== undefined) {
    return (
      <div className={css['distinct']}>
        <EventText text={answer.problem} max={300} />
      </div>
    );
  }
  const data = answer?.data;
  if (data === undefined) return <div className={css['room']} aria-busy="true" />;
  return (
    <div className={`${css['values']} ${old ? css['dim'] : ''}`} aria-busy={old}>
      {data.values.map(({ value, count, share }) => {
        const text = value === null ? '(no value)' : String(value);
        return (
          <div
            key={text}
            className={css['value']}
            onContextMenu={(event) => {
              event.preventDefault();
              menu.open({ field, value }, placeOf(event));
            }}
          >
            <span className={css['bar']} style={{ width: `${Math.max(1, share * 100)}%` }} />
            <UnstyledButton
              className={`${css['text']} ${isToldByEnd(field) ? css['end'] : ''}`}
              title={`${visibleText(text, 300)}: ${counted(count, 'event')}`}
              onClick={() => pivots.include(field, value)}
            >
              <EventText text={text} max={120} />
            </UnstyledButton>
            <span className={css['actions']}>
              <ActionIcon
                size={24}
                aria-label={`Only events with ${field} ${visibleText(text, 60)}`}
                onClick={() => pivots.include(field, value)}
              >
                <IconPlus size={11} />
              </ActionIcon>
              <ActionIcon
                size={24}
                aria-label={`Without events with ${field} ${visibleText(text, 60)}`}
                onClick={() => pivots.exclude(field, value)}
              >
                <IconMinus size={11} />
              </ActionIcon>
            </span>
            <span className={css['share']}>
              {share >= 0.995 ? '100' : share < 0.005 ? '<1' : Math.round(share * 100)}%
            </span>
          </div>
        );
      })}
      {data.distinct > data.values.length && (
        <UnstyledButton
          className={css['distinct']}
          onClick={() => (more ? pivots.topValues(field) : onMore())}
        >
          {more ? 'all in Top talkers' : 'more'}
        </UnstyledButton>
      )}
      {menu.menu}
    </div>
  );
}
