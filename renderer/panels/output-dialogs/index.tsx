/** Dialogs for output: events as a file, the report, the hand-over. */
import { useDialog } from '../../panel-api.ts';
import { ExportDialog } from './export.tsx';
import { HandOverDialog } from './hand-over.tsx';
import { ReportDialog } from './report.tsx';

export function OutputDialogs() {
  const exporting = useDialog('export');
  const reporting = useDialog('report');
  const handingOver = useDialog('hand-over');
  return (
    <>
      {exporting !== undefined && <ExportDialog />}
      {reporting !== undefined && <ReportDialog />}
      {handingOver !== undefined && <HandOverDialog />}
    </>
  );
}
