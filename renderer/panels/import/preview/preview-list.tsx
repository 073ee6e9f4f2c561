/** The sources one below the other, those that need a look first; of many, those of one sort on request. */
import { SegmentedControl } from '@mantine/core';
import { useState } from 'react';
import { formatCount } from '../../../panel-api.ts';
import type { Preview } from '../decisions.ts';
import css from '../import.module.css';
import { inOrder, lookOf, type Look } from './preview-order.ts';
import { SourceRow } from './source-row.tsx';
import type { MistypedFields } from '../use-mistyped.ts';
import type { Previews } from './use-previews.ts';

const SHOWN = ['all', 'problem', 'guess'] as const;
type Shown = (typeof SHOWN)[number];
const LABELS: Readonly<Record<Shown, string>> = {
  all: 'All',
  problem: 'Needs a look',
  guess: 'Guessed',
};

/** Up to this many sources are seen at a glance. */
const FEW = 8;

/** How urgent each source was when all had been previewed. */
interface Judged {
  readonly end: NonNullable<Previews['end']>;
  readonly looks: ReadonlyMap<string, Look>;
}

interface Props {
  readonly previews: Previews;
  /** The preview at which each file is decided about, by the file's path. */
  readonly deciding: ReadonlyMap<string, Preview>;
  readonly typing: MistypedFields['typing'];
}

export function PreviewList({ previews, deciding, typing }: Props) {
  const { list, end, busy, perFile } = previews;
  const [show, setShow] = useState<Shown>('all');
  const [judged, setJudged] = useState<Judged>();
  // Rows keep their order while others arrive, and when a decision changes them.
  if (end !== undefined && judged?.end !== end) {
    setJudged({ end, looks: new Map(list.map((one) => [keyOf(one), lookOf(one)])) });
  }
  const look = (one: Preview): Look => judged?.looks.get(keyOf(one)) ?? lookOf(one);
  const ordered = end === undefined ? list : inOrder(list, look);
  const seen = ordered.filter((one) => show === 'all' || look(one) === show);
  if (list.length === 0) return null;
  return (
    <>
      {end !== undefined && list.length > FEW && (
        <div>
          <SegmentedControl
            aria-label="Sources that are listed"
            value={show}
            onChange={(next) => setShow(SHOWN.find((one) => one === next) ?? 'all')}
            data={SHOWN.map((one) => ({
              value: one,
              label: `${LABELS[one]} (${formatCount(
                one === 'all' ? list.length : list.filter((each) => look(each) === one).length,
              )})`,
            }))}
          />
        </div>
      )}
      <div className={css['frame']} tabIndex={0} role="region" aria-label="Sources">
        <table className={css['table']}>
          <thead>
            <tr>
              <th scope="col">Source</th>
              <th scope="col" className={css['number']}>
                Size
              </th>
              <th scope="col">Format</th>
              <th scope="col">Zone</th>
              <th scope="col">Year</th>
              <th scope="col">First record</th>
            </tr>
          </thead>
          <tbody>
            {seen.map((preview) => (
              <SourceRow
                key={keyOf(preview)}
                preview={preview}
                fileDecision={perFile[preview.path]}
                busy={busy.has(preview.path)}
                decides={deciding.get(preview.path) === preview}
                onDecide={(decision) => previews.decide(preview.path, decision)}
                clockTyping={typing('clock', preview.path)}
                yearTyping={typing('year', preview.path)}
              />
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}

function keyOf({ path, members }: Preview): string {
  return `${path}\n${members.join('\n')}`;
}
