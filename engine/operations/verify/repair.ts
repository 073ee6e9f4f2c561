/** `daybook verify --repair`: rebuilds what can be rebuilt, and closes interrupted imports. */
import { counted } from '../../contract/words/counted.ts';
import { removeFromCase } from '../../util/files/case-files.ts';
import { CaseWriter, damagedNodes, mergeRollups } from '../../ingest/index.ts';
import { sideFilePath } from '../../index/index.ts';
import type { BuilderOptions } from '../../store/index.ts';
import { hashed } from './check-segments.ts';
import { type Findings, Progress } from './findings.ts';

/** @throws whatever opening a case for writing throws */
export async function repairCase(
  folder: string,
  builder: BuilderOptions,
  findings: Findings,
): Promise<void> {
  const writer = await CaseWriter.open(folder, 'verify --repair', builder);
  const repaired = (code: 'import' | 'index' | 'rollup', subject: string, message: string): void =>
    findings.ofCase('repaired', code, subject, message);
  try {
    for (const file of writer.recovery.orphans)
      repaired('import', file, `removed ${file}, which no import committed`);
    const silent = new Progress(undefined);
    for (const { id, file, index } of writer.catalog.segments.all()) {
      if (index === undefined) continue;
      const side = await hashed(writer.folder, sideFilePath(file), silent, undefined);
      if (typeof side !== 'string' && side.sha256 === index.sha256) continue;
      writer.catalog.segments.setSideFile(id, undefined);
      repaired('index', file, `the index of ${file} was damaged or missing`);
    }
    const made = await writer.indexMissing();
    if (made > 0) repaired('index', 'days', `rebuilt the indexes of ${counted(made, 'segment')}`);
    for (const file of damagedNodes(writer.folder)) {
      removeFromCase(writer.folder, file);
      repaired('rollup', file, `the merged rollup ${file} was damaged`);
    }
    const merged = await mergeRollups(writer);
    if (merged.made > 0)
      repaired('rollup', 'rollups', `rebuilt ${counted(merged.made, 'merged rollup')}`);
    for (const id of writer.recovery.interruptedImports)
      repaired('import', `import ${id}`, `import ${id} was interrupted: closed at its last commit`);
    writer.catalog.transaction(() =>
      writer.catalog.audit.add('verify', { repair: true, findings: findings.all }),
    );
  } finally {
    writer.close();
  }
}
