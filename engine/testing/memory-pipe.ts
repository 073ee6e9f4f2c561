/**
 * Two ends of a pipe within one process.
 * Frames arrive in order and later than the call that sent them, as with every other pipe.
 */
import type { FramePipe } from '../contract/wire/client.ts';

class MemoryEnd implements FramePipe {
  private other: MemoryEnd | undefined;
  private waiting: Uint8Array[] = [];
  private take: ((frame: Uint8Array) => void) | undefined;
  private readonly closed: ((reason: string) => void)[] = [];
  private open = true;
  private scheduled = false;

  link(other: MemoryEnd): void {
    this.other = other;
  }

  send(frame: Uint8Array): void {
    // A copy, as in every other pipe: the sender may reuse its buffer.
    if (this.open) this.other?.arrive(frame.slice());
  }

  onFrame(handler: (frame: Uint8Array) => void): void {
    this.take = handler;
    this.schedule();
  }

  onClose(handler: (reason: string) => void): void {
    this.closed.push(handler);
  }

  close(): void {
    this.end('the pipe was closed');
    setImmediate(() => this.other?.end('the other end was closed'));
  }

  private arrive(frame: Uint8Array): void {
    this.waiting.push(frame);
    this.schedule();
  }

  private schedule(): void {
    if (this.scheduled || this.take === undefined) return;
    this.scheduled = true;
    setImmediate(() => {
      this.scheduled = false;
      const frames = this.waiting;
      this.waiting = [];
      for (const frame of frames) this.take?.(frame);
    });
  }

  private end(reason: string): void {
    if (!this.open) return;
    this.open = false;
    for (const handler of this.closed) handler(reason);
  }
}

/** A pipe's two ends. */
export function memoryPipe(): [FramePipe, FramePipe] {
  const [one, other] = [new MemoryEnd(), new MemoryEnd()];
  one.link(other);
  other.link(one);
  return [one, other];
}
