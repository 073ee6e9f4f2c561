/** Syntax highlighting of the query language in an editor. Only visible text is decorated. */
import { RangeSetBuilder, type Extension } from '@codemirror/state';
import {
  Decoration,
  ViewPlugin,
  type DecorationSet,
  type EditorView,
  type ViewUpdate,
} from '@codemirror/view';
import { tokensOf, type Token, type TokenType } from '../../../engine/query/syntax/index.ts';
import { classOfToken } from './query-classes.ts';

const marks = new Map<TokenType, Decoration | undefined>();

function markOf(type: TokenType): Decoration | undefined {
  if (!marks.has(type)) {
    const className = classOfToken(type);
    marks.set(type, className === undefined ? undefined : Decoration.mark({ class: className }));
  }
  return marks.get(type);
}

class Highlighter {
  decorations: DecorationSet;
  private tokens: readonly Token[];

  constructor(view: EditorView) {
    this.tokens = tokensOf(view.state.doc.toString());
    this.decorations = this.visible(view);
  }

  update({ docChanged, viewportChanged, view }: ViewUpdate): void {
    if (docChanged) this.tokens = tokensOf(view.state.doc.toString());
    if (docChanged || viewportChanged) this.decorations = this.visible(view);
  }

  private visible({ viewport }: EditorView): DecorationSet {
    const builder = new RangeSetBuilder<Decoration>();
    for (const { type, start, end } of this.tokens) {
      if (end < viewport.from || start > viewport.to) continue;
      const mark = markOf(type);
      if (mark !== undefined) builder.add(start, end, mark);
    }
    return builder.finish();
  }
}

export const queryHighlight: Extension = ViewPlugin.fromClass(Highlighter, {
  decorations: (plugin) => plugin.decorations,
});
