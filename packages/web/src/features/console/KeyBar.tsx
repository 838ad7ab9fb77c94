import { ArrowDown, ArrowLeft, ArrowRight, ArrowUp } from 'lucide-react'
import type { PointerEvent, ReactNode } from 'react'
import { cx } from '../../ui/cx.ts'
import type { TerminalKey } from './keys.ts'
import type { Terminal } from './use-terminal.ts'

const icon = { size: 16, strokeWidth: 1.6, 'aria-hidden': true } as const
const arrows: readonly { key: TerminalKey; label: string; sign: ReactNode }[] = [
  { key: 'Left', label: 'Arrow left', sign: <ArrowLeft {...icon} /> },
  { key: 'Up', label: 'Arrow up', sign: <ArrowUp {...icon} /> },
  { key: 'Down', label: 'Arrow down', sign: <ArrowDown {...icon} /> },
  { key: 'Right', label: 'Arrow right', sign: <ArrowRight {...icon} /> },
]

/** The keys that on-screen keyboards lack; the keyboard stays up while they are pressed. */
export function KeyBar({ terminal }: { terminal: Terminal }) {
  const keepFocus = (event: PointerEvent) => event.preventDefault()
  const keyClass =
    'grid h-11 min-w-0 flex-1 place-items-center text-hint font-medium not-first:border-l not-first:border-line focus-visible:-outline-offset-2'
  return (
    <div
      role="toolbar"
      aria-label="Keys"
      onPointerDown={keepFocus}
      className="hidden flex-none border-t border-line bg-raised pointer-coarse:flex"
    >
      {(['Esc', 'Tab'] as const).map((key) => (
        <button key={key} type="button" className={keyClass} onClick={() => terminal.press(key)}>
          {key}
        </button>
      ))}
      <button
        type="button"
        aria-pressed={terminal.ctrl}
        className={cx(keyClass, terminal.ctrl && 'bg-accent-fill text-on-accent')}
        onClick={() => terminal.setCtrl(!terminal.ctrl)}
      >
        Ctrl
      </button>
      {arrows.map(({ key, label, sign }) => (
        <button
          key={key}
          type="button"
          aria-label={label}
          className={keyClass}
          onClick={() => terminal.press(key)}
        >
          {sign}
        </button>
      ))}
    </div>
  )
}
