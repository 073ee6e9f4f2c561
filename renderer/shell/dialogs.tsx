/** Every dialog; each shows itself when it is asked for. */
import { useSession, useWorkspace } from '../state/context.ts';
import { useDialog } from '../state/hooks.ts';
import { CaseDialogs } from '../panels/case-dialogs/index.tsx';
import { ImportDialog } from '../panels/import/index.tsx';
import { MarkDialogs } from '../panels/mark-dialogs/index.tsx';
import { MatchListDialogs } from '../panels/match-list/index.tsx';
import { OutputDialogs } from '../panels/output-dialogs/index.tsx';
import { VerifyDialog } from '../panels/sources/index.tsx';
import { HelpDialogs } from '../panels/help/index.tsx';

/** Only where a case is open. */
function Verify() {
  const { dialogs } = useWorkspace();
  const isAsked = useDialog('verify') !== undefined;
  const hasCase = useSession((session) => session.openCase !== undefined);
  return isAsked && hasCase ? <VerifyDialog onClose={dialogs.close} /> : null;
}

export function Dialogs() {
  return (
    <>
      <CaseDialogs />
      <ImportDialog />
      <MarkDialogs />
      <MatchListDialogs />
      <OutputDialogs />
      <Verify />
      <HelpDialogs />
    </>
  );
}
