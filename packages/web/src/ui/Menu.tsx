import {
  cloneElement,
  type KeyboardEvent,
  type MouseEvent,
  type ReactElement,
  type RefObject,
  useRef,
  useState,
} from 'react'
import { later } from './later.tsx'
import type { MenuContent } from './MenuPopup.tsx'

// The code of menus is loaded when the pointer or the focus reaches a trigger: no page needs it earlier.
const loadPopup = () => import('./MenuPopup.tsx')
const MenuPopup = later(async () => (await loadPopup()).MenuPopup, {
  isOpen: ({ open }) => open,
  close: ({ onOpenChange }) => onOpenChange(false),
})

interface TriggerProps {
  ref?: RefObject<HTMLButtonElement | null>
  'aria-haspopup'?: 'menu'
  'aria-expanded'?: boolean
  onClick?: (event: MouseEvent) => void
  onKeyDown?: (event: KeyboardEvent) => void
  onPointerEnter?: () => void
  onFocus?: () => void
}

interface MenuProps extends MenuContent {
  /** A button that accepts extra props. */
  trigger: ReactElement<TriggerProps>
}

/** A menu of actions and links, closed by `Esc`; the focus returns to its trigger. */
export function Menu({ trigger, ...popup }: MenuProps) {
  const anchor = useRef<HTMLButtonElement>(null)
  const [open, setOpen] = useState(false)
  const [byKeyboard, setByKeyboard] = useState(false)
  const [wasOpen, setWasOpen] = useState(false)
  const show = (byKey: boolean) => {
    setByKeyboard(byKey)
    setWasOpen(true)
    setOpen(true)
  }
  // A failure here happens again, and is shown, when the menu opens.
  const preload = () => void loadPopup().catch(() => {})
  return (
    <>
      {cloneElement(trigger, {
        ref: anchor,
        'aria-haspopup': 'menu',
        'aria-expanded': open,
        onPointerEnter: preload,
        onFocus: preload,
        // A click by keyboard has no detail.
        onClick: ({ detail }) => show(detail === 0),
        onKeyDown: (event) => {
          if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return
          event.preventDefault()
          show(true)
        },
      })}
      {wasOpen && (
        <MenuPopup {...popup} open={open} onOpenChange={setOpen} anchor={anchor} byKeyboard={byKeyboard} />
      )}
    </>
  )
}
