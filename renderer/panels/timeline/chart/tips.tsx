/** Tooltips of the chart next to the pointer or the cursor. */
import type { ReactNode } from 'react';
import { counted, formatCount, formatRange } from '../../../panel-api.ts';
import {
  bucketTime,
  colorOf,
  countsOf,
  findingsText,
  seriesName,
  type Buckets,
  type Range,
} from '../buckets.ts';
import { seriesKey } from './stacks.ts';
import { roughDuration } from './time-axis.ts';
import css from '../timeline.module.css';

/** Pixels: how far the tip is from the chart's left edge, and the chart's width. */
interface Place {
  readonly left: number;
  readonly width: number;
}

/** On the side with room. */
function Tip({ left, width, children }: Place & { readonly children: ReactNode }) {
  const style = left > width / 2 ? { right: width - left + 12 } : { left: left + 12 };
  return (
    <div className={css['tip']} style={style}>
      {children}
    </div>
  );
}

export function RangeTip({
  range,
  zone,
  ...place
}: Place & { readonly range: Range; readonly zone: string }) {
  return (
    <Tip {...place}>
      <b>{formatRange(range.from, range.to, zone)}</b>
      <div>{roughDuration(range.to - range.from)}</div>
    </Tip>
  );
}

export function BucketTip({
  buckets,
  at,
  findings,
  ...place
}: Place & {
  readonly buckets: Buckets;
  readonly at: number;
  /** Tagged or noted events in the bucket. */
  readonly findings: number;
}) {
  const { series, field, sums } = buckets;
  return (
    <Tip {...place}>
      <b>{bucketTime(buckets, at)}</b>
      <div>{counted(sums[at] ?? 0, 'event')}</div>
      {findings > 0 && <div className={css['tipFindings']}>▾ {findingsText(findings)}</div>}
      {(series.length > 1 || field !== '') && (
        <table>
          <tbody>
            {countsOf(buckets, at).map(({ one, index, n }) => (
              <tr key={seriesKey(one)}>
                <td>
                  <span className={css['tipName']}>
                    <i
                      className={css['swatch']}
                      style={{ background: colorOf(one, field, index) }}
                    />
                    {seriesName(one, field)}
                  </span>
                </td>
                <td>{formatCount(n)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </Tip>
  );
}
