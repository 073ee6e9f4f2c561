/** The case's name in the header, and what can be done with cases. */
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
} from '@tabler/icons-react';
import type { OperationName } from '../../../engine/contract/operations.ts';
import { refusalOf, showEvidence, useCase, useSession, useWorkspace } from '../../panel-api.ts';
import { EventText, visibleText } from '../../widgets/event-text.tsx';
import css from './case-menu.module.css';

const ICON = { size: 15, 'aria-hidden': true } as const;
const MOST_RECENT = 6;

export function CaseMenu() {
  const workspace = useWorkspace();
  const { dialogs } = workspace;
  const info = useCase();
  const engine = useSession((session) => session.info);
  const recent = (engine?.recent ?? []).filter((one) => one.case !== info.case && one.exists);
  /** Of an item that opens what ends with an operation. */
  const greyed = (operation: OperationName, isDisabled = false) => {
    const reason = refusalOf(info, operation);
    return { disabled: isDisabled || reason !== undefined, title: reason };
  };
  return (
    <Menu position="bottom-start" width={280} onOpen={() => void workspace.refreshInfo()}>
      <Menu.Target>
        <UnstyledButton
          className={css['button']}
          aria-label={`Case ${visibleText(info.name)}${info.readOnly ? ', read-only' : ''}`}
          title={visibleText(info.case)}
        >
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
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        {info.refused !== undefined && (
          <Menu.Label className={css['where'] ?? ''}>
            A copy on {visibleText(info.case, 200)}. What is grey is done on the computer that has
            the case.
          </Menu.Label>
        )}
        <Menu.Item
          leftSection={<IconFileImport {...ICON} />}
          {...greyed('import.start', info.readOnly)}
          onClick={() => dialogs.open({ dialog: 'import' })}
        >
          Add evidence…
        </Menu.Item>
        <Menu.Item
          leftSection={<IconListDetails {...ICON} />}
          onClick={() => dialogs.open({ dialog: 'match-list' })}
        >
          Match a list…
        </Menu.Item>
        <Menu.Item
          leftSection={<IconZoomScan {...ICON} />}
          {...greyed('payload.search')}
          onClick={() => dialogs.open({ dialog: 'payload-search' })}
        >
          Search payloads…
        </Menu.Item>
        <Menu.Item
          leftSection={<IconFileExport {...ICON} />}
          {...greyed('export.rows')}
          onClick={() => dialogs.open({ dialog: 'export' })}
        >
          Export events…
        </Menu.Item>
        <Menu.Item
          leftSection={<IconFileText {...ICON} />}
          {...greyed('report.write')}
          onClick={() => dialogs.open({ dialog: 'report' })}
        >
          Write a report…
        </Menu.Item>
        <Menu.Item
          leftSection={<IconPackageExport {...ICON} />}
          {...greyed('hand-over.run')}
          onClick={() => dialogs.open({ dialog: 'hand-over' })}
        >
          Hand over…
        </Menu.Item>
        <Menu.Item
          leftSection={<IconShieldCheck {...ICON} />}
          {...greyed('case.verify')}
          onClick={() => dialogs.open({ dialog: 'verify' })}
        >
          Verify the case and its evidence…
        </Menu.Item>
        <Menu.Item
          leftSection={<IconHistory {...ICON} />}
          {...greyed('case.audit')}
          onClick={() => showEvidence(workspace, { section: 'audit' })}
        >
          Audit log
        </Menu.Item>
        <Menu.Item
          leftSection={<IconId {...ICON} />}
          {...greyed('case.describe')}
          onClick={() => dialogs.open({ dialog: 'case-details' })}
        >
          Case details…
        </Menu.Item>
        <Menu.Divider />
        <Menu.Item
          leftSection={<IconPlus {...ICON} />}
          onClick={() => dialogs.open({ dialog: 'new-case' })}
        >
          New case…
        </Menu.Item>
        <Menu.Item
          leftSection={<IconFolderOpen {...ICON} />}
          onClick={() => dialogs.open({ dialog: 'open-case' })}
        >
          Open a case…
        </Menu.Item>
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
        <Menu.Divider />
        <Menu.Item
          leftSection={<IconSettings {...ICON} />}
          onClick={() => dialogs.open({ dialog: 'settings' })}
        >
          Settings…
        </Menu.Item>
        <Menu.Item leftSection={<IconX {...ICON} />} onClick={() => workspace.closeCase()}>
          Close the case
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
