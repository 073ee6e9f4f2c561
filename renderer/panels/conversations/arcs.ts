/** An arc from one node to another, bent to its left, so that the two directions run side by side. */

interface Circle {
  readonly x: number;
  readonly y: number;
  readonly radius: number;
}

const BEND = 0.14;
const MOST_BEND = 26;

/** Paths of the line, which ends where the arrowhead begins, and of the arrowhead. */
export function arcOf(from: Circle, to: Circle, width: number): { line: string; head: string } {
  const dx = to.x - from.x;
  const dy = to.y - from.y;
  const length = Math.hypot(dx, dy);
  const head = 5 + 1.4 * width;
  if (length < 1) return loop(from, head);
  const bend = Math.min(MOST_BEND, BEND * length);
  const middle = {
    x: (from.x + to.x) / 2 + (dy / length) * bend,
    y: (from.y + to.y) / 2 - (dx / length) * bend,
  };
  const start = towards(from, middle, from.radius);
  const tip = towards(to, middle, to.radius + 1);
  const neck = towards(tip, middle, head);
  return {
    line: `M${at(start)}Q${at(middle)} ${at(neck)}`,
    head: triangle(neck, tip, head * 0.45),
  };
}

/** A host that talks to itself. */
function loop({ x, y, radius }: Circle, head: number): { line: string; head: string } {
  const r = radius + 5;
  const top = y - radius;
  return {
    line: `M${at({ x: x - 4, y: top })}C${at({ x: x - 3 * r, y: top - 2 * r })} ${at({ x: x + 3 * r, y: top - 2 * r })} ${at({ x: x + 4, y: top - head })}`,
    head: triangle({ x: x + 4, y: top - head }, { x: x + 3, y: top }, head * 0.45),
  };
}

interface Point {
  readonly x: number;
  readonly y: number;
}

const at = ({ x, y }: Point): string => `${x.toFixed(1)} ${y.toFixed(1)}`;

function towards(from: Point, to: Point, distance: number): Point {
  const length = Math.hypot(to.x - from.x, to.y - from.y) || 1;
  return {
    x: from.x + ((to.x - from.x) / length) * distance,
    y: from.y + ((to.y - from.y) / length) * distance,
  };
}

function triangle(base: Point, tip: Point, half: number): string {
  const length = Math.hypot(tip.x - base.x, tip.y - base.y) || 1;
  const x = (-(tip.y - base.y) / length) * half;
  const y = ((tip.x - base.x) / length) * half;
  return `M${at(tip)}L${at({ x: base.x + x, y: base.y + y })}L${at({ x: base.x - x, y: base.y - y })}z`;
}
