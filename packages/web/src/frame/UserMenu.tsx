import type { Host, User } from '@slipway/contract'
import { ChevronsUpDown, CircleUserRound, LogOut } from 'lucide-react'
import { useState } from 'react'
import { Link, useNavigate } from 'react-router'
import { useHost } from '../api/host.ts'
import { paths } from '../paths.ts'
import { leave } from '../shell/leave.ts'
import { objectIcons } from '../shell/object-icons.ts'
import { Arc } from '../ui/Arc.tsx'
import { initialsOf } from '../ui/initials.ts'
import { Menu } from '../ui/Menu.tsx'
import { setTheme, type Theme, useTheme } from '../ui/theme.ts'

const icon = { size: 16, strokeWidth: 1.6, 'aria-hidden': true } as const
const engineNames: Record<Host['engine'], string> = {
  qemu: 'QEMU',
  kubevirt: 'KubeVirt',
  simulated: 'Simulated',
}

/** The engine that runs the guests: `QEMU with KVM`. */
export function engineText({ engine, accelerator }: Host): string {
  return accelerator ? `${engineNames[engine]} with ${accelerator}` : engineNames[engine]
}

/** The menu of the user: account, appearance, sign-out. `compact` shows only the initials. */
export function UserMenu({ user, compact = false }: { user: User; compact?: boolean }) {
  const navigate = useNavigate()
  const theme = useTheme()
  const host = useHost()
  const initials = initialsOf(user.name)
  // Without a network this takes until the call times out.
  const [leaving, setLeaving] = useState(false)
  const onSignOut = async () => {
    setLeaving(true)
    await leave(navigate)
  }
  const avatar = (
    <span className="grid size-[26px] flex-none place-items-center rounded-full border border-line-control bg-sheet text-chart font-medium tracking-[.02em]">
      {leaving ? <Arc size={14} /> : initials}
    </span>
  )
  return (
    <Menu
      label="Account"
      side={compact ? 'bottom' : 'top'}
      align={compact ? 'end' : 'start'}
      items={[
        { note: user.name, detail: user.email },
        'separator',
        {
          label: 'Your account',
          icon: <CircleUserRound {...icon} />,
          render: <Link to={paths.account} />,
        },
        {
          label: 'Manage SSH Keys',
          icon: <objectIcons.ssh_key {...icon} />,
          render: <Link to={paths.sshKeys} />,
        },
        {
          label: 'Your activity',
          icon: <objectIcons.activity {...icon} />,
          render: <Link to={paths.accountActivity} />,
        },
        'separator',
        {
          choice: 'Appearance',
          value: theme,
          options: [
            { value: 'system', label: 'System' },
            { value: 'light', label: 'Light' },
            { value: 'dark', label: 'Dark' },
          ],
          onValueChange: (value) => setTheme(value as Theme),
        },
        'separator',
        ...(host ? [{ note: engineText(host), detail: host.accelerator_reason }, 'separator' as const] : []),
        { label: 'Sign Out', icon: <LogOut {...icon} />, onSelect: () => void onSignOut() },
      ]}
      trigger={
        compact ? (
          <button
            type="button"
            aria-label={leaving ? 'Signing out...' : `${initials}, account menu`}
            className="grid size-11 flex-none place-items-center rounded-control hover:bg-hover"
          >
            {avatar}
          </button>
        ) : (
          <button
            type="button"
            className="flex w-full items-center gap-2.5 px-5 pt-3 pb-2.5 text-left text-dense font-medium -outline-offset-2 hover:bg-hover"
          >
            {avatar}
            <span className="min-w-0 flex-1 truncate">{leaving ? 'Signing out...' : user.name}</span>
            <ChevronsUpDown size={14} strokeWidth={1.6} aria-hidden className="flex-none text-ink-2" />
          </button>
        )
      }
    />
  )
}
