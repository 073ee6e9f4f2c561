/**
 * The pivot: a menu of actions on a value, available on every value. One menu per place; a table has one for all of
 * its cells (`useValueMenu`), a single value is wrapped (`ValueMenu`).
 */
import { Menu } from '@mantine/core';
import { useWindowEvent } from '@mantine/hooks';
import {
  IconArrowsDiff,
  IconChartBar,
  IconClockHour4,
  IconCopy,
  IconFilter,
  IconFilterMinus,
  IconFilterPlus,
  IconSearch,
  IconTag,
} from '@tabler/icons-react';
import {
  useCallback,
  useMemo,
  useRef,
  useState,
  type KeyboardEvent,
  type MouseEvent,
  type ReactNode,
} from 'react';
import { useWorkspace } from '../state/context.ts';
import { usePivots } from '../state/hooks.ts';
import { fieldTerm } from '../state/query-text.ts';
import { copyText } from './texts/clipboard.ts';
import { visibleText } from './texts/visible-text.ts';
import css from './value-menu.module.css';

export interface ValueTarget {
  /** The field's name in queries; undefined for fields without one, such as a summary. */
  readonly field: string | undefined;
  /** As the engine returned it; null: the event has none. */
  readonly value: string | number | null;
  /** Of the event, in UTC microseconds. */
  readonly ts?: number | undefined;
  /** The event's `event_id`. */
  readonly event?: string | undefined;
  /** A term that finds the event's five-tuple; see `flowTerm`. */
  readonly fiveTuple?: string | undefined;
  /** Actions for this value only; first in the menu. */
  readonly actions?: readonly ValueAction[] | undefined;
}

export interface ValueAction {
  readonly label: string;
  readonly icon?: ReactNode;
  run(): void;
}

/** The position of a menu, in pixels of the window. */
export interface MenuPlace {
  readonly x: number;
  readonly y: number;
}

interface ValueMenuControl {
  open(target: ValueTarget, place: MenuPlace): void;
  close(): void;
  /** Must be rendered once, anywhere in the component that uses the menu. */
  readonly menu: ReactNode;
  /** Whether it is open now. */
  readonly opened: boolean;
}

const AROUND_MINUTES = [1, 5, 15, 60] as const;
/** Longer values cannot be written into a query. */
const LONGEST_TERM = 1900;
const SHOWN_VALUE = 48;
const ICON = { size: 15, 'aria-hidden': true } as const;

/** `flow:10.1.2.3:4444-10.9.9.9:443/tcp`; undefined when an event has no two addresses. */
export function flowTerm(event: {
  readonly src_ip: string | number | null;
  readonly src_port: string | number | null;
  readonly dst_ip: string | number | null;
  readonly dst_port: string | number | null;
  readonly proto: string | number | null;
}): string | undefined {
  if (event.src_ip === null || event.dst_ip === null) return undefined;
  const end = (ip: string | number, port: string | number | null): string => {
    const address = String(ip);
    const host = address.includes(':') ? `[${address}]` : address;
    return port === null ? host : `${host}:${port}`;
  };
  const proto = event.proto === null ? '' : `/${event.proto}`;
  return `flow:${end(event.src_ip, event.src_port)}-${end(event.dst_ip, event.dst_port)}${proto}`;
}

/** One menu for all values of a table: opened by its handlers for the value that was pointed at. */
export function useValueMenu(): ValueMenuControl {
  const [state, setState] = useState<{ target: ValueTarget; place: MenuPlace } | undefined>();
  const before = useRef<Element | null>(null);
  const open = useCallback((target: ValueTarget, place: MenuPlace) => {
    before.current = document.activeElement;
    setState({ target, place });
  }, []);
  const close = useCallback(() => {
    setState(undefined);
    const element = before.current;
    before.current = null;
    // The element that had the focus; a dialog that an item opens takes the focus after this.
    if (element instanceof HTMLElement && element.isConnected) {
      element.focus({ preventScroll: true });
    }
  }, []);
  return useMemo(
    () => ({
      open,
      close,
      opened: state !== undefined,
      menu: state === undefined ? null : <MenuAt {...state} onClose={close} />,
    }),
    [open, close, state],
  );
}

interface ValueMenuProps extends ValueTarget {
  readonly children: ReactNode;
}

/** A value that opens its menu by click, right click, Enter, Space or the context-menu key. */
export function ValueMenu({ children, ...target }: ValueMenuProps) {
  const { open, menu, opened } = useValueMenu();
  const onClick = (event: MouseEvent<HTMLElement>): void => {
    // The user is selecting text.
    if (window.getSelection()?.isCollapsed === false) return;
    event.stopPropagation();
    open(target, { x: event.clientX, y: event.clientY });
  };
  const onContextMenu = (event: MouseEvent<HTMLElement>): void => {
    event.preventDefault();
    event.stopPropagation();
    open(target, placeOf(event));
  };
  const onKeyDown = (event: KeyboardEvent<HTMLElement>): void => {
    if (event.key !== 'Enter' && event.key !== ' ') return;
    event.preventDefault();
    event.stopPropagation();
    open(target, placeBelow(event.currentTarget));
  };
  return (
    <>
      <span
        className={css['value']}
        role="button"
        tabIndex={0}
        aria-haspopup="menu"
        aria-expanded={opened}
        onClick={onClick}
        onContextMenu={onContextMenu}
        onKeyDown={onKeyDown}
      >
        {children}
      </span>
      {menu}
    </>
  );
}

