/** Lowers the priority of import threads that run while somebody searches. */
import { setPriority } from 'node:os';

/** Of 19: half the share of a normal thread. */
const NICE = 4;

/**
 * Lowers the priority of the thread that calls. Only Linux has priorities of single threads; elsewhere
 * this would slow the searches, too, and nothing is done.
 */
export function lowerPriority(): void {
  if (process.platform !== 'linux') return;
  try {
    setPriority(0, NICE);
  } catch {
    // It continues with its priority.
  }
}
