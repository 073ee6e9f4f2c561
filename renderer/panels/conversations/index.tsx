/** Conversations: who talked to whom, and how much in each direction, as a table, a matrix or a graph. */
import { Button, SegmentedControl, Select } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { useMemo, useState } from 'react';
import type { Result } from '../../../engine/contract/operations.ts';
import {
  ALL,
  formatBytes,
  formatCount,
  formatMs,
  notifyError,
  notifyPartly,
  useAnswer,
  useCase,
  usePreference,
  useQuestion,
  useView,
  useWorkspace,
  counted,
} from '../../panel-api.ts';
import { csvOf, download } from '../../widgets/texts/csv.ts';
import { Empty } from '../../widgets/empty.tsx';
import { Loading } from '../../widgets/loading.tsx';
import { PrivateToPublic } from '../../widgets/private-to-public.tsx';
import { Problem } from '../../widgets/problem.tsx';
import table from '../../widgets/result-table.module.css';
import css from './conversations.module.css';
import { GraphView } from './graph-view.tsx';
import type { HostOrder } from './matrix.ts';
import { MatrixView } from './matrix-view.tsx';
import { csvRows, measureOf, pairsOf, PAIR_COLUMNS, type Order, type Pair } from './pairs.ts';
import { PairTable } from './pair-table.tsx';
import { useConversationPivots } from './pivots.tsx';

const FORMS = [
  { value: 'table', label: 'Table' },
  { value: 'matrix', label: 'Matrix' },
  { value: 'graph', label: 'Graph' },
] as const;
type Form = (typeof FORMS)[number]['value'];
const isForm = (value: unknown): value is Form => FORMS.some((one) => one.value === value);

const ORDERS: readonly { readonly value: Order; readonly label: string }[] = [
  { value: 'bytes', label: 'Most bytes' },
  { value: 'packets', label: 'Most packets' },
  { value: 'flows', label: 'Most flows' },
  { value: 'last', label: 'Latest' },
];
const isOrder = (value: unknown): value is Order => ORDERS.some((one) => one.value === value);

const LIMITS = ['100', '500', '2000', '10000'];

export function ConversationsPanel() {
  const question = useQuestion();
  const [form, setForm] = usePreference<Form>('conversations', 'table', isForm);
  const [order, setOrder] = usePreference<Order>('conversations-order', 'bytes', isOrder);
  const [hosts, setHosts] = useState<HostOrder>('size');
  const [limit, setLimit] = useState('500');
  const { data, error, stale } = useAnswer('conversations.run', {
    ...question,
    order,
    limit: Number(limit),
  });
  const pairs = useMemo(() => (data === undefined ? [] : pairsOf(data.batch)), [data]);
  const { names, notes } = useNames(form === 'table' ? pairs : NO_PAIRS);
  const measure = measureOf(pairs, order);
  const pivots = useConversationPivots(data !== undefined && data.total.flows === 0);

  return (
    <div className={table['column']}>
      <div className={table['toolbar']}>
        <SegmentedControl
          aria-label="Shown as"
          data={[...FORMS]}
          value={form}
          onChange={(next) => isForm(next) && setForm(next)}
        />
        <Select
          aria-label="Order of the pairs"
          w={130}
          allowDeselect={false}
          data={ORDERS}
          value={order}
          onChange={(next) => isOrder(next) && setOrder(next)}
        />
        <Select
          aria-label="How many pairs"
          w={104}
          allowDeselect={false}
          data={LIMITS.map((value) => ({ value, label: `${formatCount(Number(value))} pairs` }))}
          value={limit}
          onChange={(next) => next !== null && setLimit(next)}
        />
        {form === 'matrix' && (
          <Select
            aria-label="Order of the hosts"
            w={130}
            allowDeselect={false}
            data={[
              { value: 'size', label: 'Hosts by size' },
              { value: 'address', label: 'By address' },
            ]}
            value={hosts}
            onChange={(next) => setHosts(next === 'address' ? 'address' : 'size')}
          />
        )}
        <PrivateToPublic />
        <SaveButton pairs={pairs} />
        {data !== undefined && <Summary data={data} shown={pairs.length} notes={notes} />}
      </div>
      <div className={`${table['rest']} ${stale ? table['dim'] : ''}`}>
        {error !== undefined ? (
          <Problem title="The conversations cannot be shown" error={error} />
        ) : data === undefined ? (
          <Loading />
        ) : pairs.length === 0 ? (
          <NoPairs />
        ) : form === 'matrix' ? (
          <MatrixView pairs={pairs} measure={measure} order={hosts} pivots={pivots} />
        ) : form === 'graph' ? (
          <GraphView pairs={pairs} measure={measure} pivots={pivots} />
        ) : (
          <PairTable pairs={pairs} names={names} measure={measure} pivots={pivots} />
        )}
      </div>
      {pivots.menu}
    </div>
  );
}

