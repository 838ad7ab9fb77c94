import type { LucideIcon } from 'lucide-react'
import type { ReactNode } from 'react'
import { NavLink } from 'react-router'
import { cx } from '../ui/cx.ts'

interface EntryProps {
  to: string
  icon: LucideIcon
  end?: boolean
  aside?: ReactNode
  children: string
}

/** A page in the left column. */
export function SidebarEntry({ to, icon: Icon, end = false, aside, children }: EntryProps) {
  return (
    <NavLink
      to={to}
      end={end}
      className={cx(
        'relative flex h-7.5 flex-none items-center gap-2.5 rounded-control px-2.5 text-dense text-ink-2 no-underline hover:bg-hover hover:text-ink phone:h-11',
        'aria-[current=page]:bg-hover aria-[current=page]:font-[550] aria-[current=page]:text-ink',
        'aria-[current=page]:before:absolute aria-[current=page]:before:inset-y-[5px] aria-[current=page]:before:-left-3 aria-[current=page]:before:w-0.5 aria-[current=page]:before:bg-accent aria-[current=page]:before:forced-color-adjust-none',
      )}
    >
      <Icon size={16} strokeWidth={1.6} aria-hidden className="flex-none" />
      {children}
      {aside && <span className="ml-auto text-[.75rem] font-normal text-ink-3">{aside}</span>}
    </NavLink>
  )
}
