/** A shortcut as the keys that a person presses. */
import { Kbd } from '@mantine/core';

const isMac = (): boolean => /Mac/.test(navigator.platform);

const NAMES: Readonly<Record<string, string>> = {
  arrowleft: '←',
  arrowright: '→',
  arrowup: '↑',
  arrowdown: '↓',
  pageup: 'PgUp',
  pagedown: 'PgDn',
  enter: 'Enter',
  escape: 'Esc',
  shift: 'Shift',
  ctrl: 'Ctrl',
  alt: 'Alt',
};

/** `mod+K` as `Ctrl`, `K`; on a Mac as `⌘`, `K`. */
function keysOf(hotkey: string): string[] {
  // `shift+?`: only the character is shown.
  const parts = hotkey.split('+');
  const last = parts[parts.length - 1] ?? '';
  const shown = /^[^A-Za-z0-9]$/.test(last) ? parts.filter((part) => part !== 'shift') : parts;
  return shown.map((part) => {
    const key = part.toLowerCase();
    if (key === 'mod') return isMac() ? '⌘' : 'Ctrl';
    if (key === 'alt' && isMac()) return '⌥';
    return NAMES[key] ?? (part.length === 1 ? part.toUpperCase() : part);
  });
}

export function Keys({ hotkey }: { readonly hotkey: string }) {
  return (
    <span style={{ whiteSpace: 'nowrap' }}>
      {keysOf(hotkey).map((key, at) => (
        <span key={key}>
          {at > 0 && <span aria-hidden> </span>}
          <Kbd fz={11}>{key}</Kbd>
        </span>
      ))}
    </span>
  );
}
