/** Top talkers: events of the view grouped by fields, with exact figures and the remainder. */
import { Button, MultiSelect, Select } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { useState } from 'react';
import {
  dissect,
  fieldTerm,
  useAnswer,
  useCase,
  useQuestion,
  useView,
  useWorkspace,
  withTerm,
  counted,
} from '../../panel-api.ts';
import { csvOf, download } from '../../widgets/texts/csv.ts';
import { Empty } from '../../widgets/empty.tsx';
import { visibleText } from '../../widgets/texts/event-text.tsx';
import { Loading } from '../../widgets/loading.tsx';
import { PrivateToPublic } from '../../widgets/private-to-public.tsx';
import { Problem } from '../../widgets/problem.tsx';
import table from '../../widgets/result-table.module.css';
import { GroupTable } from './group-table.tsx';
import { groupsOf, groupTable, type Groups } from './groups.ts';
import { MEASURES, parseMeasure } from './measure.ts';

const PRESETS = [
  { value: 'src_ip', label: 'Sources' },
  { value: 'dst_ip', label: 'Destinations' },
  { value: 'src_ip,dst_ip', label: 'Source and destination' },
  { value: 'dst_ip,dst_port', label: 'Services' },
  { value: 'dst_port', label: 'Destination ports' },
  { value: 'host', label: 'Hosts' },
  { value: 'host,program', label: 'Host and program' },
  { value: 'program', label: 'Programs' },
  { value: 'user', label: 'Users' },
  { value: 'src_ip,user', label: 'Source and user' },
  { value: 'user,outcome', label: 'User and outcome' },
  { value: 'severity', label: 'Severities' },
  { value: 'kind', label: 'Kinds' },
  { value: 'source', label: 'Files' },
];

/** Presets whose fields the case has. */
function presetsOf(fields: readonly { field: string }[]): typeof PRESETS {
  const has = new Set(fields.map(({ field }) => field));
  return PRESETS.filter(({ value }) => value.split(',').every((one) => has.has(one)));
}

/** Bytes from each source to each destination. */
const OUT = { by: ['src_ip', 'dst_ip'], measure: 'sum(bytes)' };
const LIMITS = ['10', '50', '100', '500', '1000'];
const BUCKETS = 40;

export function TalkersPanel() {
  const workspace = useWorkspace();
  const info = useCase();
  const question = useQuestion();
  const { query, by, measure } = useView();
  const [limit, setLimit] = useState('50');
  const fields = useAnswer('field.list', { case: info.case }).data?.fields ?? [];
  const asked = by.length > 0;
  const { data, error, stale } = useAnswer(
    'top.run',
    asked
      ? {
          ...question,
          by: [...by],
          measure: parseMeasure(measure),
          limit: Number(limit),
          sparkline: BUCKETS,
        }
      : undefined,
  );
  const groups = data === undefined ? undefined : groupsOf(data, by, measure);
  const hasValues = groups?.rows !== 1 || by.some((field) => groups.value(field, 0) !== null);

  const include = (row: number): void => {
    let next = dissect(query).filter;
    for (const field of by)
      next = withTerm(next, fieldTerm(field, groups?.value(field, row) ?? null));
    workspace.views.show({ query: next, tab: 'events' });
  };
  return (
    <div className={table['column']}>
      <Toolbar
        fields={fields.map(({ field }) => field)}
        limit={limit}
        onLimit={setLimit}
        groups={groups}
      />
      <div className={table['rest']}>
        {!asked ? (
          <Empty
            title="Choose what to group by"
            text="One or more fields: sources, destinations, programs, or any attribute of the events."
          />
        ) : error !== undefined ? (
          <Problem error={error} title="The groups cannot be counted" />
        ) : groups === undefined ? (
          <Loading />
        ) : groups.rows === 0 ? (
          <Empty title="No events found" text="Widen the time range, or change the query." />
        ) : hasValues ? (
          <div className={table['scroll']}>
            <GroupTable groups={groups} stale={stale} onShow={include} />
          </div>
        ) : (
          <NoValues events={groups.data.total.count} by={by} presets={presetsOf(fields)} />
        )}
      </div>
    </div>
  );
}

/** Choice of fields, measure and number of groups. */
function Toolbar({
  fields,
  limit,
  onLimit,
  groups,
}: {
  readonly fields: readonly string[];
  readonly limit: string;
  readonly onLimit: (limit: string) => void;
  readonly groups: Groups | undefined;
}) {
  const { views } = useWorkspace();
  const { by, measure } = useView();
  const isReadyMade = MEASURES.some((one) => one.value === measure);
  const save = (): void => {
    if (groups === undefined) return;
    const { header, lines } = groupTable(groups);
    download('top.csv', 'text/csv', csvOf(header, lines));
  };
  return (
    <div className={table['toolbar']}>
      <Select
        aria-label="Ready-made groups"
        placeholder="Group by…"
        w={172}
        data={PRESETS}
        value={PRESETS.find((one) => one.value === by.join(','))?.value ?? null}
        onChange={(text) => text !== null && views.show({ by: text.split(',') })}
      />
      <MultiSelect
        aria-label="Fields to group by"
        searchable
        miw={220}
        maxValues={6}
        data={[...new Set([...fields, ...by])].map((name) => ({
          value: name,
          label: visibleText(name, 100),
        }))}
        limit={200}
        value={[...by]}
        onChange={(next) => views.show({ by: next })}
      />
      <Select
        aria-label="Measured by"
        w={190}
        allowDeselect={false}
        data={isReadyMade ? MEASURES : [...MEASURES, { value: measure, label: measure }]}
        value={measure}
        onChange={(text) => text !== null && views.show({ measure: text })}
      />
      <Select
        aria-label="How many groups"
        w={90}
        allowDeselect={false}
        data={LIMITS}
        value={limit}
        onChange={(text) => text !== null && onLimit(text)}
      />
      <PrivateToPublic also={OUT} />
      <Button
        variant="default"
        leftSection={<IconDownload size={13} />}
        disabled={groups === undefined || groups.rows === 0}
        onClick={save}
      >
        CSV
      </Button>
    </div>
  );
}

/** Shown instead of the only group, of events that have none of the fields. */
function NoValues({
  events,
  by,
  presets,
}: {
  readonly events: number;
  readonly by: readonly string[];
  readonly presets: typeof PRESETS;
}) {
  const { views } = useWorkspace();
  const names = by.join(' or ');
  return (
    <Empty
      title={
        events === 1
          ? `The only event here has no ${names}`
          : `None of these ${counted(events, 'event')} has ${names}`
      }
      text="Group by a field that events of this case have:"
      actions={presets.map(({ value, label }) => (
        <Button key={label} variant="default" onClick={() => views.show({ by: value.split(',') })}>
          {label}
        </Button>
      ))}
    />
  );
}
