/** Events of the view over time: stacked, brushed to zoom, also a table. */
import { useElementSize, useMediaQuery } from '@mantine/hooks';
import { useState } from 'react';
import { usePreference } from '../../panel-api.ts';
import { BucketTable } from './bucket-table.tsx';
import { ChartView } from './chart/chart-view.tsx';
import { Heading } from './heading.tsx';
import { HeightHandle, isHeight, LEAST_HEIGHT } from './height-handle.tsx';
import { useAsTable } from './tools.tsx';
import { useTimeline } from './use-timeline.ts';
import { useZoom } from './use-zoom.ts';
import css from './timeline.module.css';

/** Pixels; the least in a low window, as at 200 % zoom. */
const USUAL_HEIGHT = 112;
const LOW_WINDOW = '(max-height: 560px)';
/** Below this width of the panel the heading is shorter. */
const NARROW = 760;

export function TimelinePanel() {
  const { ref: measure, width } = useElementSize();
  const isLow = useMediaQuery(LOW_WINDOW, false, { getInitialValueInEffect: false });
  const usual = isLow ? LEAST_HEIGHT : USUAL_HEIGHT;
  const [storedHeight, setHeight] = usePreference('timeline.height', usual, isHeight);
  const [dragged, setDragged] = useState<number>();
  const height = dragged ?? storedHeight;
  const [asTable] = useAsTable();
  const timeline = useTimeline(width);
  const zoom = useZoom();
  return (
    <div className={css['panel']} ref={measure}>
      <Heading timeline={timeline} isNarrow={width < NARROW} />
      {asTable ? (
        <BucketTable
          {...{ buckets: timeline.buckets, height }}
          onShow={(from, to) => zoom.to({ from, to })}
        />
      ) : (
        <ChartView {...{ timeline, zoom }} size={{ width, height }} />
      )}
      <HeightHandle
        height={height}
        onDrag={setDragged}
        onEnd={(next) => {
          setDragged(undefined);
          setHeight(next);
        }}
      />
    </div>
  );
}
