/** `daybook verify`: whether a case is whole and the evidence unchanged. */
import { verifyCase } from '../../../engine/operations/verify.ts';
import { CaseSession } from '../../../engine/operations/case-session.ts';
import type { Command } from '../command.ts';
import { visible, write } from '../output.ts';
import { ProgressLine } from '../progress.ts';

export const verifyCommand: Command = {
  spec: {
    name: 'verify',
    usage: 'CASE',
    summary:
      'Checks the catalog, the audit log, the segments, the ledgers and the hashes of evidence that is still there.',
    positionals: { least: 1, most: 1 },
    options: {
      repair: {
        type: 'boolean',
        help: 'remove what interrupted imports left and close them at their last commit',
      },
      json: { type: 'boolean', help: 'one JSON document' },
    },
    details: 'Exit status 1 when something is wrong. Nothing is changed without --repair.',
  },
  async run(parsed, { streams, settings, signal }) {
    const session = CaseSession.open(parsed.positionals[0]!, {
      memoryLimit: settings.queryMemory,
      threads: settings.threads,
    });
    const line = new ProgressLine(streams);
    try {
      const report = await verifyCase(session, {
        repair: parsed.flag('repair'),
        builder: { memoryLimit: settings.importMemory, threads: settings.threads },
        signal,
        onProgress: (done, total, what) =>
          line.update({
            bytes: done,
            totalBytes: total,
            rows: done,
            source: what,
            phase: 'verifying',
          }),
      });
      line.clear();
      const errors = report.findings.filter((finding) => finding.level === 'error').length;
      if (parsed.flag('json')) {
        await write(streams.out, `${JSON.stringify({ ...report, ok: errors === 0 })}\n`);
      } else {
        for (const finding of report.findings)
          await write(streams.out, `${finding.level}: ${visible(finding.what)}\n`);
        await write(
          streams.out,
          `${errors === 0 ? 'the case is whole' : `${errors} errors`}: ${report.segments} segments, ${report.sources} sources (${report.evidenceChecked} evidence files checked, ${report.evidenceMissing} missing${report.evidenceNotChecked > 0 ? `, ${report.evidenceNotChecked} in archives not checked` : ''}), ${report.auditEntries} audit entries\n`,
        );
      }
      return errors === 0 ? 0 : 1;
    } finally {
      line.clear();
      await session.close();
    }
  },
};
