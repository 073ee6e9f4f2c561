/**
 * Searches the payloads of connections in the captures themselves. The results stay until the next search: a match
 * opens its flow in the details, behind the dialog.
 */
import { Button, Checkbox, Modal, Progress, Text, TextInput, UnstyledButton } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { useEffect, useRef, useState } from 'react';
import {
  counted,
  formatBytes,
  formatTime,
  useCase,
  useDialog,
  useQuestion,
  useSession,
  useView,
  useWorkspace,
} from '../../panel-api.ts';
import { errorInfoOf } from '../../../engine/contract/wire/client.ts';
import type { ErrorInfo } from '../../../engine/contract/wire/frame.ts';
import {
  bodyText,
  endText,
  MATCH_COLUMNS,
  matchRecord,
  notSearchedTexts,
  printable,
  searchedText,
} from '../../../engine/contract/words/payload-search.ts';
import type { Part, Result } from '../../../engine/contract/operations.ts';
import { csvOf, download } from '../../widgets/texts/csv.ts';
import { EventText, visibleText } from '../../widgets/texts/event-text.tsx';
import form from '../../widgets/inputs/form.module.css';
import { Form } from '../../widgets/inputs/form.tsx';
import { Problem } from '../../widgets/problem.tsx';
import { TimeText } from '../../widgets/texts/time-text.tsx';
import css from './payload-search.module.css';

type Found = Result<'payload.search'>;
type Match = Found['matches'][number];

const LIMIT = 1000;

export function PayloadSearchDialog() {
  const folder = useSession((session) => session.openCase?.case);
  return folder === undefined ? null : <PayloadSearch key={folder} folder={folder} />;
}

function PayloadSearch({ folder }: { readonly folder: string }) {
  const { connection, dialogs } = useWorkspace();
  const isOpen = useDialog('payload-search') !== undefined;
  const { query, from, to, list } = useView();
  const question = useQuestion();
  const [pattern, setPattern] = useState('');
  const [isOfQuery, setIsOfQuery] = useState(false);
  const [progress, setProgress] = useState<Part<'payload.search'>>();
  const [found, setFound] = useState<Found>();
  const [error, setError] = useState<ErrorInfo>();
  const running = useRef<AbortController>(null);
  useEffect(() => () => running.current?.abort(), []);
  const hasQuery = query.trim() !== '' || (from ?? to ?? list) !== undefined;
  const search = async (): Promise<void> => {
    const controller = new AbortController();
    running.current = controller;
    setError(undefined);
    setFound(undefined);
    setProgress({ done: 0, source: '', matches: 0 });
    const asked = isOfQuery && hasQuery ? question : { case: folder, query: '' };
    try {
      setFound(
        await connection.call(
          'payload.search',
          { ...asked, pattern, limit: LIMIT },
          { signal: controller.signal, onPart: setProgress },
        ),
      );
    } catch (failure) {
      setError(errorInfoOf(failure));
    } finally {
      setProgress(undefined);
    }
  };
  const isRunning = progress !== undefined;
  return (
    <Modal opened={isOpen} onClose={dialogs.close} title="Search payloads" size={1100}>
      <Form
        onSubmit={() => {
          if (!isRunning && pattern !== '') void search();
        }}
      >
        <TextInput
          data-autofocus
          label="Text, /regular expression/ or hex:bytes"
          description="Text is found in any case, in UTF-8 and UTF-16. Bodies of HTTP (HTTP/2 only in clear) are also searched decompressed; everything else is searched as it was sent, so that compressed or encrypted content is not found."
          placeholder="jndi:"
          classNames={{ input: 'mono' }}
          maxLength={4096}
          value={pattern}
          onChange={({ currentTarget }) => setPattern(currentTarget.value)}
        />
        <Checkbox
          label="Only in connections that the query finds"
          disabled={!hasQuery}
          checked={isOfQuery && hasQuery}
          onChange={({ currentTarget }) => setIsOfQuery(currentTarget.checked)}
        />
        <div className={form['row']}>
          {isRunning ? (
            <Button variant="default" onClick={() => running.current?.abort()}>
              Stop
            </Button>
          ) : (
            <Button type="submit" disabled={pattern === ''}>
              Search
            </Button>
          )}
          {isRunning && <Running progress={progress} />}
        </div>
        {error !== undefined && (
          <Problem margin={0} error={error} title="The captures were not searched" />
        )}
        {found !== undefined && <Matches found={found} />}
      </Form>
    </Modal>
  );
}