/** The position for a context menu; the context-menu key reports no useful one. */
export function placeOf(event: MouseEvent<HTMLElement>): MenuPlace {
  if (event.clientX !== 0 || event.clientY !== 0) return { x: event.clientX, y: event.clientY };
  return placeBelow(event.currentTarget);
}

export function placeBelow(element: Element): MenuPlace {
  const box = element.getBoundingClientRect();
  return { x: box.left + Math.min(box.width / 2, 24), y: box.bottom };
}

function MenuAt({
  target,
  place,
  onClose,
}: {
  readonly target: ValueTarget;
  readonly place: MenuPlace;
  readonly onClose: () => void;
}) {
  // The focus moves into the menu a moment after it is there; Escape closes it from the beginning.
  useWindowEvent('keydown', ({ key }) => {
    if (key === 'Escape') onClose();
  });
  return (
    <Menu
      opened
      onClose={onClose}
      position="bottom-start"
      offset={2}
      returnFocus={false}
      // Key events are left out: the one that opened the menu would close it on its way to the document.
      clickOutsideEvents={['mousedown', 'touchstart']}
      transitionProps={{ duration: 0 }}
      width={270}
    >
      <Menu.Target>
        <span className={css['place']} style={{ left: place.x, top: place.y }} />
      </Menu.Target>
      <Menu.Dropdown className={css['dropdown']} onContextMenu={(event) => event.preventDefault()}>
        <Items {...target} />
      </Menu.Dropdown>
    </Menu>
  );
}

function Items({ field, value, ts, event, fiveTuple, actions = [] }: ValueTarget) {
  const pivots = usePivots();
  const { dialogs } = useWorkspace();
  const shown = value === null ? 'no value' : visibleText(String(value), SHOWN_VALUE);
  const term =
    field === undefined || (value !== null && String(value).length > LONGEST_TERM)
      ? undefined
      : fieldTerm(field, value);
  // For a time, the menu offers the events around it; as a term it would only find the same instant again.
  const filters = term !== undefined && field !== undefined && field !== 'ts';
  const dated = ts !== undefined && !Number.isNaN(ts);
  return (
    <>
      <Menu.Label className={css['heading']}>
        {field !== undefined && <b>{visibleText(field, 60)}</b>}{' '}
        <bdo dir="ltr" className="evidence mono">
          {shown}
        </bdo>
      </Menu.Label>
      {actions.map(({ label, icon, run }) => (
        <Menu.Item key={label} leftSection={icon} onClick={run}>
          {label}
        </Menu.Item>
      ))}
      {actions.length > 0 && <Menu.Divider />}
      {filters && <FilterItems field={field} value={value} />}
      {fiveTuple !== undefined && (
        <Menu.Item
          leftSection={<IconArrowsDiff {...ICON} />}
          onClick={() => pivots.filter(fiveTuple, 'events')}
        >
          This five-tuple
        </Menu.Item>
      )}
      {dated && (
        <>
          {(filters || fiveTuple !== undefined) && <Menu.Divider />}
          {AROUND_MINUTES.map((minutes) => (
            <Menu.Item
              key={minutes}
              leftSection={<IconClockHour4 {...ICON} />}
              onClick={() => pivots.around(ts, minutes)}
            >
              {minutes === 60 ? '± 1 hour around' : `± ${minutes} min around`}
            </Menu.Item>
          ))}
        </>
      )}
      {(filters || fiveTuple !== undefined || dated) && <Menu.Divider />}
      {value !== null && (
        <Menu.Item
          leftSection={<IconCopy {...ICON} />}
          onClick={() => copyText(String(value), 'The value is in the clipboard')}
        >
          Copy value
        </Menu.Item>
      )}
      {term !== undefined && filters && (
        <Menu.Item
          leftSection={<IconSearch {...ICON} />}
          onClick={() => copyText(term, 'The query term is in the clipboard')}
        >
          Copy as query term
        </Menu.Item>
      )}
      {event !== undefined && (
        <>
          <Menu.Divider />
          <Menu.Item
            leftSection={<IconTag {...ICON} />}
            onClick={() => dialogs.open({ dialog: 'tag', events: [event] })}
          >
            Tag event…
          </Menu.Item>
        </>
      )}
    </>
  );
}

/** Items that narrow the view by the value. */
function FilterItems({
  field,
  value,
}: {
  readonly field: string;
  readonly value: ValueTarget['value'];
}) {
  const pivots = usePivots();
  const name = visibleText(field, 40);
  return (
    <>
      <Menu.Item
        leftSection={<IconFilterPlus {...ICON} />}
        onClick={() => pivots.include(field, value)}
      >
        {value === null ? `Without ${name}` : 'Include'}
      </Menu.Item>
      <Menu.Item
        leftSection={<IconFilterMinus {...ICON} />}
        onClick={() => pivots.exclude(field, value)}
      >
        {value === null ? `With ${name}` : 'Exclude'}
      </Menu.Item>
      <Menu.Item leftSection={<IconFilter {...ICON} />} onClick={() => pivots.only(field, value)}>
        {value === null ? `Only those without ${name}` : 'Only this'}
      </Menu.Item>
      <Menu.Item leftSection={<IconChartBar {...ICON} />} onClick={() => pivots.topValues(field)}>
        Top values of {name}
      </Menu.Item>
    </>
  );
}
