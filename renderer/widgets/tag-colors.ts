/** The colours of the case's tags by their names. */
import { useMemo } from 'react';
import type { TagColor } from '../../engine/contract/findings.ts';
import { useCase } from '../state/context.ts';

export function useTagColors(): ReadonlyMap<string, TagColor> {
  const { tags } = useCase();
  return useMemo(() => new Map(tags.map(({ name, color }) => [name, color])), [tags]);
}
