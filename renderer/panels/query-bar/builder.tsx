/**
 * The query as conditions that can be removed, negated and edited without knowing the language. It edits the text
 * in the bar at the positions reported by the parser.
 */
import { ActionIcon, Button, Menu, Popover, Tooltip, UnstyledButton } from '@mantine/core';
import { IconPlus, IconX } from '@tabler/icons-react';
import { useState } from 'react';
import { useStore } from 'zustand';
import { errorWords } from '../../widgets/texts/window-words.ts';
import { visibleText } from '../../widgets/texts/visible-text.ts';
import {
  oppositeOf,
  withoutStage,
  withoutTerm,
  withTerm,
  withTermReplaced,
} from '../../panel-api.ts';
import { QueryCode } from '../../widgets/query/query-code.tsx';
import type { BarStore, Parsed } from './bar-state.ts';
import { ConditionForm } from './condition-form.tsx';
import { conditionOf, signOf, type Term } from './conditions.ts';
import type { QueryEditor } from './editor.ts';
import css from './query-bar.module.css';

const SHOWN = 60;
/** Stages that can be added here; each is valid as it is. */
const STARTS = [
  { label: 'Top values of a field', text: 'top 10 src_ip' },
  { label: 'Count the events', text: 'count' },
  { label: 'Events over time', text: 'timeline 1h' },
  { label: 'A table of sums', text: 'stats count() as n, sum(bytes) as b by src_ip' },
  { label: 'Who talks to whom', text: 'talkers' },
  { label: 'Values of a field', text: 'values program' },
  { label: 'Messages by shape, rarest first', text: 'patterns' },
  { label: 'Messages by shape, most frequent first', text: 'patterns desc' },
  { label: 'Sessions of an address', text: 'session by src_ip gap 30m' },
] as const;

interface Props {
  readonly bar: BarStore;
  readonly editor: QueryEditor;
}

export function Builder({ bar, editor }: Props) {
  const { parsed, text } = useSettled(bar);
  const error = useStore(bar, (state) => state.parsed?.error);
  /** Parts of a text that has changed since are of no use. */
  const edit = (change: () => string): void => {
    if (editor.text() === text) editor.runText(change());
  };
  if (parsed === undefined) return <div className={css['builder']}> </div>;
  const { terms, stages, filter } = parsed;
  const whole = text.slice(filter.start, filter.end);
  return (
    <div
      className={`${css['builder'] ?? ''} ${error === undefined ? '' : (css['stale'] ?? '')}`}
      role="group"
      aria-label="Conditions of the query"
    >
      {terms === undefined && whole !== '' && (
        <>
          <span className={css['chip']}>
            <EditChip
              name="all conditions"
              start={{ text: whole }}
              onSave={(written) => edit(() => withTermReplaced(text, filter, written))}
            >
              <span className={css['value']}>
                <QueryCode query={whole} max={SHOWN * 2} />
              </span>
            </EditChip>
          </span>
          <span className={css['note']}>
            These conditions are combined with OR: edit them as text.
          </span>
        </>
      )}
      {terms?.length === 0 && <span className={css['note']}>Every event</span>}
      {terms?.map((term, at) => (
        <TermChip
          key={`${at} ${term.text}`}
          term={term}
          onRemove={() => edit(() => withoutTerm(text, at))}
          onNegate={() => edit(() => withTermReplaced(text, term, oppositeOf(term.text)))}
          onSave={(written) => edit(() => withTermReplaced(text, term, written))}
        />
      ))}
      {terms !== undefined && (
        <AddCondition onSave={(written) => edit(() => withTerm(text, written))} />
      )}
      {stages.map((stage, at) => (
        <span key={`${at} ${stage.text}`} className={`${css['chip']} ${css['stageChip']}`}>
          <span className={css['body']}>
            <QueryCode query={`| ${stage.text}`} max={SHOWN * 2} />
          </span>
          <Remove
            name={`stage ${visibleText(stage.text, SHOWN)}`}
            onClick={() => edit(() => withoutStage(text, stage))}
          />
        </span>
      ))}
      {parsed.error === undefined && (
        <AddStage onAdd={(stage) => edit(() => `${text.trim()} | ${stage}`.trim())} />
      )}
      {error !== undefined && <span className={css['error']}>{errorWords(error).message}</span>}
    </div>
  );
}

/** The bar's last valid content: while a person types, chips stay. */
function useSettled(bar: BarStore): { parsed: Parsed | undefined; text: string } {
  const { parsed, text } = useStore(bar);
  const [good, setGood] = useState({ parsed, text });
  if (parsed?.error === undefined && good.parsed !== parsed) setGood({ parsed, text });
  return good.parsed === undefined ? { parsed, text } : good;
}

