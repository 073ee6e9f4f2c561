/** A packet's decoded layers as a tree; next to it, the bytes of the chosen layer or field are highlighted. */
import { Tree, type TreeNodeData } from '@mantine/core';
import { IconChevronRight } from '@tabler/icons-react';
import { useMemo } from 'react';
import type { Result } from '../../../engine/contract/operations.ts';
import { EventText } from '../../widgets/texts/event-text.tsx';
import type { ByteRange } from './hex-view.tsx';
import css from './details.module.css';

type Layer = Result<'event.packet'>['layers'][number];
type Field = Layer['fields'][number];

/** The byte range of each node, by the node's value: its place in the tree. */
function nodesOf(layers: readonly Layer[]): {
  data: TreeNodeData[];
  ranges: Map<string, ByteRange>;
} {
  const ranges = new Map<string, ByteRange>();
  const field = (one: Field, place: string): TreeNodeData => {
    ranges.set(place, one);
    return {
      value: place,
      label: (
        <span className={css['layer']}>
          {one.name}: <EventText text={one.value} max={400} />
        </span>
      ),
      ...(one.fields === undefined || one.fields.length === 0
        ? {}
        : { children: one.fields.map((inner, i) => field(inner, `${place}.${i}`)) }),
    };
  };
  const data = layers.map((layer, at) => {
    const place = String(at);
    ranges.set(place, layer);
    return {
      value: place,
      label: (
        <span className={css['layer']}>
          <span className={css['layerName']}>{layer.name}</span>{' '}
          <EventText text={layer.summary} max={200} />
        </span>
      ),
      children: layer.fields.map((one, i) => field(one, `${place}.${i}`)),
    };
  });
  return { data, ranges };
}

export function LayersView({
  layers,
  onMark,
}: {
  readonly layers: readonly Layer[];
  readonly onMark: (range: ByteRange | undefined) => void;
}) {
  const { data, ranges } = useMemo(() => nodesOf(layers), [layers]);
  return (
    <div
      onFocus={({ target }) => mark(target)}
      onMouseOver={({ target }) => mark(target)}
      style={{ padding: '4px 10px' }}
    >
      <Tree
        data={data}
        levelOffset={14}
        aria-label="Decoded layers"
        selectOnClick
        renderNode={({ node, expanded, hasChildren, elementProps }) => (
          <div {...elementProps}>
            {hasChildren ? (
              <IconChevronRight
                size={11}
                style={{
                  flex: '0 0 auto',
                  verticalAlign: -1,
                  transform: expanded ? 'rotate(90deg)' : undefined,
                }}
              />
            ) : (
              <span style={{ display: 'inline-block', width: 11 }} />
            )}
            {node.label}
          </div>
        )}
      />
    </div>
  );

  function mark(target: EventTarget): void {
    if (!(target instanceof Element)) return;
    const place = target.closest('[data-value]')?.getAttribute('data-value');
    const range = place === null || place === undefined ? undefined : ranges.get(place);
    if (range !== undefined) onMark({ offset: range.offset, length: range.length });
  }
}
