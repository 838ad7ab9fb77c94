import type { Vm } from '@slipway/contract'
import {
  LayoutDashboard,
  LogOut,
  type LucideIcon,
  Monitor,
  Moon,
  Plus,
  Sun,
  Trash,
  Webhook,
  Wrench,
} from 'lucide-react'
import { type NavigateFunction, useNavigate } from 'react-router'
import { useSelectedProject } from '../../api/projects.ts'
import { paths } from '../../paths.ts'
import { leave } from '../../shell/leave.ts'
import { objectIcons } from '../../shell/object-icons.ts'
import { setTheme, useTheme } from '../../ui/theme.ts'
import type { VmActionItem, VmActions } from '../vm/vm-actions.tsx'
import type { PaletteGroup, PaletteItem } from './palette-items.ts'

const icon = { size: 16, strokeWidth: 1.6, 'aria-hidden': true } as const

/** Pages, what can be created, and the rest of what one can do everywhere. */
export function useCommands(): PaletteGroup[] {
  const navigate = useNavigate()
  const { project } = useSelectedProject()
  const theme = useTheme()
  const to = (path: string) => () => void navigate(path)
  const goTo = (label: string, path: string, Icon: LucideIcon, words = ''): PaletteItem => ({
    key: `to ${label}`,
    label,
    words: `go open ${words}`,
    icon: <Icon {...icon} />,
    run: to(path),
  })
  const create = (label: string, path: string, words = ''): PaletteItem => ({
    key: label,
    label,
    words: `new add ${words}`,
    icon: <Plus {...icon} />,
    run: to(path),
  })
  const show = (label: string, mode: typeof theme, sign: PaletteItem['icon']): PaletteItem => ({
    key: `theme ${mode}`,
    label,
    words: 'theme appearance mode colours colors',
    icon: sign,
    run: () => setTheme(mode),
  })
  return [
    {
      label: 'Go to',
      items: [
        goTo('Dashboard', paths.home, LayoutDashboard, 'home'),
        ...(project
          ? [
              goTo('VMs', paths.vms(project.id), objectIcons.vm, 'virtual machines'),
              goTo('VM Pools', paths.vmPools(project.id), objectIcons.vm_pool),
              goTo('VM Sets', paths.vmSets(project.id), objectIcons.vm_set),
              goTo('Network', paths.network(project.id), objectIcons.network, 'addresses names internet'),
              goTo('Disks', paths.disks(project.id), objectIcons.disk, 'storage'),
              goTo('Snapshots', paths.snapshots(project.id), objectIcons.vm_snapshot, 'backups'),
              goTo('Disk Snapshots', paths.diskSnapshots(project.id), objectIcons.disk_snapshot),
              goTo('Bin', paths.bin(project.id), Trash, 'deleted restore undo trash recycle'),
              goTo('Activity', paths.activity(project.id), objectIcons.activity, 'log events history audit'),
              goTo('Webhooks', paths.webhooks(project.id), Webhook, 'notifications http events'),
            ]
          : []),
        goTo('Projects', paths.projects, objectIcons.project, 'manage'),
        goTo('Templates', paths.templates, objectIcons.template, 'images'),
        goTo('SSH Keys', paths.sshKeys, objectIcons.ssh_key, 'manage'),
        goTo('Your account', paths.account, objectIcons.api_token, 'password sessions API tokens'),
        goTo('Your activity', paths.accountActivity, objectIcons.activity, 'account sign-ins'),
        goTo('API reference', paths.apiReference, objectIcons.api_token, 'HTTP REST OpenAPI curl calls docs'),
        goTo('Admin', paths.adminTemplates, Wrench, 'create template export activity'),
      ],
    },
    {
      label: 'Create',
      items: [
        ...(project
          ? [
              create('Create VM', paths.vmCreate(project.id), 'virtual machine'),
              create('Create VM Pool', paths.vmPoolCreate(project.id)),
              create('Create VM Set', paths.vmSetCreate(project.id)),
              create('Create Disk', paths.diskCreate(project.id), 'storage'),
              create('Create Snapshot', paths.snapshotCreate(project.id), 'backup'),
              create('Create Disk Snapshot', paths.diskSnapshotCreate(project.id), 'backup'),
            ]
          : [create('Create Project', paths.onboarding)]),
        create('Add SSH Key', paths.sshKeys, 'public'),
      ],
    },
    {
      label: 'Console',
      items: [
        ...(theme === 'light' ? [] : [show('Light appearance', 'light', <Sun {...icon} />)]),
        ...(theme === 'dark' ? [] : [show('Dark appearance', 'dark', <Moon {...icon} />)]),
        ...(theme === 'system' ? [] : [show('System appearance', 'system', <Monitor {...icon} />)]),
        {
          key: 'sign out',
          label: 'Sign Out',
          words: 'log leave',
          icon: <LogOut {...icon} />,
          run: () => void leave(navigate),
        },
      ],
    },
  ]
}

/** What one can do with the VM one looks at. */
export function vmCommands(vm: Vm, actions: VmActions, navigate: NavigateFunction): PaletteGroup {
  const { power, restart, console, ssh, forceStop } = actions
  return {
    label: `VM ${vm.name}`,
    // What stands first is chosen by Enter alone: nothing that does harm.
    items: [console, ssh, power, restart, forceStop, actions.delete].map(
      ({ label, icon: sign, disabledReason, run, to }: VmActionItem) => ({
        key: `vm ${label}`,
        label,
        detail: disabledReason,
        words: `${vm.name} vm`,
        icon: sign,
        disabledReason,
        run: to ? () => void navigate(to) : run,
      }),
    ),
  }
}
