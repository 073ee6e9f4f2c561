/** What leaves a case: events as a file, and the report. */
import { useDialog } from '../../panel-api.ts';
import { ExportDialog } from './export.tsx';
import { ReportDialog } from './report.tsx';

export function OutputDialogs() {
  const exporting = useDialog('export');
  const reporting = useDialog('report');
  return (
    <>
      {exporting !== undefined && <ExportDialog />}
      {reporting !== undefined && <ReportDialog />}
    </>
  );
}