function Running({ progress }: { readonly progress: Part<'payload.search'> }) {
  const { done, of = 0, source, matches } = progress;
  return (
    <div className={form['grow']}>
      <Text size="sm" truncate>
        {counted(matches, 'match', 'matches')} so far · <EventText text={source} max={200} />
      </Text>
      <Progress
        aria-label="Progress in this capture"
        value={of === 0 ? 100 : (100 * done) / of}
        animated
      />
    </div>
  );
}

function Matches({ found }: { readonly found: Found }) {
  const { matches, isStopped } = found;
  const notes = notSearchedTexts(found).map((note) => visibleText(note, 600));
  if (isStopped) notes.unshift('stopped there: there may be more matches');
  return (
    <section aria-label="Matches" className={form['stack']}>
      <Text size="sm" role="status">
        {searchedText(matches.length, found, formatBytes)}
      </Text>
      {notes.length > 0 && (
        <ul className={css['notes']}>
          {notes.map((note) => (
            <li key={note}>{note}</li>
          ))}
        </ul>
      )}
      {matches.length > 0 && <Uses matches={matches} />}
      {matches.length > 0 && (
        <div className={css['matches']}>
          <table>
            <thead>
              <tr>
                <th scope="col">Time</th>
                <th scope="col">Client and server</th>
                <th scope="col">Offset</th>
                <th scope="col">Content</th>
              </tr>
            </thead>
            <tbody>
              {matches.map((match, i) => (
                <MatchRow key={i} match={match} />
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  );
}

/** Actions on all matches. */
function Uses({ matches }: { readonly matches: readonly Match[] }) {
  const { dialogs } = useWorkspace();
  const { readOnly } = useCase();
  const flows = [...new Set(matches.map(({ event }) => event))];
  const records = () =>
    matches.map((one) =>
      matchRecord(
        one,
        one.ts === undefined ? undefined : `${formatTime(one.ts, 'UTC').replace(' ', 'T')}Z`,
      ),
    );
  return (
    <div className={form['row']}>
      <Button
        variant="default"
        size="compact-sm"
        disabled={readOnly}
        onClick={() => dialogs.open({ dialog: 'tag', events: flows })}
      >
        Tag {flows.length === 1 ? 'the flow' : `the ${counted(flows.length, 'flow')}`}…
      </Button>
      <Button
        variant="default"
        size="compact-sm"
        leftSection={<IconDownload size={13} aria-hidden />}
        onClick={() => {
          const rows = records().map((record) => MATCH_COLUMNS.map((name) => record[name]));
          download('payload-matches.csv', 'text/csv', csvOf([...MATCH_COLUMNS], rows));
        }}
      >
        CSV
      </Button>
      <Button
        variant="default"
        size="compact-sm"
        leftSection={<IconDownload size={13} aria-hidden />}
        onClick={() => {
          const lines = records().map((record) => `${JSON.stringify(record)}\n`);
          download('payload-matches.ndjson', 'application/x-ndjson', lines.join(''));
        }}
      >
        NDJSON
      </Button>
    </div>
  );
}

function MatchRow({ match }: { readonly match: Match }) {
  const workspace = useWorkspace();
  const { event, source, ts, isFromClient, offset } = match;
  const client = endText(match.client, match.clientPort);
  const server = endText(match.server, match.serverPort);
  return (
    <tr title={visibleText(source)}>
      <td className={css['ends']}>
        <TimeText micros={ts} />
      </td>
      <td className={`mono ${css['ends']}`}>
        <UnstyledButton
          aria-label={`Show the flow of ${client} and ${server}`}
          onClick={() => {
            workspace.select(event);
            workspace.dialogs.close();
          }}
        >
          {client} {isFromClient ? '→' : '←'} {server}
        </UnstyledButton>
      </td>
      <td className={css['ends']}>{offset.toLocaleString('en-US')}</td>
      <td className={`mono evidence ${css['carried']}`}>
        {printable(match.before)}
        <mark>{printable(match.match)}</mark>
        {printable(match.after)}
        {match.body !== undefined && (
          <Text size="xs" c="dimmed">
            {visibleText(bodyText(match.body), 300)}
          </Text>
        )}
      </td>
    </tr>
  );
}
