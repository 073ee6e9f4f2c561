/** The look of the query editor and its tooltips; its styles carry the page's nonce. */
import type { Extension } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { styleNonce } from '../../client/nonce.ts';

const MONO = 'var(--mantine-font-family-monospace)';

const theme = EditorView.theme({
  '&': { color: 'var(--db-text)', fontSize: '12.5px', background: 'transparent' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': {
    fontFamily: MONO,
    lineHeight: '18px',
    maxHeight: '130px',
    overflow: 'auto',
  },
  '.cm-content': { padding: '6px 0', caretColor: 'var(--db-text)' },
  '.cm-line': { padding: '0 4px 0 10px' },
  '.cm-cursor, .cm-dropCursor': { borderLeftColor: 'var(--db-text)' },
  '.cm-placeholder': {
    maxWidth: '100%',
    overflow: 'hidden',
    color: 'var(--db-faint)',
    textOverflow: 'ellipsis',
    whiteSpace: 'pre',
  },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground, .cm-content ::selection':
    { background: 'var(--db-selected)' },
  '&.cm-focused .cm-matchingBracket': {
    background: 'var(--db-accent-soft)',
    outline: '1px solid var(--db-accent)',
  },
  '&.cm-focused .cm-nonmatchingBracket': { background: 'transparent' },
  '.cm-lintRange-error': {
    backgroundImage: 'none',
    textDecoration: 'underline wavy var(--db-bad)',
    textDecorationSkipInk: 'none',
    textUnderlineOffset: '3px',
  },
  '.cm-lintPoint-error:after': { borderBottomColor: 'var(--db-bad)' },
  '.cm-tooltip': {
    zIndex: 400,
    color: 'var(--db-text)',
    background: 'var(--db-panel)',
    border: '1px solid var(--db-line)',
    borderRadius: '5px',
    boxShadow: '0 6px 20px rgba(0, 0, 0, 0.28)',
  },
  '.cm-tooltip.cm-tooltip-autocomplete': { marginTop: '7px' },
  '.cm-tooltip-lint': { maxWidth: '520px', padding: '2px', fontSize: '12px' },
  '.cm-diagnostic': { padding: '5px 9px', whiteSpace: 'pre-wrap' },
  '.cm-diagnostic-error': { borderLeft: '3px solid var(--db-bad)' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul': {
    minWidth: '300px',
    maxWidth: 'min(640px, 90vw)',
    maxHeight: '286px',
    padding: '3px',
    fontFamily: MONO,
    fontSize: '12px',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li': {
    display: 'flex',
    alignItems: 'baseline',
    padding: '2px 8px',
    lineHeight: '20px',
    borderRadius: '3px',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]': {
    color: 'var(--db-text)',
    background: 'var(--db-selected)',
  },
  '.cm-completionMatchedText': { fontWeight: 700, textDecoration: 'none' },
  '.cm-completionLabel': {
    flex: '0 1 auto',
    minWidth: '0',
    overflow: 'hidden',
    textOverflow: 'ellipsis',
  },
  '.cm-completionDetail': {
    flex: '1 1 0',
    minWidth: '40px',
    marginLeft: '12px',
    overflow: 'hidden',
    textOverflow: 'ellipsis',
    color: 'var(--db-muted)',
    fontFamily: 'var(--mantine-font-family)',
    fontSize: '11px',
    fontStyle: 'normal',
  },
  '.db-completionType': {
    flex: '0 0 56px',
    color: 'var(--db-faint)',
    fontFamily: 'var(--mantine-font-family)',
    fontSize: '11px',
  },
  '[aria-selected] .db-completionType, [aria-selected] .cm-completionDetail, [aria-selected] .db-completionCount':
    { color: 'var(--db-text)' },
  '.db-completionCount': {
    flex: '0 0 auto',
    marginLeft: 'auto',
    paddingLeft: '16px',
    color: 'var(--db-muted)',
    fontSize: '11px',
  },
  '.db-field .cm-completionLabel': { color: 'var(--db-syntax-field)' },
  '.db-stage .cm-completionLabel': { color: 'var(--db-syntax-stage)' },
  '.db-operator .cm-completionLabel, .db-keyword .cm-completionLabel': {
    color: 'var(--db-syntax-operator)',
  },
});

/** Created once the page has been loaded, as it contains the nonce. */
export function queryTheme(): Extension {
  return [theme, EditorView.cspNonce.of(styleNonce())];
}
