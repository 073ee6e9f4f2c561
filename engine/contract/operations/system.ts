/** Operations about the engine itself, its settings and the files of this machine. */
import { z } from 'zod';
import { count, filePath, nothing, operation } from './schema.ts';

const recentCase = z.object({
  case: z.string(),
  name: z.string(),
  /** RFC 3339, UTC. */
  openedAt: z.string(),
  /** Whether the folder still exists. */
  exists: z.boolean(),
});

const settings = z.object({
  /** Bytes DuckDB may use for queries. */
  memory: count,
  threads: count,
  /** Import workers. */
  jobs: count,
  /** Preferences of the window: theme, zone, widths of columns. */
  window: z.record(z.string(), z.unknown()),
});

export const systemOperations = {
  /** Versions, limits and settings of this engine. */
  'engine.info': operation(
    nothing,
    z.object({
      version: z.string(),
      node: z.string(),
      pid: count,
      platform: z.string(),
      cores: count,
      memoryBytes: count,
      home: z.string(),
      /** The default folder of new cases. */
      casesFolder: z.string(),
      /** Values of `format` of an import: importers and their dialects. */
      formats: z.array(z.string()).optional(),
      settings,
      recent: z.array(recentCase),
    }),
  ),
  'settings.set': operation(settings.partial(), settings),
  'recent.forget': operation(z.object({ case: z.string() }), nothing),
  /** Entries of a folder, for windows that have no file dialog of their own. Folders first. */
  'files.list': operation(
    z.object({ folder: z.string().max(4096).optional() }),
    z.object({
      folder: z.string(),
      parent: z.string().optional(),
      entries: z.array(
        z.object({
          name: z.string(),
          path: z.string(),
          type: z.enum(['folder', 'case', 'file']),
          size: count.optional(),
          modifiedMs: z.number().optional(),
        }),
      ),
      /** Number of entries that are not listed because there are too many. */
      left: count,
    }),
  ),
  /** Generates the sample evidence (seeded, made by us) and returns its path. */
  'sample.prepare': operation(
    nothing,
    z.object({ paths: z.array(filePath), suggestedCase: z.string() }),
  ),
};
