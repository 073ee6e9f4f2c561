/**
 * Network time: the time by which flows time out. It is derived from the packets' timestamps, never goes backwards,
 * and survives a capture whose clock was set back.
 *
 * A packet that is slightly early (two interfaces merged) does not affect it. If a run of packets is far behind,
 * the clock was set back or an older capture was appended: from there on timestamps are shifted so that time
 * continues.
 */

/** Microseconds behind network time that are no longer just disorder. */
const FAR_BEHIND = 10_000_000;
/** Consecutive packets that are far behind before the shift is believed. */
const RUN = 64;

export class NetworkClock {
  /** Microseconds; the latest shifted stamp. */
  now = 0;
  private shift = 0;
  private behind = 0;
  private started = false;

  /** @returns the packet's time on this clock, at most `now`; `now` itself for a timestamp of NaN */
  see(micros: number): number {
    if (micros !== micros) return this.now;
    if (!this.started) {
      this.started = true;
      this.now = micros;
      return micros;
    }
    const time = micros + this.shift;
    if (time >= this.now) {
      this.now = time;
      this.behind = 0;
      return time;
    }
    if (time > this.now - FAR_BEHIND) {
      this.behind = 0;
      return time;
    }
    this.behind += 1;
    if (this.behind >= RUN) {
      this.shift += this.now - time;
      this.behind = 0;
    }
    return this.now;
  }
}
