/** The decoded field that a byte of a packet belongs to. */

interface Part {
  readonly name: string;
  readonly offset: number;
  readonly length: number;
  readonly value?: string;
  readonly fields?: readonly Part[] | undefined;
}

interface FieldAt {
  /** From the outer layer inwards: `Internet Protocol Version 4 › Time to Live: 64`. */
  readonly path: string;
  readonly offset: number;
  readonly length: number;
}

const has = ({ offset, length }: Part, at: number): boolean => at >= offset && at < offset + length;

/** The innermost field that contains the byte at `at`; in the last such layer, as layers may nest. */
export function fieldAt(layers: readonly Part[], at: number): FieldAt | undefined {
  let part = layers.filter((layer) => has(layer, at) && layer.name !== 'Frame').pop();
  if (part === undefined) return undefined;
  const path = [part.name];
  for (;;) {
    // Of fields that share bytes (bits of one word) the shortest is the most specific.
    const inner: Part | undefined = (part.fields ?? [])
      .filter((one) => has(one, at))
      .sort((a, b) => a.length - b.length)[0];
    if (inner === undefined) break;
    part = inner;
    path.push(inner.value === undefined ? inner.name : `${inner.name}: ${inner.value}`);
  }
  return { path: path.join(' › '), offset: part.offset, length: part.length };
}
