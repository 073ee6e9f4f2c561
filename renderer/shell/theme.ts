/** Colours, sizes and defaults of the window on Mantine's theme: dense, calm, light and dark. */
import {
  createTheme,
  type AlertProps,
  type CSSVariablesResolver,
  type MantineColorsTuple,
} from '@mantine/core';

const accent: MantineColorsTuple = [
  '#e8f0ff',
  '#cfdfff',
  '#a6c4ff',
  '#7aa7ff',
  '#5d95ff',
  '#4c8dff',
  '#2563eb',
  '#1d53cb',
  '#1a47ab',
  '#173d8f',
];

/** Blue-grey, so that dark surfaces match the design's depth. */
const dark: MantineColorsTuple = [
  '#d7dee8',
  '#a9b4c2',
  '#8b98a9',
  '#6b7788',
  '#38424f',
  '#2b3440',
  '#1a2029',
  '#151a21',
  '#0f1318',
  '#0b0e12',
];

const MONO =
  '"JetBrains Mono", "Cascadia Mono", "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", "Liberation Mono", monospace';
const SANS = 'Inter, "Segoe UI", Cantarell, "DejaVu Sans", "Liberation Sans", sans-serif';

/**
 * Lists open on typing, a click or an arrow key: one that opened when Tab reaches it would cover what follows, and
 * consume the Escape that is meant for the dialog around it.
 */
const CHOICE = { size: 'xs', openOnFocus: false };

export const theme = createTheme({
  colors: { accent, dark },
  primaryColor: 'accent',
  primaryShade: { light: 6, dark: 6 },
  fontFamily: SANS,
  fontFamilyMonospace: MONO,
  fontSizes: { xs: '11.5px', sm: '12.5px', md: '13px', lg: '15px', xl: '18px' },
  spacing: { xs: '6px', sm: '10px', md: '14px', lg: '20px', xl: '28px' },
  radius: { xs: '3px', sm: '5px', md: '7px', lg: '10px', xl: '16px' },
  defaultRadius: 'sm',
  focusRing: 'auto',
  cursorType: 'pointer',
  components: {
    Button: { defaultProps: { size: 'xs' } },
    ActionIcon: { defaultProps: { size: 24, variant: 'subtle', color: 'gray' } },
    TextInput: { defaultProps: { size: 'xs' } },
    NumberInput: { defaultProps: { size: 'xs' } },
    Textarea: { defaultProps: { size: 'xs' } },
    Select: { defaultProps: { ...CHOICE, comboboxProps: { withinPortal: true } } },
    MultiSelect: { defaultProps: { ...CHOICE, comboboxProps: { withinPortal: true } } },
    Autocomplete: { defaultProps: CHOICE },
    TagsInput: { defaultProps: CHOICE },
    SegmentedControl: { defaultProps: { size: 'xs' } },
    Checkbox: { defaultProps: { size: 'xs' } },
    Switch: { defaultProps: { size: 'xs' } },
    Tooltip: { defaultProps: { openDelay: 400, withArrow: true } },
    // The library's placeholder takes the focus first but is not an item: axe and screen readers object.
    Menu: {
      defaultProps: { shadow: 'md', withinPortal: true, withInitialFocusPlaceholder: false },
      // Its last items can be reached in a low window, too, as at 200 % zoom.
      styles: { dropdown: { maxHeight: 'calc(100vh - 56px)', overflowY: 'auto' } },
    },
    Input: { styles: { input: { textOverflow: 'ellipsis' } } },
    // The library's descriptions are two pixels smaller than the smallest text.
    InputWrapper: {
      styles: { label: { fontWeight: 600 } },
      vars: () => ({ description: { '--input-description-size': '11.5px' } }),
    },
    Modal: {
      styles: { title: { fontWeight: 600, fontSize: '15px' } },
      defaultProps: {
        centered: true,
        overlayProps: { backgroundOpacity: 0.45 },
        closeButtonProps: { 'aria-label': 'Close the dialog' },
      },
    },
    Notification: { defaultProps: { closeButtonProps: { 'aria-label': 'Dismiss the message' } } },
    // As calm as a problem: its colour is at its edge. Orange and yellow text is hard to read on tints of the colour.
    Alert: {
      styles: (_: unknown, { color }: AlertProps) => ({
        root: {
          background: 'var(--db-raised)',
          ...(color === undefined
            ? {}
            : { borderLeft: `3px solid var(--mantine-color-${color}-filled)` }),
        },
        title: { color: 'var(--db-text)' },
      }),
    },
    // A column of a table makes room for the whole word.
    Badge: {
      defaultProps: { size: 'sm', variant: 'light', tt: 'none' },
      styles: { root: { minWidth: 'max-content' } },
    },
  },
});

