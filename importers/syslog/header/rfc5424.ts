/** Headers of RFC 5424, section 6, and of its draft, syslog-protocol-23. */
import { SHAPE } from '../../shared/time/stamp.ts';
import {
  allDigits,
  CLOSE,
  COLON,
  isDigit,
  isHost,
  MAX_NAME,
  MINUS,
  OPEN,
  QUOTE,
  SPACE,
  startsWith,
} from './bytes.ts';
import type { Header } from './header.ts';
import { isEventFormat, isPairs } from './pairs.ts';

/** RFC 5424 from its TIMESTAMP on. False if it is something else, with the header unchanged. */
export function rfc5424(h: Header, b: Uint8Array, at: number, end: number): boolean {
  const stamp = h.stamp;
  let p = at;
  let dated = false;
  if (b[p] === MINUS && (p + 1 === end || b[p + 1] === SPACE)) p += 1;
  else if (stamp.parse(b, p, end) && stamp.shape === SHAPE.isoT) {
    dated = true;
    p = stamp.end;
  } else return false;
  if (p < end && b[p] !== SPACE) return false;
  if (!fields5424(h, b, p, end, false)) return false;
  h.dated = dated;
  h.leading = true;
  return true;
}

/** The same without priority and version, as in rsyslog's SyslogProtocol23Format files. */
export function protocol23(h: Header, b: Uint8Array, at: number, end: number): boolean {
  // Five words, none of which is a tag; most other lines fail at the second.
  let i = at;
  while (i < end && b[i] !== SPACE) i++;
  i++;
  while (i < end && b[i] !== SPACE) {
    if (b[i] === OPEN || b[i] === COLON) return false;
    i++;
  }
  if (i >= end || startsWith(b, at, end, 'stdout F ') || startsWith(b, at, end, 'stderr F ')) {
    return false;
  }
  return fields5424(h, b, at - 1, end, true);
}

/** HOSTNAME to MSG, from the blank before HOSTNAME. */
function fields5424(h: Header, b: Uint8Array, at: number, end: number, strict: boolean): boolean {
  let p = at;
  let host = -1;
  let hostEnd = 0;
  let app = -1;
  let appEnd = 0;
  let proc = -1;
  let procEnd = 0;
  let id = -1;
  let idEnd = 0;
  for (let k = 0; k < 4; k++) {
    if (p >= end || b[p] !== SPACE) return false;
    const from = ++p;
    if (k > 0 && !strict && isPayload(b, from, end)) {
      // Some devices omit the parts between HOSTNAME and MSG.
      h.hostStart = host;
      h.hostEnd = hostEnd;
      h.programStart = app;
      h.programEnd = appEnd;
      h.messageStart = from;
      return true;
    }
    while (p < end && b[p] !== SPACE) p++;
    if (p === from || p - from > MAX_NAME) return false;
    const nil = p === from + 1 && b[from] === MINUS;
    if (strict && k < 2 && !nil && !isHost(b, from, p)) return false;
    if (k === 0) host = nil ? -1 : from;
    else if (k === 1) app = nil ? -1 : from;
    else if (k === 2) {
      if (strict && !nil && !allDigits(b, from, p)) return false;
      proc = nil ? -1 : from;
    } else id = nil ? -1 : from;
    if (k === 0) hostEnd = p;
    else if (k === 1) appEnd = p > from + 1 && b[p - 1] === COLON ? p - 1 : p;
    else if (k === 2) procEnd = p;
    else idEnd = p;
  }
  let sd = -1;
  let sdEnd = 0;
  if (p < end) {
    // b[p] is the blank before STRUCTURED-DATA.
    p++;
    if (b[p] === MINUS && (p + 1 === end || b[p + 1] === SPACE)) p++;
    else if (p < end && b[p] === OPEN) {
      const after = structuredData(b, p, end);
      if (after > 0) {
        sd = p;
        sdEnd = after;
        p = after;
      } else if (strict) return false;
    } else if (strict) return false;
    if (p < end && b[p] === SPACE) p++;
  } else if (strict) return false;
  h.hostStart = host;
  h.hostEnd = hostEnd;
  h.programStart = app;
  h.programEnd = appEnd;
  if (proc >= 0) {
    let value = 0;
    let i = proc;
    while (i < procEnd && isDigit(b[i]!)) value = value * 10 + (b[i++]! - 48);
    if (i === procEnd && value <= 0xffffffff) h.pid = value;
    else {
      h.procidStart = proc;
      h.procidEnd = procEnd;
    }
  }
  h.eventStart = id;
  h.eventEnd = idEnd;
  h.sdStart = sd;
  h.sdEnd = sdEnd;
  if (p + 2 < end && b[p] === 0xef && b[p + 1] === 0xbb && b[p + 2] === 0xbf) p += 3;
  h.messageStart = p;
  return true;
}

/** Whether a message is here that begins as no name does: an object of JSON, CEF, LEEF, a firewall's pairs, or columns (`1,2026/03/04 …`). */
function isPayload(b: Uint8Array, at: number, end: number): boolean {
  if (b[at] === 123 && b[at + 1] === QUOTE) return true;
  return isPairs(b, at, end) || (isDigit(b[at]!) && b[at + 1] === 44) || isEventFormat(b, at, end);
}

/** The end of `[id name="value" …][…]`, or 0 if it is not well-formed. */
function structuredData(b: Uint8Array, at: number, end: number): number {
  let p = at;
  while (p < end && b[p] === OPEN) {
    p++;
    const id = p;
    while (p < end && b[p]! > SPACE && b[p] !== CLOSE && b[p] !== QUOTE && b[p] !== 61) p++;
    if (p === id) return 0;
    for (;;) {
      while (p < end && b[p] === SPACE) p++;
      if (p >= end) return 0;
      if (b[p] === CLOSE) break;
      const name = p;
      while (p < end && b[p]! > SPACE && b[p] !== 61 && b[p] !== CLOSE && b[p] !== QUOTE) p++;
      if (p === name || b[p] !== 61 || b[p + 1] !== QUOTE) return 0;
      p += 2;
      while (p < end && b[p] !== QUOTE) p += b[p] === 92 ? 2 : 1;
      if (p >= end) return 0;
      p++;
    }
    p++;
  }
  return p > at && (p >= end || b[p] === SPACE) ? p : 0;
}
