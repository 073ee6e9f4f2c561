/** How long the engine's operations took: percentiles, the recent ones, and why one was slow. */
import { Button } from '@mantine/core';
import { useEffect, useState } from 'react';
import {
  formatCount,
  formatMs,
  formatTime,
  useAnswer,
  useCase,
  useWorkspace,
  useZone,
  counted,
} from '../../panel-api.ts';
import { Empty } from '../../widgets/empty.tsx';
import { visibleText } from '../../widgets/texts/event-text.tsx';
import { Loading } from '../../widgets/loading.tsx';
import { Problem } from '../../widgets/problem.tsx';
import table from '../../widgets/result-table.module.css';
import { Strip } from './strip.tsx';
import { SLOW_MS, whySlow, type Latencies, type Measured } from './why.ts';

const RECENT = 300;
const POLL_MS = 2000;

export function LatencyPanel() {
  const info = useCase();
  const [round, setRound] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => {
      if (!document.hidden) setRound((n) => n + 1);
    }, POLL_MS);
    return () => clearInterval(timer);
  }, []);
  // A limit that changes and means the same: asks again without another operation.
  const { data, error } = useAnswer('case.latency', {
    case: info.case,
    recent: RECENT + (round % 2),
  });
  const [chosen, setChosen] = useState<string>();
  if (error !== undefined)
    return <Problem error={error} title="The measurements cannot be shown" />;
  if (data === undefined) return <Loading />;
  const unrecorded =
    data.unrecorded &&
    `${counted(data.unrecorded.operations, 'operation')} could not be recorded: ${data.unrecorded.reason}.`;
  if (data.summary.length === 0) {
    return (
      <Empty
        title={unrecorded === undefined ? 'Nothing measured yet' : 'Nothing recorded'}
        text={unrecorded ?? 'Operations on this case are listed here.'}
      />
    );
  }
  const key = (one: Measured): string => `${one.at}/${one.operation}/${one.totalMs}`;
  const at = data.recent.findIndex((one) => key(one) === chosen);
  const selected = at < 0 ? undefined : data.recent[at];
  return (
    <div className={table['scroll']}>
      <Strip
        operations={data.recent}
        selected={at < 0 ? undefined : at}
        onSelect={(index) => {
          const one = data.recent[index];
          if (one !== undefined) setChosen(key(one));
        }}
      />
      {unrecorded !== undefined && <p role="status">{unrecorded}</p>}
      {selected !== undefined && <One key={chosen} one={selected} />}
      <Summary summary={data.summary} />
    </div>
  );
}

function Summary({ summary }: { readonly summary: Latencies }) {
  return (
    <table className={table['table']}>
      <thead>
        <tr>
          <th>Operation</th>
          {['Count', 'Failed', 'p50', 'p95', 'p99', 'Max'].map((name) => (
            <th key={name} className={table['number']}>
              {name}
            </th>
          ))}
          <th>Paths</th>
          <th className={table['number']}>Rows examined</th>
        </tr>
      </thead>
      <tbody>
        {summary.map((one) => (
          <tr key={one.operation}>
            <td className="mono">{one.operation}</td>
            <td className={table['number']}>{formatCount(one.count)}</td>
            <td className={table['number']}>{formatCount(one.failed)}</td>
            {[one.p50, one.p95, one.p99, one.max].map((ms, i) => (
              <td
                key={i}
                className={table['number']}
                style={ms > SLOW_MS ? { color: 'var(--db-warn)', fontWeight: 600 } : undefined}
              >
                {formatMs(ms)}
              </td>
            ))}
            <td>
              {Object.entries(one.paths)
                .map(([name, n]) => `${name} ${formatCount(n)}`)
                .join(', ')}
            </td>
            <td className={table['number']}>{formatCount(one.rowsExamined)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

const SPAN_COLORS = ['flow', 'log', 'dns', 'http', 'tls', 'file', 'alert', 'other'];

function One({ one }: { readonly one: Measured }) {
  const zone = useZone();
  const { connection } = useWorkspace();
  const info = useCase();
  const [lines, setLines] = useState<readonly string[]>();
  const spans = Object.entries(one.spans).filter(([, ms]) => ms > 0);
  const micros = Date.parse(one.at) * 1000;
  return (
    <section
      aria-label="The chosen operation"
      style={{
        margin: '4px 12px 12px',
        padding: 10,
        border: '1px solid var(--db-line)',
        borderRadius: 7,
      }}
    >
      <b>{one.operation}</b> · {formatMs(one.totalMs)} · {formatTime(micros, zone, 3)}
      {one.status === 'done' ? '' : ` · ${one.status}`}
      {one.path === undefined ? '' : ` · path ${one.path}`}
      {one.days === undefined ? '' : ` · ${counted(one.days, 'day')}`}
      {one.segments === undefined ? '' : ` · ${counted(one.segments, 'segment')}`}
      {one.rowsExamined === undefined ? '' : ` · ${counted(one.rowsExamined, 'row')} read`}
      {one.rowsReturned === undefined ? '' : ` · ${formatCount(one.rowsReturned)} returned`}
      {one.text !== undefined && one.text !== '' && (
        <pre className="mono" style={{ margin: '6px 0', whiteSpace: 'pre-wrap' }}>
          {visibleText(one.text, 2000)}
        </pre>
      )}
      <div
        style={{
          display: 'flex',
          height: 14,
          margin: '6px 0',
          overflow: 'hidden',
          borderRadius: 3,
        }}
      >
        {spans.map(([name, ms], i) => (
          <span
            key={name}
            title={`${name} ${formatMs(ms)}`}
            style={{
              width: `${(100 * ms) / Math.max(one.totalMs, 0.001)}%`,
              background: `var(--db-kind-${SPAN_COLORS[i % SPAN_COLORS.length]})`,
              borderRight: '1px solid var(--db-panel)',
            }}
          />
        ))}
      </div>
      <div style={{ color: 'var(--db-muted)' }}>
        {spans.map(([name, ms]) => `${name} ${formatMs(ms)}`).join(' · ')}
      </div>
      <p style={{ margin: '6px 0' }}>{whySlow(one)}</p>
      {one.text !== undefined && /^(query|result|timeline|top|field|conv)/.test(one.operation) && (
        <Button
          variant="default"
          size="compact-xs"
          onClick={() => {
            connection.call('query.explain', { case: info.case, query: one.text ?? '', zone }).then(
              (explained) => setLines(explained.lines),
              (error: unknown) => setLines([String(error)]),
            );
          }}
        >
          Explain its plan
        </Button>
      )}
      {lines !== undefined && (
        <pre className="mono" style={{ whiteSpace: 'pre-wrap' }}>
          {lines.map((line) => visibleText(line, 500)).join('\n')}
        </pre>
      )}
    </section>
  );
}
