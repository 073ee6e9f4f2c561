/** Options that limit the reading of evidence that may be crafted to be endless. */
import type { ReadLimits } from '../../../engine/contract/left-out.ts';
import { DaybookError } from '../../../engine/contract/errors.ts';
import type { Parsed } from '../arguments.ts';

export const LIMIT_OPTIONS = {
  'max-ratio': {
    type: 'string',
    value: 'N',
    help: 'maximum compression ratio of a compressed file or archive (default 1000)',
  },
  'max-bytes': {
    type: 'string',
    value: 'N',
    help: 'maximum number of bytes decompressed from one file, such as 500G (default 16T)',
  },
  'max-depth': {
    type: 'string',
    value: 'N',
    help: 'maximum nesting of archives and compressions (default 4)',
  },
  'max-members': {
    type: 'string',
    value: 'N',
    help: 'maximum number of members of one archive (default 1000000)',
  },
  unchecked: {
    type: 'boolean',
    help: 'also read data that fails its checksum: its events may be wrong',
  },
} as const;

const UNITS: Readonly<Record<string, number>> = {
  '': 1,
  K: 2 ** 10,
  M: 2 ** 20,
  G: 2 ** 30,
  T: 2 ** 40,
};

export function limitsOf(parsed: Parsed): ReadLimits {
  return {
    maxRatio: parsed.whole('max-ratio', 1),
    maxBytes: bytesOf(parsed.text('max-bytes')),
    maxDepth: parsed.whole('max-depth', 1),
    maxMembers: parsed.whole('max-members', 1),
    ...(parsed.flag('unchecked') ? { unchecked: true } : {}),
  };
}

function bytesOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const [, digits, unit] = /^(\d{1,15})([KMGT]?)B?$/i.exec(text) ?? [];
  const bytes = Number(digits) * (UNITS[(unit ?? '').toUpperCase()] ?? NaN);
  if (Number.isSafeInteger(bytes) && bytes > 0) return bytes;
  throw new DaybookError(
    'usage',
    `--max-bytes ${text} is not a number of bytes`,
    'give one such as 500000000, 500M or 2T',
  );
}
