/** The parts of a log line before its message, as positions in the line's bytes; nothing is copied or allocated. */
import { SHAPE, Stamp } from '../../shared/time/stamp.ts';

export class Header {
  readonly stamp = new Stamp();
  /** A second time in the same line: only what follows it counts. */
  readonly inner = new Stamp();
  /** Buffer for joining a date and a time that are apart. */
  readonly joined = new Uint8Array(19);
  /** Set to parse only times, for a look-ahead: hosts, tags and messages are skipped. */
  timesOnly = false;
  /** Places further on in a line where times are accepted; undefined while they are being determined: anywhere. */
  places: readonly number[] | undefined;
  /** The places of the time that was found further on, when `places` is undefined. */
  readonly foundAt = [0, 0, 0];
  /** The place of the first number that may be seconds since 1970, and the number; 0 if there is none. */
  epochAt = 0;
  epochSeconds = 0;
  /** Whether the year in `stamp` was inferred. */
  yearDecided = false;
  /** Whether `stamp` holds a date and time. */
  dated = false;
  /** Whether the time is at the line's beginning (after a priority). */
  leading = false;
  /** Whether the year of the line's date may apply to other lines, which state none. */
  tellsYear = true;
  facility = -1;
  severity = -1;
  pid = -1;
  /** Positions in the parsed bytes; a start of -1 means there is none. */
  hostStart = -1;
  hostEnd = 0;
  programStart = -1;
  programEnd = 0;
  procidStart = -1;
  procidEnd = 0;
  eventStart = -1;
  eventEnd = 0;
  sdStart = -1;
  sdEnd = 0;
  uptimeStart = -1;
  uptimeEnd = 0;
  sequenceStart = -1;
  sequenceEnd = 0;
  /** The device, which a relay put before its line. */
  originStart = -1;
  originEnd = 0;
  /** Where the line begins, or the one in it that a relay forwarded. */
  frameStart = 0;
  /** Set while a forwarded line within a line is read. */
  isRelayed = false;
  messageStart = 0;
  messageEnd = 0;

  reset(start: number, end: number): void {
    this.dated = false;
    this.leading = false;
    this.tellsYear = true;
    this.yearDecided = false;
    this.epochAt = 0;
    this.facility = -1;
    this.severity = -1;
    this.pid = -1;
    this.hostStart = -1;
    this.programStart = -1;
    this.procidStart = -1;
    this.eventStart = -1;
    this.sdStart = -1;
    this.uptimeStart = -1;
    this.sequenceStart = -1;
    this.originStart = -1;
    this.frameStart = start;
    this.messageStart = start;
    this.messageEnd = end;
  }

  /** Adjusts the positions after the bytes were moved `by` to the left. */
  move(by: number): void {
    if (this.hostStart >= 0) this.hostStart -= by;
    this.hostEnd -= by;
    if (this.programStart >= 0) this.programStart -= by;
    this.programEnd -= by;
    if (this.procidStart >= 0) this.procidStart -= by;
    this.procidEnd -= by;
    if (this.eventStart >= 0) this.eventStart -= by;
    this.eventEnd -= by;
    if (this.sdStart >= 0) this.sdStart -= by;
    this.sdEnd -= by;
    if (this.uptimeStart >= 0) this.uptimeStart -= by;
    this.uptimeEnd -= by;
    if (this.sequenceStart >= 0) this.sequenceStart -= by;
    this.sequenceEnd -= by;
    if (this.originStart >= 0) this.originStart -= by;
    this.originEnd -= by;
    this.messageStart -= by;
    this.messageEnd -= by;
  }
}

/** Shapes that leave no doubt, so that they may be taken where other text is more likely. */
export function isFirm(stamp: Stamp): boolean {
  switch (stamp.shape) {
    case SHAPE.guessed:
    case SHAPE.monthDay:
    case SHAPE.epoch:
    case SHAPE.timeOnly:
    case SHAPE.none:
      return false;
    default:
      return true;
  }
}