function TermChip({
  term,
  onRemove,
  onNegate,
  onSave,
}: {
  readonly term: Term;
  readonly onRemove: () => void;
  readonly onNegate: () => void;
  readonly onSave: (written: string) => void;
}) {
  const condition = conditionOf(term);
  const name = visibleText(term.text, SHOWN);
  return (
    <span className={`${css['chip'] ?? ''} ${term.negated ? (css['negated'] ?? '') : ''}`}>
      <EditChip
        name={name}
        start={condition === undefined ? { text: term.text } : { condition }}
        onSave={onSave}
        onNegate={onNegate}
        isNegated={term.negated}
      >
        {term.negated && <span className={css['not']}>not</span>}
        {condition?.field !== undefined ? (
          <>
            <span className={css['name']}>{visibleText(condition.field, 40)}</span>
            <span className={css['sign']}>{signOf(condition)}</span>
            {condition.operator !== 'present' && (
              <span className={css['value']}>
                {visibleText(condition.value, SHOWN)}
                {condition.operator === 'range' && ` to ${visibleText(condition.upper, SHOWN)}`}
              </span>
            )}
          </>
        ) : (
          <span className={css['value']}>
            <QueryCode query={condition === undefined ? bare(term) : condition.value} max={SHOWN} />
          </span>
        )}
      </EditChip>
      <Remove name={name} onClick={onRemove} />
    </span>
  );
}

const bare = (term: Term): string => (term.negated ? oppositeOf(term.text) : term.text);

function Remove({ name, onClick }: { readonly name: string; readonly onClick: () => void }) {
  return (
    <Tooltip label="Remove">
      <ActionIcon size={24} mr={3} radius="xl" aria-label={`Remove ${name}`} onClick={onClick}>
        <IconX size={11} />
      </ActionIcon>
    </Tooltip>
  );
}

function EditChip({
  name,
  start,
  onSave,
  onNegate,
  isNegated = false,
  children,
}: {
  readonly name: string;
  readonly start: React.ComponentProps<typeof ConditionForm>['start'];
  readonly onSave: (written: string) => void;
  readonly onNegate?: () => void;
  readonly isNegated?: boolean;
  readonly children: React.ReactNode;
}) {
  const [opened, setOpened] = useState(false);
  return (
    <Popover opened={opened} onChange={setOpened} position="bottom-start" shadow="lg" trapFocus>
      <Popover.Target>
        <UnstyledButton
          className={css['body']}
          aria-label={`Edit ${name}`}
          onClick={() => setOpened(!opened)}
        >
          {children}
        </UnstyledButton>
      </Popover.Target>
      <Popover.Dropdown>
        <ConditionForm
          start={start}
          onSave={(written) => {
            setOpened(false);
            onSave(written);
          }}
        >
          {onNegate !== undefined && (
            <Button
              variant="subtle"
              mr="auto"
              onClick={() => {
                setOpened(false);
                onNegate();
              }}
            >
              {isNegated ? 'Include instead' : 'Exclude instead'}
            </Button>
          )}
        </ConditionForm>
      </Popover.Dropdown>
    </Popover>
  );
}

/** The look of buttons that add something. */
const ADD = {
  ...{ variant: 'subtle', color: 'gray', fw: 500, size: 'compact-xs' },
  leftSection: <IconPlus size={12} />,
} as const;

function AddCondition({ onSave }: { readonly onSave: (written: string) => void }) {
  const [opened, setOpened] = useState(false);
  return (
    <Popover opened={opened} onChange={setOpened} position="bottom-start" shadow="lg" trapFocus>
      <Popover.Target>
        <Button {...ADD} onClick={() => setOpened(!opened)}>
          condition
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <ConditionForm
          start={{}}
          onSave={(written) => {
            setOpened(false);
            onSave(written);
          }}
        />
      </Popover.Dropdown>
    </Popover>
  );
}

function AddStage({ onAdd }: { readonly onAdd: (stage: string) => void }) {
  return (
    <Menu position="bottom-start">
      <Menu.Target>
        <Button {...ADD}>stage</Button>
      </Menu.Target>
      <Menu.Dropdown>
        {STARTS.map(({ label, text }) => (
          <Menu.Item
            key={text}
            rightSection={<QueryCode query={`| ${text}`} />}
            onClick={() => onAdd(text)}
          >
            {label}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
