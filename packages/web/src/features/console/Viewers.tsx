import { useEffect, useRef } from 'react'
import { announce } from '../../shell/announce.ts'
import { cx } from '../../ui/cx.ts'
import { initialsOf } from '../../ui/initials.ts'
import { Tip } from '../../ui/Tip.tsx'
import type { Viewer } from './link-view.ts'

const shownViewers = 3
const nameOf = ({ name, you }: Viewer) => (you ? `${name} (you)` : name)

/** Everyone who watches this console, once there is more than one window. */
export function Viewers({ viewers }: { viewers: readonly Viewer[] }) {
  useAnnouncedViewers(viewers)
  if (viewers.length < 2) return null
  const more = viewers.slice(shownViewers)
  return (
    <ul aria-label="Watching" className="flex min-w-0 items-center gap-x-2.5 text-ink-2">
      {viewers.slice(0, shownViewers).map((viewer, index) => (
        <li
          // biome-ignore lint/suspicious/noArrayIndexKey: a person may be here twice.
          key={index}
          className="flex min-w-0 items-center gap-1.5"
        >
          <Tip text={nameOf(viewer)}>
            <span
              aria-hidden
              className={cx(
                'grid size-[22px] flex-none place-items-center rounded-full border text-chart font-medium',
                viewer.you ? 'border-accent text-ink' : 'border-line-control',
              )}
            >
              {initialsOf(viewer.name)}
            </span>
          </Tip>
          <span className="hidden max-w-40 truncate @3xl:inline" dir="auto">
            {nameOf(viewer)}
          </span>
          <span className="sr-only @3xl:hidden">{nameOf(viewer)}</span>
        </li>
      ))}
      {more.length > 0 && (
        <li className="whitespace-nowrap">
          <Tip text={more.map(nameOf).join(', ')}>
            <span>{more.length} more</span>
          </Tip>
        </li>
      )}
    </ul>
  )
}

function useAnnouncedViewers(viewers: readonly Viewer[]): void {
  const before = useRef(viewers)
  useEffect(() => {
    const old = before.current
    before.current = viewers
    // Joining, and a break of the own connection, are announced elsewhere.
    if (old.length === 0 || viewers.length === 0) return
    const others = ({ you }: Viewer) => !you
    const names = (list: readonly Viewer[]) => list.filter(others).map(({ name }) => name)
    const [then, now] = [names(old), names(viewers)]
    const come = now.find((name) => !then.includes(name))
    const gone = then.find((name) => !now.includes(name))
    if (come) announce(`${come} is watching this console`)
    else if (gone) announce(`${gone} left this console`)
  }, [viewers])
}
