/**
 * Hardware addresses as they are written: in pairs of digits with `:` or `-`, as Cisco in fours with `.`, as Huawei in fours
 * with `-`, as HP in halves, as arp without the zeros that pairs begin with, and as digits alone.
 */

const FORMS = [
  /^[0-9a-f]{2}([:-])(?:[0-9a-f]{2}\1){4}[0-9a-f]{2}$/i,
  /^(?:[0-9a-f]{1,2}:){5}[0-9a-f]{1,2}$/i,
  /^[0-9a-f]{4}([.-])[0-9a-f]{4}\1[0-9a-f]{4}$/i,
  /^[0-9a-f]{6}-[0-9a-f]{6}$/i,
];
const BEGINNINGS = [
  /^[0-9a-f]{2}(?:[:-]?[0-9a-f]{2})*[:-]?[0-9a-f]?\*$/i,
  /^[0-9a-f]{4}(?:[.-][0-9a-f]{4})?[.-]?[0-9a-f]{0,3}\*$/i,
];
const DIGITS = 12;

/** The twelve digits of a text that nothing else is written like; undefined: it may be anything. */
export function macDigits(text: string): string | undefined {
  if (!FORMS.some((form) => form.test(text))) return undefined;
  const pairs = text.includes(':') ? text.split(':').map((pair) => pair.padStart(2, '0')) : [text];
  return digitsOf(pairs.join(''));
}

/** The same of a text that is said to be one: also of digits alone, and of a beginning with `*` after it. */
export function statedMacDigits(text: string): string | undefined {
  const digits = digitsOf(text);
  const isWhole = /^[0-9a-f]{12}$/.test(digits);
  const isBeginning = digits.length < DIGITS && BEGINNINGS.some((form) => form.test(text));
  return isWhole || isBeginning ? digits : macDigits(text);
}

function digitsOf(text: string): string {
  return text.replace(/[:.*-]/g, '').toLowerCase();
}

/** All ways to write the address that has these digits; of fewer than twelve, patterns of those that begin with them. */
export function macTexts(digits: string): string[] {
  const cut = (size: number, by: string) =>
    (digits.match(new RegExp(`.{1,${size}}`, 'g')) ?? []).join(by);
  const texts = [cut(2, ':'), cut(2, '-'), cut(4, '.'), cut(4, '-'), cut(6, '-'), digits];
  const isWhole = digits.length === DIGITS;
  return [...new Set([...texts.map((text) => (isWhole ? text : `${text}*`)), shortened(digits)])];
}

/** The same without the zeros that pairs begin with. The pair that a beginning ends in may have any second digit. */
function shortened(digits: string): string {
  const pairs = (digits.match(/../g) ?? []).map((pair) => pair.replace(/^0/, ''));
  if (digits.length % 2 === 1) pairs.push(`${digits.at(-1)!}?`.replace(/^0/, ''));
  return pairs.length === DIGITS / 2 ? pairs.join(':') : `${pairs.join(':')}:*`;
}

/** Whether a field is of hardware addresses, so that digits alone are one. */
export function isMacName(name: string): boolean {
  return /mac(?:[ _.-]?addr(?:ess)?)?$|l2[ _.-]?addr|hw[ _.-]?addr|hardware[ _.-]?addr|ether$|bssid$/i.test(
    name,
  );
}
