/** The case's name in the header, with the menu of what can be done with cases. */
import { Badge, Menu, Text, UnstyledButton } from '@mantine/core';
import {
  IconBook2,
  IconChevronDown,
  IconFileExport,
  IconFileImport,
  IconFileText,
  IconFolderOpen,
  IconHistory,
  IconId,
  IconListDetails,
  IconPackageExport,
  IconPlus,
  IconSettings,
  IconShieldCheck,
  IconX,
  IconZoomScan,
  type Icon,
} from '@tabler/icons-react';
import type { ReactNode } from 'react';
import type { OperationName } from '../../../engine/contract/operations.ts';
import {
  refusalOf,
  showEvidence,
  useCase,
  useRefusal,
  useSession,
  useWorkspace,
  type DialogState,
} from '../../panel-api.ts';
import { EventText, visibleText } from '../../widgets/texts/event-text.tsx';
import css from './case-menu.module.css';

const ICON = { size: 15, 'aria-hidden': true } as const;
const MOST_RECENT = 6;

export function CaseMenu() {
  const workspace = useWorkspace();
  const info = useCase();
  const noAudit = useRefusal('case.audit');
  return (
    <Menu position="bottom-start" width={280} onOpen={() => void workspace.refreshInfo()}>
      <Menu.Target>
        <UnstyledButton
          className={css['button']}
          aria-label={`Case ${visibleText(info.name)}${info.readOnly ? ', read-only' : ''}`}
          title={visibleText(info.case)}
        >
          <CaseName />
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        {info.refused !== undefined && (
          <Menu.Label className={css['where'] ?? ''}>
            A copy on {visibleText(info.case, 200)}. Do what is greyed out on the computer that has
            the case.
          </Menu.Label>
        )}
        <DialogItem
          icon={IconFileImport}
          opens="import"
          operation="import.start"
          disabled={info.readOnly}
        >
          Add evidence…
        </DialogItem>
        <DialogItem icon={IconListDetails} opens="match-list">
          Match a list…
        </DialogItem>
        <DialogItem icon={IconZoomScan} opens="payload-search" operation="payload.search">
          Search payloads…
        </DialogItem>
        <DialogItem icon={IconFileExport} opens="export" operation="export.rows">
          Export events…
        </DialogItem>
        <DialogItem icon={IconFileText} opens="report" operation="report.write">
          Write a report…
        </DialogItem>
        <DialogItem icon={IconPackageExport} opens="hand-over" operation="hand-over.run">
          Hand over…
        </DialogItem>
        <DialogItem icon={IconShieldCheck} opens="verify" operation="case.verify">
          Verify the case and its evidence…
        </DialogItem>
        <Menu.Item
          leftSection={<IconHistory {...ICON} />}
          disabled={noAudit !== undefined}
          title={noAudit}
          onClick={() => showEvidence(workspace, { section: 'audit' })}
        >
          Audit log
        </Menu.Item>
        <DialogItem icon={IconId} opens="case-details" operation="case.describe">
          Case details…
        </DialogItem>
        <Menu.Divider />
        <DialogItem icon={IconPlus} opens="new-case">
          New case…
        </DialogItem>
        <DialogItem icon={IconFolderOpen} opens="open-case">
          Open a case…
        </DialogItem>
        <RecentItems />
        <Menu.Divider />
        <DialogItem icon={IconSettings} opens="settings">
          Settings…
        </DialogItem>
        <Menu.Item leftSection={<IconX {...ICON} />} onClick={() => workspace.closeCase()}>
          Close the case
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

function RecentItems() {
  const workspace = useWorkspace();
  const info = useCase();
  const engine = useSession((session) => session.info);
  const recent = (engine?.recent ?? []).filter((one) => one.case !== info.case && one.exists);
  return (
    <>
      {recent.length > 0 && <Menu.Label>Recent</Menu.Label>}
      {recent.slice(0, MOST_RECENT).map((one) => (
        <Menu.Item
          key={one.case}
          leftSection={<IconBook2 {...ICON} />}
          title={visibleText(one.case)}
          onClick={() => void workspace.openCase(one.case)}
        >
          <Text size="sm" truncate>
            <EventText text={one.name} max={200} />
          </Text>
        </Menu.Item>
      ))}
    </>
  );
}

function CaseName() {
  const info = useCase();
  return (
    <>
      <img src="./icon.svg" alt="" className={css['mark']} />
      <span className={css['name']}>
        <EventText text={info.name} max={200} />
      </span>
      {info.readOnly && (
        <Badge
          color="gray"
          title="Its folder is write-protected: the case can be searched, but not changed"
        >
          read-only
        </Badge>
      )}
      {info.refused !== undefined && (
        <Badge color="gray" title={`A copy on ${visibleText(info.case, 200)}`}>
          cluster
        </Badge>
      )}
      <IconChevronDown size={13} aria-hidden />
    </>
  );
}

interface DialogItemProps {
  readonly icon: Icon;
  readonly opens: Exclude<DialogState['dialog'], 'make-field'>;
  /** The operation that the dialog performs: the item is disabled where the case does not permit it. */
  readonly operation?: OperationName;
  readonly disabled?: boolean;
  readonly children: ReactNode;
}

function DialogItem({
  icon: Glyph,
  opens,
  operation,
  disabled = false,
  children,
}: DialogItemProps) {
  const { dialogs } = useWorkspace();
  const info = useCase();
  const reason = operation && refusalOf(info, operation);
  return (
    <Menu.Item
      leftSection={<Glyph {...ICON} />}
      disabled={disabled || reason !== undefined}
      title={reason}
      onClick={() => dialogs.open({ dialog: opens })}
    >
      {children}
    </Menu.Item>
  );
}
