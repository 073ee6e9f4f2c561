/** One finding: its position, severity and text. */
import { ActionIcon, UnstyledButton } from '@mantine/core';
import { IconArrowDown, IconArrowUp } from '@tabler/icons-react';
import {
  SEVERITIES,
  TAG_COLORS,
  type Severity,
  type TagColor,
} from '../../../engine/contract/findings.ts';
import type { Result } from '../../../engine/contract/operations.ts';
import { fieldTerm, formatCount, useCase, usePivots, useWorkspace } from '../../panel-api.ts';
import { visibleText } from '../../widgets/texts/event-text.tsx';
import table from '../../widgets/result-table.module.css';
import { TagChip } from '../../widgets/tag-chip.tsx';
import { TimeText } from '../../widgets/texts/time-text.tsx';
import { Choice } from './choice.tsx';
import css from './findings.module.css';

const NONE = '';
const RATINGS = [
  { value: NONE, label: 'not rated' },
  ...[...SEVERITIES].reverse().map((value) => ({ value, label: value })),
];
const COLORS = TAG_COLORS.map((value) => ({ value, label: value }));

export type Finding = Result<'finding.list'>['findings'][number];

interface Props {
  readonly id: string;
  readonly finding: Finding;
  readonly readOnly: boolean;
  readonly canMoveUp: boolean;
  readonly canMoveDown: boolean;
  readonly onMove: (by: 'up' | 'down') => void;
  readonly onChange: (change: { severity?: Severity | null; color?: TagColor }) => Promise<unknown>;
}

export function FindingRow(props: Props) {
  const { id, finding, readOnly, onChange } = props;
  const { place, severity } = finding;
  const name = visibleText(finding.kind === 'tag' ? finding.tag : finding.text, 80);
  return (
    <tr data-key={id}>
      <td>
        <span className={css['place']}>
          <span className={css['number']}>{formatCount(place)}</span>
          <Mover {...props} by="up" name={name} />
          <Mover {...props} by="down" name={name} />
        </span>
      </td>
      <td className={css['severity']} data-severity={severity}>
        <Choice
          label={`Severity of ${name}`}
          value={severity ?? NONE}
          options={RATINGS}
          disabled={readOnly}
          onChoose={(value) =>
            onChange({ severity: SEVERITIES.find((one) => one === value) ?? null })
          }
        />
      </td>
      <td>
        <What finding={finding} />
      </td>
      <td>
        {finding.kind === 'tag' && (
          <Choice
            label={`Colour of ${name}`}
            value={finding.color}
            options={COLORS}
            disabled={readOnly}
            onChoose={(value) => {
              const color = TAG_COLORS.find((one) => one === value);
              return onChange(color === undefined ? {} : { color });
            }}
          />
        )}
      </td>
      <td className={table['number']}>{finding.kind === 'tag' && formatCount(finding.count)}</td>
      <td>
        <When finding={finding} />
      </td>
    </tr>
  );
}

function Mover({
  by,
  name,
  canMoveUp,
  canMoveDown,
  onMove,
}: Props & { readonly by: 'up' | 'down'; readonly name: string }) {
  const Icon = by === 'up' ? IconArrowUp : IconArrowDown;
  return (
    <ActionIcon
      size={24}
      variant="subtle"
      color="gray"
      data-move={by}
      aria-label={`Move ${name} ${by}`}
      disabled={!(by === 'up' ? canMoveUp : canMoveDown)}
      onClick={() => onMove(by)}
    >
      <Icon size={14} />
    </ActionIcon>
  );
}

function What({ finding }: { readonly finding: Finding }) {
  const pivots = usePivots();
  const workspace = useWorkspace();
  const isShared = useCase().refused !== undefined;
  if (finding.kind === 'tag')
    return (
      <UnstyledButton
        className={css['name']}
        onClick={() => pivots.filter(`kind:* ${fieldTerm('tag', finding.tag)}`, 'events')}
      >
        <TagChip name={finding.tag} color={finding.color} />
      </UnstyledButton>
    );
  // On a cluster several people write notes.
  const said = isShared ? `${finding.user}: ${finding.text}` : finding.text;
  const text = visibleText(said, 300);
  if (finding.hidden) return <span title={text}>{text}</span>;
  return (
    <UnstyledButton
      className={css['name']}
      title={text}
      onClick={() => workspace.select(finding.event)}
    >
      {text}
    </UnstyledButton>
  );
}

function When({ finding }: { readonly finding: Finding }) {
  if (finding.kind === 'note')
    return finding.hidden ? (
      <span className={css['muted']}>event not shown</span>
    ) : (
      <TimeText micros={microsOf(finding.time)} digits={0} />
    );
  const { count, first, last } = finding;
  if (count === 0) return null;
  return (
    <>
      <TimeText micros={microsOf(first)} digits={0} />
      {first !== last && (
        <div>
          – <TimeText micros={microsOf(last)} digits={0} />
        </div>
      )}
    </>
  );
}

function microsOf(time: string | undefined): number | undefined {
  return time === undefined ? undefined : Date.parse(time) * 1000;
}
