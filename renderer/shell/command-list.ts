/** Commands of the window itself, in the order of the command palette. */
import type { OperationName } from '../../engine/contract/operations.ts';
import type { Command } from '../state/commands.ts';
import type { DialogState } from '../state/dialogs.ts';
import { refusalOf } from '../state/refused.ts';
import type { CaseInfo } from '../state/case/session.ts';
import { TABS } from '../state/view/views.ts';
import type { Workspace } from '../state/case/workspace.ts';
import { focusNextPart, focusPart } from './parts.ts';

const TITLES = {
  events: 'Show events',
  talkers: 'Show top talkers',
  conversations: 'Show conversations',
  hosts: 'Show hosts',
  answer: 'Show the answer',
  sources: 'Show sources and imports',
  findings: 'Show findings',
  latency: 'Show diagnostics (latency)',
} as const;

type Description = Omit<Command, 'run' | 'group'>;

/** Returns a function that makes commands of a group, each of which opens a dialog. */
function openerOf({ dialogs }: Workspace, group: string) {
  return (dialog: DialogState, description: Description): Command => ({
    ...{ group, ...description },
    run: () => dialogs.open(dialog),
  });
}

/** Commands that show a part of an open case. */
export function viewCommands(workspace: Workspace): Command[] {
  const { views } = workspace;
  const command = (description: Description, run: () => void): Command => ({
    ...{ group: 'View', ...description },
    run,
  });
  return [
    ...TABS.filter((tab) => tab !== 'answer').map((tab, at) =>
      command({ id: `tab.${tab}`, title: TITLES[tab], hotkey: `alt+${at + 1}` }, () => {
        views.show({ tab });
        focusPart('results');
      }),
    ),
    command({ id: 'view.results', title: 'Go to the results' }, () => focusPart('results')),
    command({ id: 'view.next-part', title: 'Next part of the window', hotkey: 'F6' }, () =>
      focusNextPart(1),
    ),
    command(
      { id: 'view.previous-part', title: 'Previous part of the window', hotkey: 'shift+F6' },
      () => focusNextPart(-1),
    ),
    command({ id: 'view.back', title: 'Back', hotkey: 'alt+ArrowLeft' }, () => workspace.goBack()),
    command({ id: 'view.forward', title: 'Forward', hotkey: 'alt+ArrowRight' }, () =>
      workspace.goForward(),
    ),
    command({ id: 'view.all-time', title: 'Show all time' }, () =>
      views.show({ from: undefined, to: undefined }),
    ),
  ];
}

/** Commands for an open case. */
export function caseCommands(
  workspace: Workspace,
  hasEvent: boolean,
  openCase: Pick<CaseInfo, 'refused'>,
): Command[] {
  /** Opens a dialog that ends with an operation, if the case can do that. */
  const opener =
    (group: string) =>
    (operation: OperationName, dialog: DialogState, description: Description): Command =>
      openerOf(workspace, group)(dialog, {
        ...description,
        disabled: refusalOf(openCase, operation),
      });
  const [ofCase, ofEvents, ofView] = [opener('Case'), opener('Events'), opener('View')];
  return [
    ofCase(
      'import.start',
      { dialog: 'import' },
      { id: 'evidence.add', title: 'Add evidence…', hotkey: 'mod+I' },
    ),
    ofCase(
      'export.rows',
      { dialog: 'export' },
      { id: 'events.export', title: 'Export events…', hotkey: 'mod+E' },
    ),
    ofCase(
      'payload.search',
      { dialog: 'payload-search' },
      { id: 'case.payload-search', title: 'Search payloads…' },
    ),
    ofCase('report.write', { dialog: 'report' }, { id: 'case.report', title: 'Write a report…' }),
    ofCase('hand-over.run', { dialog: 'hand-over' }, { id: 'case.hand-over', title: 'Hand over…' }),
    ofCase(
      'case.verify',
      { dialog: 'verify' },
      { id: 'case.verify', title: 'Verify the case and its evidence…' },
    ),
    {
      id: 'event.make-field',
      title: 'Make a field of the selected event…',
      group: 'Events',
      disabled:
        refusalOf(openCase, 'extractor.message') ??
        (!hasEvent ? 'no event is selected' : undefined),
      run: () => {
        const event = workspace.session.getState().selected;
        if (event !== undefined) workspace.dialogs.open({ dialog: 'make-field', event });
      },
    },
    ofEvents(
      'tag.set',
      { dialog: 'tag' },
      { id: 'events.tag-all', title: 'Tag all events found…' },
    ),
    ofEvents(
      'delete.run',
      { dialog: 'delete' },
      { id: 'events.delete-all', title: 'Delete all events found…' },
    ),
    ofView(
      'search.save',
      { dialog: 'save-search' },
      { id: 'search.save', title: 'Save this search…', hotkey: 'mod+S' },
    ),
    ofCase(
      'case.describe',
      { dialog: 'case-details' },
      { id: 'case.details', title: 'Case details…' },
    ),
    {
      id: 'case.close',
      title: 'Close the case',
      group: 'Case',
      run: () => workspace.closeCase(),
    },
  ];
}

/** Commands that need no case. */
export function windowCommands(workspace: Workspace): Command[] {
  const ofCase = openerOf(workspace, 'Case');
  const ofDaybook = openerOf(workspace, 'Daybook');
  const ofHelp = openerOf(workspace, 'Help');
  return [
    ofCase({ dialog: 'open-case' }, { id: 'case.open', title: 'Open a case…', hotkey: 'mod+O' }),
    ofCase({ dialog: 'new-case' }, { id: 'case.new', title: 'New case…' }),
    ofDaybook({ dialog: 'settings' }, { id: 'settings.open', title: 'Settings…', hotkey: 'mod+,' }),
    ofHelp(
      { dialog: 'shortcuts' },
      { id: 'help.shortcuts', title: 'Keyboard shortcuts', hotkey: 'shift+?' },
    ),
    ofHelp(
      { dialog: 'language' },
      { id: 'help.language', title: 'The query language', hotkey: 'F1' },
    ),
  ];
}

export type Scheme = 'light' | 'dark' | 'auto';

/** @param setScheme sets the window's colours */
export function themeCommands(
  workspace: Workspace,
  setScheme: (scheme: Scheme) => void,
): Command[] {
  return (['light', 'dark', 'auto'] as const).map((scheme) => ({
    id: `theme.${scheme}`,
    title: scheme === 'auto' ? 'Theme: system' : `Theme: ${scheme}`,
    group: 'Daybook',
    run: () => {
      setScheme(scheme);
      workspace.setPreference('theme', scheme);
      workspace.shell?.setTheme(scheme);
    },
  }));
}
