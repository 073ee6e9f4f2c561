/** Rows of the view's list that no event of the view meets. */
import { Button, Modal, Progress, Text } from '@mantine/core';
import { IconCircleCheck, IconCopy, IconDownload } from '@tabler/icons-react';
import { useMemo } from 'react';
import type { Result } from '../../../engine/contract/operations.ts';
import {
  counted,
  formatCount,
  linesOf,
  useAnswer,
  useCase,
  useQuestion,
  useView,
  useWorkspace,
} from '../../panel-api.ts';
import { copyText } from '../../widgets/texts/clipboard.ts';
import { download } from '../../widgets/texts/csv.ts';
import { EventText } from '../../widgets/texts/event-text.tsx';
import form from '../../widgets/inputs/form.module.css';
import { Problem } from '../../widgets/problem.tsx';
import { sentence } from '../../widgets/texts/sentence.ts';
import { firstNumber, recordAt } from './list-records.ts';
import css from './match-list.module.css';

/** Rows that are shown; copied and saved are all. */
const MOST_SHOWN = 500;
const MOST_TEXT = 300;

export function UnmatchedDialog() {
  const { dialogs } = useWorkspace();
  const { list } = useView();
  const { data, error, lines } = useUnmatched();
  const unmatched = data?.lines.length ?? 0;
  return (
    <Modal
      opened
      onClose={dialogs.close}
      title="Lines that matched nothing"
      size="min(840px, 94vw)"
    >
      <div className={form['stack']}>
        {list === undefined ? (
          <Text size="sm">No list is applied.</Text>
        ) : error !== undefined ? (
          <Problem margin={0} error={error} title="The list could not be checked" />
        ) : data === undefined ? (
          <div role="status">
            <Text size="sm" mb={8}>
              Looking for each line of the list…
            </Text>
            <Progress value={100} animated aria-label="Looking for each line" />
          </div>
        ) : (
          <Unmatched found={data} lines={lines} />
        )}
        <div className={form['actions']}>
          {unmatched > 0 && (
            <>
              <Button
                variant="default"
                leftSection={<IconCopy size={13} aria-hidden />}
                onClick={() =>
                  copyText(lines.text(), `${counted(unmatched, 'line')} copied to the clipboard`)
                }
              >
                Copy
              </Button>
              <Button
                variant="default"
                leftSection={<IconDownload size={13} aria-hidden />}
                onClick={() =>
                  download(unmatchedName(list?.name ?? 'list'), 'text/plain', lines.text())
                }
              >
                Save
              </Button>
            </>
          )}
          <Button onClick={dialogs.close} data-autofocus>
            Close
          </Button>
        </div>
      </div>
    </Modal>
  );
}

/** Contents of the list's lines. */
interface ListLines {
  /** Number of the line that is the header, if any. */
  readonly header: number | undefined;
  row(number: number): string;
  /** The header and all that matched nothing: a list again. */
  text(): string;
}

function useUnmatched() {
  const { lists } = useWorkspace();
  const { case: folder } = useCase();
  const { list } = useView();
  const question = useQuestion();
  const asked = question.list;
  const { data, error } = useAnswer(
    'list.unmatched',
    asked === undefined ? undefined : { ...question, list: asked },
    { live: false },
  );
  const { data: preview } = useAnswer(
    'list.preview',
    asked === undefined ? undefined : { case: folder, list: asked },
    { live: false },
  );
  const bytes = list && lists.bytesOf(list.kept);
  const all = useMemo(() => (bytes === undefined ? [] : linesOf(bytes)), [bytes]);
  const header = preview?.header === true && preview.form !== 'json' ? firstNumber(all) : undefined;
  const row = (number: number): string => recordAt(all, number, preview?.form === 'table');
  const lines: ListLines = {
    header,
    row,
    text: () =>
      [...(header === undefined ? [] : [header]), ...(data?.lines ?? [])]
        .map((number) => `${row(number)}\n`)
        .join(''),
  };
  return { data, error, lines };
}

function Unmatched({
  found: { lines: numbers, of, unsearched },
  lines: { header, row },
}: {
  readonly found: Result<'list.unmatched'>;
  readonly lines: ListLines;
}) {
  return (
    <>
      <Verdict n={numbers.length} of={of} />
      {numbers.length > 0 && (
        <div
          className={`${css['frame'] ?? ''} ${css['lines'] ?? ''}`}
          tabIndex={0}
          role="region"
          aria-label="Lines that matched nothing"
        >
          <table className={css['table']}>
            <tbody>
              {header !== undefined && <Line text={row(header)} number={header} isHeader />}
              {Array.from(numbers.subarray(0, MOST_SHOWN), (number) => (
                <Line key={number} text={row(number)} number={number} />
              ))}
            </tbody>
          </table>
        </div>
      )}
      {numbers.length > MOST_SHOWN && (
        <Text size="xs" c="dimmed">
          The first {MOST_SHOWN} are shown; Copy and Save take all of them.
        </Text>
      )}
      {unsearched.map((line) => (
        <Text key={line} size="xs" c="dimmed">
          {sentence(line)}
        </Text>
      ))}
    </>
  );
}

function Verdict({ n, of }: { readonly n: number; readonly of: number }) {
  const { query, from, to } = useView();
  const narrowed = query.trim() !== '' || (from ?? to) !== undefined;
  return (
    <div className={css['verdict']} role="status">
      {n === 0 && <IconCircleCheck size={16} color="var(--db-ok)" aria-hidden />}
      <span>
        {n === 0 ? (
          <b>{of === 1 ? 'The line matched' : `Each of ${counted(of, 'line')} matched`}</b>
        ) : (
          <>
            <b>
              {formatCount(n)} of {counted(of, 'line')}
            </b>{' '}
            matched nothing
          </>
        )}
        {narrowed ? ' among the events of this query and time range' : ' in this case'}
      </span>
    </div>
  );
}

interface LineProps {
  readonly text: string;
  readonly number: number;
  readonly isHeader?: boolean;
}

function Line({ text, number, isHeader = false }: LineProps) {
  return (
    <tr className={isHeader ? css['header'] : undefined}>
      <td className={css['number']}>{number}</td>
      <td className={`mono ${css['whole'] ?? ''}`}>
        <EventText text={text} max={MOST_TEXT} />
      </td>
    </tr>
  );
}

/** `feed-unmatched.csv` of `feed.csv`. */
function unmatchedName(name: string): string {
  const safe = name.replace(/[^\w.-]+/g, '-');
  const dot = safe.lastIndexOf('.');
  return dot > 0 ? `${safe.slice(0, dot)}-unmatched${safe.slice(dot)}` : `${safe}-unmatched.txt`;
}
