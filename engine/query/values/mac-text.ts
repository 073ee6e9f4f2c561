/**
 * Spellings of hardware addresses: pairs of digits with `:` or `-`, Cisco's fours with `.`, Huawei's fours with
 * `-`, HP's halves, arp's pairs without leading zeros, and digits alone.
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

/** The twelve digits of a text that can only be a hardware address; undefined: it may be something else. */
export function macDigits(text: string): string | undefined {
  if (!FORMS.some((form) => form.test(text))) return undefined;
  const pairs = text.includes(':') ? text.split(':').map((pair) => pair.padStart(2, '0')) : [text];
  return digitsOf(pairs.join(''));
}

/** The same for a text that is known to be one: also digits alone, and a prefix followed by `*`. */
export function statedMacDigits(text: string): string | undefined {
  const digits = digitsOf(text);
  const isWhole = /^[0-9a-f]{12}$/.test(digits);
  const isBeginning = digits.length < DIGITS && BEGINNINGS.some((form) => form.test(text));
  return isWhole || isBeginning ? digits : macDigits(text);
}

function digitsOf(text: string): string {
  return text.replace(/[:.*-]/g, '').toLowerCase();
}

/**
 * All spellings of the address with these digits; for fewer than twelve, patterns of those that begin with them.
 */
export function macTexts(digits: string): string[] {
  const cut = (size: number, by: string) =>
    (digits.match(new RegExp(`.{1,${size}}`, 'g')) ?? []).join(by);
  const texts = [cut(2, ':'), cut(2, '-'), cut(4, '.'), cut(4, '-'), cut(6, '-'), digits];
  const isWhole = digits.length === DIGITS;
  return [...new Set([...texts.map((text) => (isWhole ? text : `${text}*`)), shortened(digits)])];
}

/** The spelling without leading zeros in pairs. The pair in which a prefix ends may have any second digit. */
function shortened(digits: string): string {
  const pairs = (digits.match(/../g) ?? []).map((pair) => pair.replace(/^0/, ''));
  if (digits.length % 2 === 1) pairs.push(`${digits.at(-1)!}?`.replace(/^0/, ''));
  return pairs.length === DIGITS / 2 ? pairs.join(':') : `${pairs.join(':')}:*`;
}

/** Whether a field has hardware addresses, so that digits alone are one. */
export function isMacName(name: string): boolean {
  return /mac(?:[ _.-]?addr(?:ess)?)?$|l2[ _.-]?addr|hw[ _.-]?addr|hardware[ _.-]?addr|ether$|bssid$/i.test(
    name,
  );
}
