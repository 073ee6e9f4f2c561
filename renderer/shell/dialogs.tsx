/** All dialogs; each shows itself when it is opened. */
import { CaseDialogs } from '../panels/case-dialogs/index.tsx';
import { ImportDialog } from '../panels/import/index.tsx';
import { MakeFieldDialog } from '../panels/make-field/index.tsx';
import { MarkDialogs } from '../panels/mark-dialogs/index.tsx';
import { MatchListDialogs } from '../panels/match-list/index.tsx';
import { OutputDialogs } from '../panels/output-dialogs/index.tsx';
import { PayloadSearchDialog } from '../panels/payload-search/index.tsx';
import { HelpDialogs } from '../panels/help/index.tsx';

export function Dialogs() {
  return (
    <>
      <CaseDialogs />
      <ImportDialog />
      <MakeFieldDialog />
      <MarkDialogs />
      <MatchListDialogs />
      <OutputDialogs />
      <PayloadSearchDialog />
      <HelpDialogs />
    </>
  );
}
