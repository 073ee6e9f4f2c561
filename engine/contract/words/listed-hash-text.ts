/** Describes a file's entry in a hash manifest in words. */
import type { ListedHash } from '../hash-manifest.ts';

const ALGORITHM_NAMES: Readonly<Record<string, string>> = {
  md5: 'MD5',
  sha1: 'SHA-1',
  sha224: 'SHA-224',
  sha256: 'SHA-256',
  sha384: 'SHA-384',
  sha512: 'SHA-512',
  blake2b512: 'BLAKE2b',
};

/** `SHA-256`, for people. */
export function algorithmName(algorithm: string): string {
  return ALGORITHM_NAMES[algorithm] ?? algorithm.toUpperCase();
}

/** One line for people: `SHA-256 agrees with SHA256SUMS (line 3)`. */
export function listedHashText(one: ListedHash): string {
  const { manifest, state, line, algorithm = '', listed, actual, reason } = one;
  const name = algorithmName(algorithm);
  const place = `${manifest} (line ${line})`;
  switch (state) {
    case 'agrees':
      return `${name} agrees with ${place}`;
    case 'differs':
      return `${name} differs from ${place}: the manifest says ${listed}, the file has ${actual}`;
    case 'not-compared':
      return `listed in ${place}, not compared: ${reason}`;
    case 'unlisted':
      return `not listed in ${manifest}`;
  }
}