function NoPairs() {
  const { views } = useWorkspace();
  const { query, from, to, list } = useView();
  return (
    <Empty
      title="No conversations"
      text="Conversations are made from flows, or from packets in a case without flows. None match: widen the time range, change the query, or add captures or flow files."
      actions={
        query !== '' || (from ?? to ?? list) !== undefined ? (
          <Button variant="default" onClick={() => views.show(ALL)}>
            Conversations of the whole case
          </Button>
        ) : undefined
      }
    />
  );
}

/** Saves the pairs with the names of their hosts, as CSV. */
function SaveButton({ pairs }: { readonly pairs: readonly Pair[] }) {
  const { connection } = useWorkspace();
  const { case: path } = useCase();
  const save = (): void => {
    connection.call('hosts.names', { case: path, addresses: addressesOf(pairs) }).then(
      ({ hosts, notes: missing }) => {
        download(
          'conversations.csv',
          'text/csv',
          csvOf([...PAIR_COLUMNS], csvRows(pairs, namesOf(hosts))),
        );
        if (missing.length > 0) notifyPartly(missing.join('; '), 'The CSV may lack host names');
      },
      (problem: unknown) => notifyError(problem, 'The conversations were not saved'),
    );
  };
  return (
    <Button
      variant="default"
      leftSection={<IconDownload size={13} aria-hidden />}
      disabled={pairs.length === 0}
      onClick={save}
    >
      CSV
    </Button>
  );
}

function Summary({
  data: { total, timings, notes: answerNotes },
  shown,
  notes,
}: {
  readonly data: Result<'conversations.run'>;
  /** Number of pairs. */
  readonly shown: number;
  /** About the names. */
  readonly notes: readonly string[];
}) {
  return (
    <span className={css['summary']}>
      {shown < total.pairs && `${formatCount(shown)} of `}
      {counted(total.pairs, 'pair')}
      {total.flows > 0 && ` · ${counted(total.flows, 'flow')}`}
      {total.bytes > 0 && ` · ${formatBytes(total.bytes)}`} · {formatMs(timings.totalMs)}
      {total.flows === 0 && answerNotes.map((note) => ` · ${note}`)}
      {notes.map((note) => ` · ${note}`)}
    </span>
  );
}

type Named = Result<'hosts.names'>['hosts'];
const NO_PAIRS: readonly Pair[] = [];

function addressesOf(pairs: readonly Pair[]): string[] {
  return [...new Set(pairs.flatMap(({ a, b }) => [a, b]))];
}

function namesOf(hosts: Named): ReadonlyMap<string, string> {
  return new Map(hosts.map(({ address, names }) => [address, names.join(', ')]));
}

/** Names that the case knows for the addresses of both ends, the most frequent first. */
function useNames(pairs: readonly Pair[]) {
  const info = useCase();
  const addresses = useMemo(() => addressesOf(pairs), [pairs]);
  const { data } = useAnswer(
    'hosts.names',
    addresses.length === 0 ? undefined : { case: info.case, addresses },
    { live: false },
  );
  return useMemo(() => ({ names: namesOf(data?.hosts ?? []), notes: data?.notes ?? [] }), [data]);
}
