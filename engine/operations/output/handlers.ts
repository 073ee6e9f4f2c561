/** Handlers of what leaves the case. */
import type { outputOperations } from '../../contract/operations/output.ts';
import { resolveZone } from '../../contract/time/zone.ts';
import { withList } from '../query/kept-lists.ts';
import { atIntervals } from '../at-intervals.ts';
import type { HandlersOf, Services } from '../handler.ts';
import type { Product } from '../product.ts';
import { writeReport } from '../report/write.ts';
import { handOver } from '../hand-over/hand-over.ts';
import { exportRows } from './rows-export.ts';

export function outputHandlers(
  { cases, settings }: Pick<Services, 'cases' | 'settings'>,
  { version }: Pick<Product, 'version'>,
): HandlersOf<keyof typeof outputOperations> {
  return {
    'export.rows': (request, { client, signal, part }) =>
      cases.use(request.case, (session) =>
        exportRows(
          session,
          withList(client, request),
          // The dialog in which the path was chosen asked before replacing a file.
          { path: request.path, overwrite: true, send: (bytes) => part({ bytes }), signal },
          (done) => part({ done }),
        ),
      ),
    'report.write': (request, { signal, part }) =>
      cases.use(request.case, (session) => {
        const { title, author, note, classification, path } = request;
        const zone = resolveZone(request.zone).name;
        return writeReport(
          session,
          {
            ...{ title, author, note, classification, zone, version },
            generatedAt: new Date().toISOString(),
          },
          // The dialog in which the path was chosen asked before replacing a file.
          { path, overwrite: true, send: (bytes) => part({ bytes }), signal },
          (done) => part({ done }),
        );
      }),
    'hand-over.run': (request, { signal, part }) =>
      cases.use(request.case, (session) => {
        const { memory: memoryLimit, threads } = settings.limits;
        return handOver(session, {
          ...{ folder: request.folder, version, memoryLimit, threads, signal },
          report: atIntervals(part),
        });
      }),
  };
}
