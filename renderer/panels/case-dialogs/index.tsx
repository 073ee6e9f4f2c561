/** Dialogs about cases: opening one, making one, verifying it, and the settings. */
import { useEffect } from 'react';
import { notifyError, useDialog, useSession, useWorkspace } from '../../panel-api.ts';
import { OperationError } from '../../../engine/contract/wire/client.ts';
import { CaseDetailsDialog } from './case-details.tsx';
import { NewCaseDialog } from './new-case.tsx';
import { OpenCaseDialog } from './open-case.tsx';
import { SettingsDialog } from './settings.tsx';
import { VerifyDialog } from './verify.tsx';

export function CaseDialogs() {
  const opening = useDialog('open-case');
  const making = useDialog('new-case');
  const details = useDialog('case-details');
  const settings = useDialog('settings');
  const verifying = useDialog('verify');
  const hasCase = useSession((session) => session.openCase !== undefined);
  useOpenProblem();
  return (
    <>
      {opening !== undefined && <OpenCaseDialog />}
      {making !== undefined && <NewCaseDialog paths={making.paths} files={making.files} />}
      {details !== undefined && hasCase && <CaseDetailsDialog />}
      {settings !== undefined && <SettingsDialog />}
      {verifying !== undefined && hasCase && <VerifyDialog />}
    </>
  );
}

/** The start page shows why a case could not be opened; if a case is open, a notice does. */
function useOpenProblem(): void {
  const workspace = useWorkspace();
  const problem = useSession((session) => session.problem);
  useEffect(() => {
    if (problem === undefined || workspace.session.getState().openCase === undefined) return;
    notifyError(new OperationError(problem), 'The case cannot be opened');
    workspace.session.setState({ problem: undefined });
  }, [workspace, problem]);
}
