/** Names of months, weekdays and time zones as bytes: looked up without creating a string. */

/**
 * Names of zones that mean one offset (minutes east) wherever they are used: RFC 5322 section 4.3
 * and the usual ones of Europe, Japan and Australia. IST, BST and the like mean several: unknown.
 */
const ZONE_NAMES: Readonly<Record<string, number>> = {
  UTC: 0,
  GMT: 0,
  UCT: 0,
  WET: 0,
  WEST: 60,
  CET: 60,
  CEST: 120,
  EET: 120,
  EEST: 180,
  MSK: 180,
  JST: 540,
  KST: 540,
  AEST: 600,
  AEDT: 660,
  EST: -300,
  EDT: -240,
  CST: -360,
  CDT: -300,
  MST: -420,
  MDT: -360,
  PST: -480,
  PDT: -420,
};

function zoneKey(a: number, b: number, c: number, d: number): number {
  return ((a * 128 + b) * 128 + c) * 128 + d;
}
const ZONE_KEYS = new Map<number, number>();
for (const [name, minutes] of Object.entries(ZONE_NAMES)) {
  const c = [0, 1, 2, 3].map((i) => (i < name.length ? name.charCodeAt(i) : 0));
  ZONE_KEYS.set(zoneKey(c[0]!, c[1]!, c[2]!, c[3]!), minutes * 60);
}

/** Offset of a zone in seconds east of UTC, by the bytes of its name (the fourth 0 for three); undefined: not a zone. */
export function zoneSecondsOf(a: number, b: number, c: number, d: number): number | undefined {
  return ZONE_KEYS.get(zoneKey(a, b, c, d));
}

/**
 * Months by the first three bytes of their names, each with bit 5 set: English, and differing names in German,
 * French, Spanish, Italian and Portuguese, in UTF-8 and Latin-1.
 */
const MONTHS = new Map<number, number>();
for (const [month, names] of [
  [1, 'jan gen ene'],
  [2, 'feb fev f\u00e9v f\u00c3\u00a9'],
  [3, 'mar mrz m\u00e4r m\u00c3\u00a4'],
  [4, 'apr avr abr'],
  [5, 'may mai mag'],
  [6, 'jun giu'],
  [7, 'jul lug'],
  [8, 'aug aou ago ao\u00fb ao\u00c3'],
  [9, 'sep set'],
  [10, 'oct okt ott out'],
  [11, 'nov'],
  [12, 'dec dez dic d\u00e9c d\u00c3\u00a9'],
] as const) {
  for (const name of names.split(' ')) {
    MONTHS.set(monthKey(name.charCodeAt(0), name.charCodeAt(1), name.charCodeAt(2)), month);
  }
}

function monthKey(x: number, y: number, z: number): number {
  return ((x | 32) << 16) | ((y | 32) << 8) | (z | 32);
}

/** 1-12 for three bytes that begin a month's name, in any case; otherwise 0. */
export function monthOf(x: number, y: number, z: number): number {
  switch (monthKey(x, y, z)) {
    case 0x6a616e:
      return 1;
    case 0x666562:
      return 2;
    case 0x6d6172:
      return 3;
    case 0x617072:
      return 4;
    case 0x6d6179:
      return 5;
    case 0x6a756e:
      return 6;
    case 0x6a756c:
      return 7;
    case 0x617567:
      return 8;
    case 0x736570:
      return 9;
    case 0x6f6374:
      return 10;
    case 0x6e6f76:
      return 11;
    case 0x646563:
      return 12;
    default:
      return MONTHS.get(monthKey(x, y, z)) ?? 0;
  }
}

/** 0 for Sunday to 6 for three bytes that begin a weekday's name, in any case; otherwise -1. */
export function weekdayOf(x: number, y: number, z: number): number {
  switch (((x | 32) << 16) | ((y | 32) << 8) | (z | 32)) {
    case 0x73756e:
      return 0;
    case 0x6d6f6e:
      return 1;
    case 0x747565:
      return 2;
    case 0x776564:
      return 3;
    case 0x746875:
      return 4;
    case 0x667269:
      return 5;
    case 0x736174:
      return 6;
    default:
      return -1;
  }
}
