/** `case.compact`: fewer, larger segments; deleted events leave the files. */
import { CaseWriter, compactAll, type CompactReport, mergeRollups } from '../../ingest/index.ts';
import type { BuilderOptions } from '../../store/index.ts';

export async function compactCase(folder: string, builder: BuilderOptions): Promise<CompactReport> {
  const writer = await CaseWriter.open(folder, 'compact', builder);
  try {
    const report = await compactAll(writer);
    // The rest can be repeated; that rows were removed from files must be recorded.
    writer.catalog.transaction(() => writer.catalog.audit.add('compact', { ...report }));
    try {
      // For older cases, and where an import could not make them.
      await writer.indexMissing();
      await mergeRollups(writer);
    } finally {
      writer.catalog.changes.add('compact', { ...report });
    }
    return report;
  } finally {
    writer.close();
  }
}
