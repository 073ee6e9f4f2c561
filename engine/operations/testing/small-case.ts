/** For tests: a case made from small files in a temporary folder, and the services to query it. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import {
  importInProcess,
  BUILDER,
  type InProcessOptions,
} from '../../ingest/testing/in-process.ts';
import { CasePool } from '../../search/session/case-pool.ts';
import type { Services } from '../handler.ts';
import type { Evidence } from '../evidence/import.ts';

export interface SmallCase {
  /** The temporary folder. */
  root: string;
  evidence: string;
  /** The case's folder. */
  folder: string;
  services: Pick<Services, 'cases' | 'evidence' | 'settings'>;
  dispose(): Promise<void>;
}

/** Writes `files` (by their path below the evidence folder) and imports them. */
export async function smallCase(
  files: Readonly<Record<string, string | Uint8Array>>,
  evidence: Evidence,
  how: InProcessOptions = {},
): Promise<SmallCase> {
  const root = mkdtempSync(join(tmpdir(), 'daybook-operations-'));
  const below = join(root, 'evidence');
  for (const [name, content] of Object.entries(files)) {
    const path = join(below, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
  }
  const folder = join(root, 'small.daybook');
  await importInProcess(folder, [below], how);
  const cases = new CasePool(() => ({ memoryLimit: 3e8, threads: 2 }));
  return {
    ...{ root, folder, evidence: below },
    services: {
      ...{ cases, evidence },
      settings: {
        limits: {
          ...{ memory: 3e8, importMemory: BUILDER.memoryLimit, threads: 2, jobs: 1 },
          chunkRows: undefined,
        },
        ...{ casesFolder: root, stateFolder: root },
      },
    },
    dispose: async () => {
      await cases.close();
      rmSync(root, { recursive: true, force: true });
    },
  };
}
