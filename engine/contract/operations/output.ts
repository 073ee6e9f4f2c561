/** Operations that write something outside the case. Each is audited. */
import { z } from 'zod';
import { handOverProgress, handOverReport } from '../hand-over.ts';
import {
  bytes,
  casePath,
  count,
  fieldName,
  filePath,
  operation,
  viewShape,
  zone,
} from './schema.ts';

const written = z.object({
  bytes: count,
  sha256: z.string(),
  /** Where it was written, if a path was given. */
  path: filePath.optional(),
});
/** The file in pieces, if no path was given; and progress. */
const piece = z.union([z.object({ bytes }), z.object({ done: count, of: count.optional() })]);

export const outputOperations = {
  /** Rows as shown: in the query's order, with its fields. Formulas in CSV cells are defused. */
  'export.rows': operation(
    z.object({
      ...viewShape,
      format: z.enum(['csv', 'ndjson', 'parquet']),
      fields: z.array(fieldName).max(2000).optional(),
      sort: z.object({ field: fieldName, descending: z.boolean() }).optional(),
      limit: count.optional(),
      /** Without it the file is sent in parts. */
      path: filePath.optional(),
    }),
    written.extend({ rows: count }),
    piece,
  ),
  /** The case as one self-contained HTML page. */
  'report.write': operation(
    z.object({
      case: casePath,
      title: z.string().max(300).optional(),
      author: z.string().max(300).optional(),
      note: z.string().max(20_000).optional(),
      /** A line that is printed as `CLASSIFICATION_PAGES` describes. */
      classification: z.string().max(100).optional(),
      /** The zone in which times are shown. */
      zone: zone.default('UTC'),
      path: filePath.optional(),
    }),
    written,
    piece,
  ),
  /** Writes the case as Parquet files and JSON lines to a folder, new or of an earlier run. */
  'hand-over.run': operation(
    z.object({ case: casePath, folder: filePath }),
    handOverReport,
    handOverProgress,
  ),
};
