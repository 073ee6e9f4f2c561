/** Restricts the view to a list of values: entering one, and showing which of its lines matched nothing. */
import { useDialog, useSession } from '../../panel-api.ts';
import { MatchDialog } from './match-dialog.tsx';
import { UnmatchedDialog } from './unmatched-dialog.tsx';

export function MatchListDialogs() {
  const matching = useDialog('match-list');
  const unmatched = useDialog('list-unmatched');
  const hasCase = useSession((session) => session.openCase !== undefined);
  if (!hasCase) return null;
  return (
    <>
      {matching !== undefined && <MatchDialog />}
      {unmatched !== undefined && <UnmatchedDialog />}
    </>
  );
}
