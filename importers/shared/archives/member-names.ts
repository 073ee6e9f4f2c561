/** Names of the members of an archive: text that can be shown, never paths on disk. */
import { isUtf8 } from 'node:buffer';
import { tooManyMembers } from './zip.ts';

// -- archives ------------------------------------------------------------------------------------

/** Names of one archive's members: as text that can be shown, each of them once. */
export class MemberNames {
  private readonly seen = new Map<string, number>();
  private count = 0;
  private readonly limit: number;
  constructor(limit: number) {
    this.limit = limit;
  }

  next(raw: string | Buffer): string {
    this.count += 1;
    if (this.count > this.limit) throw tooManyMembers(this.limit);
    const shown = displayName(raw);
    let n = (this.seen.get(shown) ?? 0) + 1;
    let name = n === 1 ? shown : `${shown}#${n}`;
    while (n > 1 && this.seen.has(name)) name = `${shown}#${++n}`;
    this.seen.set(shown, n);
    if (name !== shown) this.seen.set(name, 1);
    return name;
  }
}

/** A member's name as text for people: control and direction characters are replaced. */
export function displayName(raw: string | Buffer): string {
  const text = typeof raw === 'string' ? raw : raw.toString(isUtf8(raw) ? 'utf8' : 'latin1');
  const shown = text
    .replace(/^(?:\.\/)+/, '')
    .replace(/[\p{Cc}\p{Cs}\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu, '\ufffd');
  return shown === '' ? '(no name)' : shown;
}
