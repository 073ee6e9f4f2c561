/** `daybook verify`: checks whether a case is intact, and its evidence unchanged. */
import type { VerifyReport } from '../../../engine/contract/verify-report.ts';
import {
  caseVerdict,
  evidenceVerdict,
  sampleVerdict,
} from '../../../engine/contract/words/verify-verdict.ts';
import { counted } from '../../../engine/contract/words/counted.ts';
import { isBucketAddress } from '../../../engine/contract/bucket-address.ts';
import type { HandOverCheck } from '../../../engine/contract/hand-over.ts';
import { DaybookError } from '../../../engine/contract/errors.ts';
import { verifyOn } from '../../../engine/operations/verify/verify-thread.ts';
import {
  checkBucket,
  checkHandOver,
  isHandOver,
} from '../../../engine/operations/hand-over/check.ts';
import { evidence } from '../../compose.ts';
import type { Parsed } from '../arguments.ts';
import { bucketOf } from '../options/bucket-place.ts';
import type { Command, CommandContext } from '../command.ts';
import { visible, write } from '../output.ts';
import { PASSWORD_OPTION, takePasswords } from '../options/password-option.ts';
import { ProgressLine } from '../progress.ts';

export const verifyCommand: Command = {
  spec: {
    name: 'verify',
    usage: 'CASE|FOLDER|s3://BUCKET/PREFIX',
    summary:
      'Checks that the case is what Daybook wrote (catalog, audit log, segments, quarantine) and that the evidence is what was imported. Given the folder or bucket of a hand-over, checks that every file is what was written.',
    positionals: { least: 1, most: 1 },
    options: {
      sample: {
        type: 'string',
        value: 'N|all',
        help: 'events of each source to read again from the evidence and compare in every field (default 200; 0: none)',
      },
      repair: {
        type: 'boolean',
        help: 'rebuild damaged indexes, remove files that interrupted imports left, and close those imports at their last commit',
      },
      ...PASSWORD_OPTION,
      json: { type: 'boolean', help: 'one JSON document' },
    },
    details:
      'Exit status 0: all is well. 1: the case is damaged. 3: the case is intact, but evidence has changed, is missing, could not be checked, or was not read to its end. Nothing is changed without --repair.\nFor a hand-over, status 1: a file was changed, is missing or does not belong to it; the SHA-256 of its manifest is in the audit log of the case.',
  },
  async run(parsed, context) {
    const { streams, settings, signal } = context;
    const [place] = parsed.positionals;
    if (isBucketAddress(place!) || isHandOver(place!)) return verifyHandOver(parsed, context);
    await takePasswords(parsed);
    const sample = sampleOf(parsed.text('sample'));
    const line = new ProgressLine(streams);
    const { threads } = settings;
    try {
      const report = await verifyOn(
        evidence.startVerify(),
        {
          ...{ folder: parsed.positionals[0]!, repair: parsed.flag('repair'), sample, threads },
          memoryLimit: settings.queryMemory,
          builder: { memoryLimit: settings.importMemory, threads },
        },
        signal,
        ({ phase, what, bytes, totalBytes }) =>
          line.update({ ...{ bytes, totalBytes, phase: `verifying ${phase}` }, source: what }),
      );
      line.clear();
      if (parsed.flag('json')) await write(streams.out, `${JSON.stringify(report)}\n`);
      else await write(streams.out, `${linesOf(report).map(visible).join('\n')}\n`);
      return report.exitStatus;
    } finally {
      line.clear();
    }
  },
};

async function verifyHandOver(
  parsed: Parsed,
  { streams, signal }: CommandContext,
): Promise<number> {
  for (const option of ['sample', 'repair', 'password-file'])
    if (parsed.flag(option) || parsed.text(option) !== undefined)
      throw new DaybookError(
        'usage',
        `--${option} is for cases, but ${parsed.positionals[0]!} is a hand-over`,
        'leave it out',
      );
  const line = new ProgressLine(streams);
  const [place] = parsed.positionals;
  const bucket = isBucketAddress(place!) ? await bucketOf(place!, signal) : undefined;
  const options = {
    signal,
    report: ({ bytes, totalBytes, file }: { bytes: number; totalBytes: number; file: string }) =>
      line.update({ ...{ bytes, totalBytes, source: file, phase: 'verifying' } }),
  };
  try {
    const check = await (bucket === undefined
      ? checkHandOver(place!, options)
      : checkBucket(bucket, options));
    line.clear();
    if (parsed.flag('json')) await write(streams.out, `${JSON.stringify(check)}\n`);
    else await write(streams.out, `${handOverLines(check).map(visible).join('\n')}\n`);
    return check.ok ? 0 : 1;
  } finally {
    bucket?.close();
    line.clear();
  }
}

function handOverLines({ findings, ok, ...found }: HandOverCheck): string[] {
  const checked = [
    counted(found.files, 'file'),
    counted(found.events, 'event'),
    counted(found.auditEntries, 'audit entry', 'audit entries'),
  ].join(', ');
  return [
    ...findings.flatMap(({ level, message, advice }) => [
      `${level}: ${message}`,
      ...(advice === undefined ? [] : [`  ${advice}`]),
    ]),
    `${ok ? 'The hand-over is what was written' : 'The hand-over is not what was written'} (${checked}).`,
    ...(found.sha256 === undefined
      ? []
      : [
          `manifest.json: SHA-256 ${found.sha256}; the audit log of the case has the same hash if this is its latest hand-over.`,
        ]),
  ];
}

function sampleOf(text: string | undefined): number | 'all' | undefined {
  if (text === undefined || text === 'all') return text;
  const size = /^\d{1,7}$/.test(text) ? Number(text) : undefined;
  if (size === undefined)
    throw new DaybookError(
      'usage',
      `--sample ${text} is not a number of events`,
      'give a number up to 9999999, 0 for none, or all',
    );
  return size;
}

function linesOf(report: VerifyReport): string[] {
  const { segments, auditEntries, quarantined } = report.case;
  return [
    ...report.findings.flatMap(({ level, message, advice }) => [
      `${level}: ${message}`,
      ...(advice === undefined || level === 'note' ? [] : [`  ${advice}`]),
    ]),
    ...report.sample.notCompared.map(({ name, reason }) => `not compared: ${name}: ${reason}`),
    `${caseVerdict(report)} (${[
      counted(segments, 'segment'),
      counted(quarantined, 'quarantined record'),
      counted(auditEntries, 'audit entry', 'audit entries'),
    ].join(', ')}).`,
    `${evidenceVerdict(report)}.`,
    `${sampleVerdict(report)}.`,
  ];
}
