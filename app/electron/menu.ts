/**
 * The native menu. Items about cases and views send the window's palette commands; the system's (editing, zoom,
 * quitting) are roles.
 */
import { Menu } from 'electron';
import type { MenuItemConstructorOptions } from 'electron';
import type { ShellCommand } from '../../engine/contract/wire/bridge.ts';

interface MenuOptions {
  readonly send: (command: ShellCommand) => void;
  /** Recent cases, the last one first. */
  readonly recent: readonly { readonly name: string; readonly path: string }[];
  /** Adds reloading and the developer tools. */
  readonly development: boolean;
}

const MOST_RECENT = 10;

type Item = MenuItemConstructorOptions;
/** An item that runs a command of the palette. */
type Run = (label: string, id: string, accelerator?: string) => Item;

const IS_MAC = process.platform === 'darwin';
const LINE: Item = { type: 'separator' };

function menuTemplate(options: MenuOptions): Item[] {
  /** The page handles its shortcuts: the menu only shows them. */
  const run: Run = (label, id, accelerator) => ({
    label,
    click: () => options.send({ command: 'run', id }),
    ...(accelerator === undefined ? {} : { accelerator, registerAccelerator: false }),
  });
  return [
    ...(IS_MAC ? [{ role: 'appMenu' as const }] : []),
    fileMenu(options, run),
    { role: 'editMenu' },
    viewMenu(options, run),
    { role: 'windowMenu' },
    {
      role: 'help',
      label: '&Help',
      submenu: [
        run('The &Query Language', 'help.language', 'F1'),
        run('&Keyboard Shortcuts', 'help.shortcuts', 'Shift+?'),
        LINE,
        { role: 'about' },
      ],
    },
  ];
}

function fileMenu({ send, recent }: MenuOptions, run: Run): Item {
  return {
    label: '&File',
    submenu: [
      run('&New Case…', 'case.new'),
      {
        label: '&Open Case…',
        accelerator: 'CmdOrCtrl+O',
        registerAccelerator: false,
        click: () => send({ command: 'open-case' }),
      },
      {
        label: 'Open &Recent',
        enabled: recent.length > 0,
        submenu: recent.slice(0, MOST_RECENT).map(({ name, path }) => ({
          // An ampersand would mark a letter.
          label: name.replace(/&/g, '&&'),
          click: () => send({ command: 'open-case', path }),
        })),
      },
      run('&Close Case', 'case.close'),
      LINE,
      {
        label: '&Add Evidence…',
        accelerator: 'CmdOrCtrl+I',
        registerAccelerator: false,
        click: () => send({ command: 'add-evidence' }),
      },
      run('&Export Events…', 'events.export', 'CmdOrCtrl+E'),
      run('Write a Re&port…', 'case.report'),
      LINE,
      run('&Settings…', 'settings.open', 'CmdOrCtrl+,'),
      LINE,
      { role: IS_MAC ? 'close' : 'quit' },
    ],
  };
}

function viewMenu({ development }: MenuOptions, run: Run): Item {
  return {
    label: '&View',
    submenu: [
      run('&Events', 'tab.events', 'Alt+1'),
      run('Top &Talkers', 'tab.talkers', 'Alt+2'),
      run('&Conversations', 'tab.conversations', 'Alt+3'),
      run('&Hosts', 'tab.hosts', 'Alt+4'),
      run('&Sources and Imports', 'tab.sources', 'Alt+5'),
      run('F&indings', 'tab.findings', 'Alt+6'),
      run('&Diagnostics', 'tab.latency', 'Alt+7'),
      LINE,
      run('&Back', 'view.back', 'Alt+Left'),
      run('&Forward', 'view.forward', 'Alt+Right'),
      run('Show &All Time', 'view.all-time'),
      run('Sa&ve This Search…', 'search.save', 'CmdOrCtrl+S'),
      LINE,
      {
        label: 'The&me',
        submenu: [
          run('&Light', 'theme.light'),
          run('&Dark', 'theme.dark'),
          run('&System', 'theme.auto'),
        ],
      },
      LINE,
      { role: 'resetZoom' },
      { role: 'zoomIn' },
      { role: 'zoomOut' },
      { role: 'togglefullscreen' },
      ...(development
        ? [LINE, { role: 'reload' as const }, { role: 'toggleDevTools' as const }]
        : []),
    ],
  };
}

export function setMenu(options: MenuOptions): void {
  Menu.setApplicationMenu(Menu.buildFromTemplate(menuTemplate(options)));
}
