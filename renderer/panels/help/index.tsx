/** Help without a network: the shortcuts and the query language. */
import { useDialog } from '../../panel-api.ts';
import { LanguageDialog } from './language-dialog.tsx';
import { ShortcutsDialog } from './shortcuts-dialog.tsx';

export function HelpDialogs() {
  const shortcuts = useDialog('shortcuts');
  const language = useDialog('language');
  return (
    <>
      {shortcuts !== undefined && <ShortcutsDialog />}
      {language !== undefined && <LanguageDialog />}
    </>
  );
}
