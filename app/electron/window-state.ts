/** Position and size of the window, kept between starts in the state folder. */
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

interface Bounds {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

interface WindowState {
  /** Undefined: where the system puts it. */
  readonly bounds: Bounds | undefined;
  readonly maximized: boolean;
}

export const LEAST_SIZE = { width: 900, height: 600 };
/** The part of a window that must be on a screen for a person to reach it. */
const LEAST_SEEN = { width: 200, height: 80 };

/** The stored state; a position that is on no screen any more is dropped. */
export function readWindowState(file: string, screens: readonly Bounds[]): WindowState {
  let kept: unknown;
  try {
    kept = JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    // The first start, or a file that was cut off.
  }
  const { bounds, maximized } = Object(kept) as { bounds?: unknown; maximized?: unknown };
  const usable = isBounds(bounds) && screens.some((screen) => isSeen(bounds, screen));
  return { bounds: usable ? bounds : undefined, maximized: maximized === true };
}

/** A failure to store it must not disturb anybody. */
export function writeWindowState(file: string, state: WindowState): void {
  try {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(`${file}.new`, JSON.stringify(state));
    renameSync(`${file}.new`, file);
  } catch (error) {
    process.stderr.write(
      `daybook: the window's size and position cannot be saved: ${String(error)}\n`,
    );
  }
}

function isBounds(value: unknown): value is Bounds {
  const { x, y, width, height } = Object(value) as Record<string, unknown>;
  return (
    [x, y, width, height].every(Number.isSafeInteger) &&
    Number(width) >= LEAST_SIZE.width &&
    Number(height) >= LEAST_SIZE.height
  );
}

function isSeen(bounds: Bounds, screen: Bounds): boolean {
  const width =
    Math.min(bounds.x + bounds.width, screen.x + screen.width) - Math.max(bounds.x, screen.x);
  const height =
    Math.min(bounds.y + bounds.height, screen.y + screen.height) - Math.max(bounds.y, screen.y);
  // A title bar above the screen could not be reached.
  return width >= LEAST_SEEN.width && height >= LEAST_SEEN.height && bounds.y >= screen.y - 10;
}
