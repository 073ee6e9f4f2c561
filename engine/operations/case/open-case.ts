/**
 * Makes and opens cases for windows. Opening one whose last writer was killed recovers it with the
 * very code that an import or `verify --repair` recovers with.
 */
import { DaybookError } from '../../contract/errors.ts';
import { Catalog, RECOVERY, WriterLock } from '../../catalog/index.ts';
import { caseContents, refuseLinks, CaseWriter } from '../../ingest/index.ts';
import type { BuilderOptions } from '../../store/index.ts';
import type { CaseSession } from '../../search/index.ts';

/**
 * Makes an empty case.
 * @throws DaybookError usage if there is one already, not-a-case, unreadable, disk-full
 */
export async function createCase(folder: string, builder: BuilderOptions): Promise<void> {
  if (Catalog.exists(folder)) {
    throw new DaybookError(
      'usage',
      `${folder} is already a case`,
      'open it, or name another folder',
    );
  }
  const writer = await CaseWriter.open(folder, 'create', builder, true);
  try {
    writer.catalog.transaction(() => writer.catalog.audit.add('create', {}));
  } finally {
    writer.close();
  }
}

/** Recovers a case whose last writer was killed; returns what was found and done, for people. */
export async function recoverCase(
  session: CaseSession,
  builder: BuilderOptions,
): Promise<string[]> {
  const { catalog, folder } = session;
  const contents = caseContents(folder, catalog);
  refuseLinks(folder, contents);
  if (catalog.readOnly) return [];
  const killed = catalog.imports.all().some((run) => run.status === 'running');
  if (!killed && contents.orphans.length === 0) return [];
  // Not left over, but under way.
  if (WriterLock.holder(folder) !== undefined) return [];
  let writer: CaseWriter;
  try {
    writer = await CaseWriter.open(folder, RECOVERY, builder);
  } catch (error) {
    // Another process began to write, and recovers it; or the case cannot be written, and is read as it is.
    if (error instanceof DaybookError && /^(case-locked|unreadable)$/.test(error.code)) return [];
    throw error;
  }
  try {
    const { interruptedImports, orphans } = writer.recovery;
    const found = interruptedImports.map(
      (id) => `import ${id} was interrupted; what it had committed is in the case`,
    );
    if (orphans.length > 0) {
      found.push(`removed ${orphans.length} segment files that no import had committed`);
    }
    return found;
  } finally {
    writer.close();
  }
}
