/** `case.compact`: fewer, larger segments; deleted events leave the files. */
import { CaseWriter } from '../ingest/case-writer.ts';
import { compactAll, type CompactReport } from '../ingest/compact.ts';
import type { BuilderOptions } from '../store/segment-builder.ts';

export async function compactCase(folder: string, builder: BuilderOptions): Promise<CompactReport> {
  const writer = await CaseWriter.open(folder, 'compact', builder);
  try {
    const report = await compactAll(writer);
    writer.catalog.transaction(() => {
      writer.catalog.addAudit('compact', { ...report });
      writer.catalog.addChange('compact', { ...report });
    });
    return report;
  } finally {
    writer.close();
  }
}
