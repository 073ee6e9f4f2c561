/** State shared by panels about a case's evidence: imports in progress, and which part of them is shown. */
import { useEffect } from 'react';
import { useStore } from 'zustand';
import { createStore, type StoreApi } from 'zustand/vanilla';
import { useSession, useWorkspace } from '../context.ts';
import { createImportJobs, isRunning, type ImportJob, type ImportJobs } from './import-job.ts';
import type { Workspace } from './workspace.ts';

export type EvidenceSection = 'sources' | 'imports' | 'quarantine' | 'audit';

interface EvidenceView {
  readonly section: EvidenceSection;
  /** The source whose details are shown. */
  readonly source: number | undefined;
  /** The source or import whose records the quarantine shows; all when neither is given. */
  readonly quarantine: { readonly source?: number; readonly import?: number };
}

interface CaseWork {
  readonly imports: ImportJobs;
  readonly evidence: StoreApi<EvidenceView>;
}

const FIRST: EvidenceView = { section: 'sources', source: undefined, quarantine: {} };
const works = new WeakMap<Workspace, CaseWork>();

function workOf(workspace: Workspace): CaseWork {
  let work = works.get(workspace);
  if (work === undefined) {
    work = {
      imports: createImportJobs(workspace.connection),
      evidence: createStore<EvidenceView>(() => FIRST),
    };
    works.set(workspace, work);
  }
  return work;
}

/** The imports of this window, whichever case they belong to. */
export function useImportJobs(): ImportJobs {
  return workOf(useWorkspace()).imports;
}

/** The import of a case, if this window knows of one. */
export function useImportJob(path: string | undefined): ImportJob | undefined {
  return useStore(useImportJobs().store, (jobs) => (path === undefined ? undefined : jobs[path]));
}

/** Keeps an eye on imports of the open case that another window began. */
export function useFollowedImport(): ImportJob | undefined {
  const jobs = useImportJobs();
  const path = useSession((session) => session.openCase?.case);
  const revision = useSession((session) => session.revision);
  const job = useImportJob(path);
  const running = isRunning(job);
  useEffect(() => {
    if (path !== undefined && !running) jobs.follow(path);
  }, [jobs, path, revision, running]);
  return job;
}

export function useEvidenceView(): EvidenceView {
  return useStore(workOf(useWorkspace()).evidence);
}

/** Shows a part of the sources and imports, and the tab that holds it. */
export function showEvidence(workspace: Workspace, change: Partial<EvidenceView>): void {
  workOf(workspace).evidence.setState(change);
  workspace.views.show({ tab: 'sources' });
}