/** Colours by role, available to our CSS as `--db-…`. */
const LIGHT = {
  '--db-bg': '#f6f7f9',
  '--db-panel': '#ffffff',
  '--db-raised': '#f1f3f6',
  '--db-line': '#dfe4ea',
  '--db-text': '#1c2430',
  '--db-muted': '#566170',
  '--db-faint': '#616c7a',
  '--db-scroll': '#8a95a3',
  '--db-accent': '#2563eb',
  '--db-accent-soft': '#e8f0ff',
  '--db-selected': '#e0ebff',
  '--db-hover': '#eef2f8',
  '--db-highlight': '#8a5100',
  '--db-ok': '#1a7a4e',
  '--db-warn': '#9a5b00',
  '--db-bad': '#c0322f',
  '--db-syntax-field': '#0b6478',
  '--db-syntax-operator': '#6d28d9',
  '--db-syntax-stage': '#a04508',
  '--db-syntax-string': '#1a7a4e',
  // Kinds: hues of Okabe and Ito, darkened for text on white.
  '--db-kind-flow': '#1f5fd0',
  '--db-kind-packet': '#475569',
  '--db-kind-log': '#8f5a00',
  '--db-kind-dns': '#7436d6',
  '--db-kind-http': '#17704a',
  '--db-kind-tls': '#0b6478',
  '--db-kind-ssh': '#3f5f00',
  '--db-kind-dhcp': '#8a4b08',
  '--db-kind-smtp': '#5b4b9a',
  '--db-kind-ftp': '#7a3b1d',
  '--db-kind-imap': '#6a4fae',
  '--db-kind-pop3': '#7d4f9e',
  '--db-kind-ntlm': '#9a3412',
  '--db-kind-smb': '#33691e',
  '--db-kind-kerberos': '#7b1fa2',
  '--db-kind-ldap': '#00695c',
  '--db-kind-rdp': '#ad1457',
  '--db-kind-sip': '#5d4037',
  '--db-kind-snmp': '#455a64',
  '--db-kind-modbus': '#6d4c00',
  '--db-kind-dnp3': '#4e5b00',
  '--db-kind-dce_rpc': '#1f5673',
  '--db-kind-netflow': '#0d5c63',
  '--db-kind-file': '#a1427a',
  '--db-kind-alert': '#c0322f',
  '--db-kind-other': '#566170',
  // Text of badges: the library's colour is too faint on its tints.
  '--mantine-color-teal-light-color': '#05603f',
  '--mantine-color-orange-light-color': '#8f3503',
  '--mantine-color-red-light-color': '#a82323',
  '--mantine-color-body': '#ffffff',
  '--mantine-color-text': '#1c2430',
  '--mantine-color-dimmed': '#566170',
  '--mantine-color-placeholder': '#616c7a',
  '--mantine-color-error': '#c0322f',
  '--mantine-color-default-border': '#dfe4ea',
};

const DARK = {
  '--db-bg': '#0f1318',
  '--db-panel': '#151a21',
  '--db-raised': '#1a2029',
  '--db-line': '#262e39',
  '--db-text': '#d7dee8',
  '--db-muted': '#93a1b3',
  '--db-faint': '#7d8a9b',
  '--db-scroll': '#5b6777',
  '--db-accent': '#4c8dff',
  '--db-accent-soft': '#17253f',
  '--db-selected': '#18294a',
  '--db-hover': '#1a212b',
  '--db-highlight': '#ffd479',
  '--db-ok': '#3fb27f',
  '--db-warn': '#e2a33b',
  '--db-bad': '#f0716f',
  '--db-syntax-field': '#3fc0d4',
  '--db-syntax-operator': '#b18cf6',
  '--db-syntax-stage': '#e2a33b',
  '--db-syntax-string': '#7fcf9f',
  '--db-kind-flow': '#6ea2ff',
  '--db-kind-packet': '#94a3b8',
  '--db-kind-log': '#e2a33b',
  '--db-kind-dns': '#b18cf6',
  '--db-kind-http': '#3fb27f',
  '--db-kind-tls': '#3fc0d4',
  '--db-kind-ssh': '#b5d46a',
  '--db-kind-dhcp': '#e5a76b',
  '--db-kind-smtp': '#b3a4f0',
  '--db-kind-ftp': '#dd9b7a',
  '--db-kind-imap': '#c0aef5',
  '--db-kind-pop3': '#cdb3ea',
  '--db-kind-ntlm': '#f19a7a',
  '--db-kind-smb': '#9ccc65',
  '--db-kind-kerberos': '#ce93d8',
  '--db-kind-ldap': '#80cbc4',
  '--db-kind-rdp': '#f48fb1',
  '--db-kind-sip': '#d7b8a8',
  '--db-kind-snmp': '#b0bec5',
  '--db-kind-modbus': '#e0c070',
  '--db-kind-dnp3': '#c5d36b',
  '--db-kind-dce_rpc': '#7fb8d6',
  '--db-kind-netflow': '#7cc4c9',
  '--db-kind-file': '#e58fc4',
  '--db-kind-alert': '#f0716f',
  '--db-kind-other': '#93a1b3',
  '--mantine-color-body': '#151a21',
  '--mantine-color-text': '#d7dee8',
  '--mantine-color-dimmed': '#93a1b3',
  '--mantine-color-placeholder': '#7d8a9b',
  '--mantine-color-error': '#f0716f',
  '--mantine-color-default-border': '#262e39',
};

export const cssVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: LIGHT,
  dark: DARK,
});
