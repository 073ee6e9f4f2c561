/** The engine's completions at the cursor, for the editor. */
import {
  autocompletion,
  type Completion,
  type CompletionContext,
  type CompletionResult,
} from '@codemirror/autocomplete';
import type { Extension } from '@codemirror/state';
import type { EditorView } from '@codemirror/view';
import { OperationError } from '../../../engine/contract/wire/client.ts';
import type { Result } from '../../../engine/contract/operations.ts';
import { formatCount, questionOf, tokensOf, type Workspace } from '../../panel-api.ts';
import { visibleText } from '../../widgets/texts/visible-text.ts';

type Offered = Result<'query.complete'>['options'][number];

const SHOWN = 80;
/** In a stage, completions are offered after these before anything is typed. */
const INVITING: ReadonlySet<string> = new Set([
  ...['|', ',', '(', 'by', 'sort', 'values', 'fields', 'dedup', 'spread', 'where', 'then'],
]);

interface QueryCompletion extends Completion {
  readonly count: number | undefined;
}

function isQueryCompletion(completion: Completion): completion is QueryCompletion {
  return 'count' in completion;
}

function completionOf({ label, type, apply, detail, count }: Offered): QueryCompletion {
  return {
    label,
    displayLabel: visibleText(label, SHOWN),
    type,
    count,
    ...(apply === undefined ? {} : { apply }),
    ...(detail === undefined ? {} : { detail: visibleText(detail, SHOWN) }),
  };
}

/** Whether to offer completions here unasked. */
function invites(before: string): boolean {
  if (before.trim() === '') return false;
  if (/\S$/.test(before)) return true;
  // With one letter more, what stands before it is read as it will be.
  const tokens = tokensOf(`${before}x`);
  const [previous, last] = tokens.slice(-2);
  return (
    last?.start === before.length &&
    tokens.some(({ type }) => type === 'pipe') &&
    INVITING.has(before.slice(previous?.start, previous?.end).toLowerCase())
  );
}

async function complete(
  workspace: Workspace,
  context: CompletionContext,
): Promise<CompletionResult | null> {
  const { openCase, zone } = workspace.session.getState();
  const { view } = workspace.views.store.getState();
  const query = context.state.doc.toString();
  if (openCase === undefined) return null;
  if (!context.explicit && !invites(query.slice(0, context.pos))) return null;
  const controller = new AbortController();
  context.addEventListener('abort', () => controller.abort(), { onDocChange: true });
  try {
    const { start, end, options } = await workspace.connection.call(
      'query.complete',
      { ...questionOf({ ...view, query }, openCase, zone), at: context.pos, limit: 60 },
      { signal: controller.signal },
    );
    const written = query.slice(start, end);
    const [first] = options;
    const isDone = options.length === 1 && (first?.apply ?? first?.label) === written;
    if (options.length === 0 || (isDone && !context.explicit)) return null;
    return { from: start, to: end, options: options.map(completionOf), filter: false };
  } catch (error) {
    // If completion fails, that is not reported: it is only a help.
    if (error instanceof OperationError) return null;
    throw error;
  }
}

const element = (className: string, text: string): HTMLElement => {
  const span = document.createElement('span');
  span.className = className;
  span.textContent = text;
  return span;
};

/** Whether completions are shown. While new ones are requested, the old ones stay visible but handle no keys. */
export function areCompletionsShown(view: EditorView): boolean {
  return view.contentDOM.hasAttribute('aria-haspopup');
}

export function queryCompletion(workspace: Workspace): Extension {
  return autocompletion({
    override: [(context) => complete(workspace, context)],
    // Enter runs the query until something has been chosen.
    selectOnOpen: false,
    icons: false,
    maxRenderedOptions: 60,
    activateOnTypingDelay: 80,
    activateOnCompletion: ({ type, apply }) =>
      type === 'field' && typeof apply === 'string' && apply.endsWith(':'),
    optionClass: ({ type }) => `db-${type ?? 'value'}`,
    addToOptions: [
      {
        position: 20,
        render: ({ type }) => element('db-completionType', type ?? ''),
      },
      {
        position: 90,
        render: (completion) =>
          isQueryCompletion(completion) && completion.count !== undefined
            ? element('db-completionCount', formatCount(completion.count))
            : null,
      },
    ],
  });
}
