/** Places the names of nodes so that none covers a node or another name. */

interface Marked {
  readonly x: number;
  readonly y: number;
  readonly radius: number;
  /** Of the text, in pixels. */
  readonly width: number;
}

/** The left end of a text and its base line. */
interface LabelPlace {
  readonly x: number;
  readonly y: number;
}

interface Box {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

const HEIGHT = 13;
const ASCENT = 10;
const GAP = 3;

const overlap = (a: Box, b: Box): boolean =>
  a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;

/**
 * Places the labels in the order of their nodes, so that the first are labelled before room runs out; undefined for
 * a label that does not fit inside `width` by `height`.
 */
export function placeLabels(
  nodes: readonly Marked[],
  width: number,
  height: number,
): (LabelPlace | undefined)[] {
  const taken: Box[] = nodes.map(({ x, y, radius }) => ({
    left: x - radius,
    right: x + radius,
    top: y - radius,
    bottom: y + radius,
  }));
  return nodes.map((node) => {
    const { x, y, radius } = node;
    const places: LabelPlace[] = [
      { x: x - node.width / 2, y: y + radius + GAP + ASCENT },
      { x: x - node.width / 2, y: y - radius - GAP - (HEIGHT - ASCENT) },
      { x: x + radius + GAP, y: y + 4 },
      { x: x - radius - GAP - node.width, y: y + 4 },
    ];
    for (const place of places) {
      const box: Box = {
        left: place.x,
        right: place.x + node.width,
        top: place.y - ASCENT,
        bottom: place.y - ASCENT + HEIGHT,
      };
      const inside = box.left >= 0 && box.top >= 0 && box.right <= width && box.bottom <= height;
      if (!inside || taken.some((other) => overlap(box, other))) continue;
      taken.push(box);
      return place;
    }
    return undefined;
  });
}
