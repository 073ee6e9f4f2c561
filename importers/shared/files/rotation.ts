/**
 * Rotated logs: which files are one log, and in which order they were written (logrotate(8)):
 * `auth.log.2.gz`, `auth.log.1`, `auth.log`; `messages-20260101.gz`, `messages`.
 */

interface RotationKey {
  /** The log's name without the suffix of rotation. */
  readonly set: string;
  /** Greater is newer; the log that is being written is Infinity. */
  readonly order: number;
}

const COMPRESSED = /\.(?:gz|bz2|xz|zst|lz4|z)$/i;
const NUMBERED = /^(.+?)\.(\d{1,5})$/;
/** A number before the extension: `daemon.1.log`, `system.log.0`, `log.0`. */
const NUMBERED_INSIDE = /^(.+?)\.(\d{1,5})(\.(?:log|txt|json|csv))$/i;
const DATED = new RegExp(
  String.raw`^(.+?)[-._](\d{4})-?(\d{2})-?(\d{2})` + // day
    String.raw`(?:[-_.T]?(\d{2})[-_:]?(\d{2})?[-_:]?(\d{2})?)?` + // time of day
    String.raw`(?:\.(\d{1,5}))?(\.(?:log|txt|json|csv))?$`,
  'i',
);
/** `messages-1767225600`: logrotate's `dateformat -%s`. */
const STAMPED = /^(.+?)[-._](\d{10})$/;

/** The position of `name` (a path; its folders count) in a rotated set. Undefined for an empty name. */
export function rotationKey(name: string): RotationKey | undefined {
  const cut = Math.max(name.lastIndexOf('/'), name.lastIndexOf('!')) + 1;
  const folder = name.slice(0, cut);
  const base = name.slice(cut).replace(COMPRESSED, '');
  if (base === '') return undefined;
  const stamped = STAMPED.exec(base);
  if (stamped !== null) return { set: folder + stamped[1]!, order: Number(stamped[2]) };
  const dated = DATED.exec(base);
  if (dated !== null) {
    const [, stem, year, month, day, hour, minute, second, serial, extension] = dated;
    const ms = Date.UTC(
      Number(year),
      Number(month) - 1,
      Number(day),
      Number(hour ?? 0),
      Number(minute ?? 0),
      Number(second ?? 0),
    );
    if (Number(month) >= 1 && Number(month) <= 12 && Number(day) >= 1 && Number(day) <= 31) {
      // Among one day's files `.1` is older than the one without a number.
      const order = ms / 1000 - Number(serial ?? 0) / 1e6;
      return { set: folder + stem! + (extension ?? ''), order };
    }
  }
  const numbered = NUMBERED.exec(base);
  if (numbered !== null) return { set: folder + numbered[1]!, order: -Number(numbered[2]) - 1 };
  const inside = NUMBERED_INSIDE.exec(base);
  if (inside !== null) {
    return { set: folder + inside[1]! + inside[3]!, order: -Number(inside[2]) - 1 };
  }
  return { set: folder + base, order: Infinity };
}

/**
 * The same items, with sets together by name, each from its oldest to its newest. If a set has both dates and
 * numbers, numbers are newer: a changed scheme is not changed back.
 */
export function orderRotated<T extends { readonly name: string }>(items: readonly T[]): T[] {
  const keyed = items.map((item) => {
    const key = rotationKey(item.name) ?? { set: item.name, order: Infinity };
    return { item, set: key.set, rank: key.order < 0 ? 1e12 + key.order : key.order };
  });
  keyed.sort(
    (a, b) =>
      compareText(a.set, b.set) ||
      (a.rank === b.rank ? 0 : a.rank - b.rank) ||
      compareText(a.item.name, b.item.name),
  );
  return keyed.map((entry) => entry.item);
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
