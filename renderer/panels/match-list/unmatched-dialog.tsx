/** Rows of the view's list that no event of the view meets. */
import { Button, Modal, Progress, Text } from '@mantine/core';
import { IconCircleCheck, IconCopy, IconDownload } from '@tabler/icons-react';
import { useMemo } from 'react';
import {
  counted,
  formatCount,
  linesOf,
  notifyDone,
  notifyError,
  useAnswer,
  useCase,
  useQuestion,
  useView,
  useWorkspace,
} from '../../panel-api.ts';
import { download } from '../../widgets/csv.ts';
import { EventText } from '../../widgets/event-text.tsx';
import form from '../../widgets/form.module.css';
import { Problem } from '../../widgets/problem.tsx';
import { sentence } from '../../widgets/sentence.ts';
import { firstNumber, recordAt } from './list-records.ts';
import css from './match-list.module.css';

/** Rows that are shown; copied and saved are all. */
const MOST_SHOWN = 500;
const MOST_TEXT = 300;

export function UnmatchedDialog() {
  const { dialogs, lists } = useWorkspace();
  const { case: folder } = useCase();
  const { list, query, from, to } = useView();
  const question = useQuestion();
  const asked = question.list;
  const { data, error } = useAnswer(
    'list.unmatched',
    asked === undefined ? undefined : { ...question, list: asked },
    { live: false },
  );
  // Which line is the header, if any: it goes along, so that what is saved is a list again.
  const { data: preview } = useAnswer(
    'list.preview',
    asked === undefined ? undefined : { case: folder, list: asked },
    { live: false },
  );
  const bytes = list && lists.bytesOf(list.kept);
  const lines = useMemo(() => (bytes === undefined ? [] : linesOf(bytes)), [bytes]);
  const numbers = data?.lines ?? new Float64Array();
  const header =
    preview?.header === true && preview.form !== 'json' ? firstNumber(lines) : undefined;
  const row = (number: number): string => recordAt(lines, number, preview?.form === 'table');
  const text = (): string =>
    [...(header === undefined ? [] : [header]), ...numbers]
      .map((number) => `${row(number)}\n`)
      .join('');
  const narrowed = query.trim() !== '' || (from ?? to) !== undefined;
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
          <>
            <div className={css['verdict']} role="status">
              {numbers.length === 0 && (
                <IconCircleCheck size={16} color="var(--db-ok)" aria-hidden />
              )}
              <span>
                {numbers.length === 0 ? (
                  <b>
                    {data.of === 1
                      ? 'The line matched'
                      : `Each of ${counted(data.of, 'line')} matched`}
                  </b>
                ) : (
                  <>
                    <b>
                      {formatCount(numbers.length)} of {counted(data.of, 'line')}
                    </b>{' '}
                    matched nothing
                  </>
                )}
                {narrowed ? ' among the events of this query and time range' : ' in this case'}
              </span>
            </div>
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
            {data.unsearched.map((line) => (
              <Text key={line} size="xs" c="dimmed">
                {sentence(line)}
              </Text>
            ))}
          </>
        )}
        <div className={form['actions']}>
          {numbers.length > 0 && (
            <>
              <Button
                variant="default"
                leftSection={<IconCopy size={13} aria-hidden />}
                onClick={() => copy(text(), numbers.length)}
              >
                Copy
              </Button>
              <Button
                variant="default"
                leftSection={<IconDownload size={13} aria-hidden />}
                onClick={() => download(unmatchedName(list?.name ?? 'list'), 'text/plain', text())}
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

function copy(text: string, rows: number): void {
  if (!('clipboard' in navigator)) {
    notifyError(new Error('this page is not allowed to write to the clipboard'), 'Not copied');
    return;
  }
  navigator.clipboard.writeText(text).then(
    () => notifyDone(`${counted(rows, 'line')} copied to the clipboard`),
    (error: unknown) => notifyError(error, 'Not copied'),
  );
}

/** `feed-unmatched.csv` of `feed.csv`. */
function unmatchedName(name: string): string {
  const safe = name.replace(/[^\w.-]+/g, '-');
  const dot = safe.lastIndexOf('.');
  return dot > 0 ? `${safe.slice(0, dot)}-unmatched${safe.slice(dot)}` : `${safe}-unmatched.txt`;
}
