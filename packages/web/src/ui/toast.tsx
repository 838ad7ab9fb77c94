import { CircleCheck, Info, OctagonAlert, TriangleAlert, X } from 'lucide-react'
import { useEffect, useLayoutEffect, useRef, useState, useSyncExternalStore } from 'react'
import { createPortal } from 'react-dom'
import { Button } from './Button.tsx'
import { cx } from './cx.ts'
import { addToast, dismissToast, type Toast, type ToastOptions, toastList } from './toast-list.ts'
import { clearOf } from './toast-place.ts'

const show = (kind: Toast['kind']) => (text: string, options?: ToastOptions) => addToast(kind, text, options)

/** Messages about what just happened. Not for what the page itself already shows. */
export const toast = {
  success: show('success'),
  error: show('error'),
  warning: show('warning'),
  info: show('info'),
}

/** Whether an event came from the toasts, which lie outside of every dialog but are not "outside". */
export function isInToaster(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest('[data-toaster]') !== null
}

const icons = { success: CircleCheck, error: OctagonAlert, warning: TriangleAlert, info: Info }
const iconTones = {
  success: 'text-ok-mark',
  error: 'text-bad-mark',
  warning: 'text-busy-mark',
  info: 'text-ink-3',
}

/** The stack at the top right, over any scrim; one per application. */
export function Toaster() {
  const list = useSyncExternalStore(toastList.subscribe, toastList.get)
  const stack = useRef<HTMLElement>(null)
  useLayoutEffect(() => {
    if (stack.current && list.length > 0) placeBelowActions(stack.current)
  }, [list])
  return createPortal(
    // Each message is a live region. Around them there is none, or readers would say them twice; the attribute still
    // keeps the stack within reach while a modal dialog hides the rest of the page.
    <section
      ref={stack}
      data-toaster
      aria-label="Notifications"
      aria-live="off"
      className="pointer-events-none fixed inset-x-3 top-15 z-50 flex flex-col gap-2 md:top-4 md:right-4 md:left-auto md:w-95"
    >
      {list.map((toast) => (
        <ToastSheet key={toast.id} toast={toast} />
      ))}
    </section>,
    document.body,
  )
}

/** Moves the stack below the page's actions where it would cover them. */
function placeBelowActions(stack: HTMLElement) {
  stack.style.top = ''
  const actions = document.querySelector('main [data-page-actions]')?.getBoundingClientRect()
  if (actions) stack.style.top = clearOf(stack.getBoundingClientRect(), actions)
}

/** One message; exported for its test. */
export function ToastSheet({ toast: { id, kind, text, detail, action, clock } }: { toast: Toast }) {
  const [hovered, setHovered] = useState(false)
  const [focused, setFocused] = useState(false)
  useEffect(() => {
    if (hovered || focused) clock.pause()
    else clock.resume()
  }, [hovered, focused, clock])
  const Icon = icons[kind]
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: reading it stops its clock; there is nothing to operate.
    <div
      role={kind === 'error' || kind === 'warning' ? 'alert' : 'status'}
      // A pointer that was already there when the toast appeared must not keep it open.
      onPointerMove={({ movementX, movementY }) => (movementX || movementY) && setHovered(true)}
      onPointerLeave={() => setHovered(false)}
      onFocus={() => setFocused(true)}
      onBlur={() => setFocused(false)}
      className="pointer-events-auto flex items-start gap-2.5 rounded-sheet border border-line bg-raised py-[11px] pr-3 pl-3.5 text-dense text-ink shadow-lift motion-safe:animate-appear"
    >
      <Icon size={16} strokeWidth={1.6} aria-hidden className={cx('mt-0.5 flex-none', iconTones[kind])} />
      <div className="min-w-0 flex-1 wrap-anywhere">
        <p>{text}</p>
        {detail && <p className="text-hint text-ink-2">{detail}</p>}
      </div>
      {action && (
        <Button
          size="sm"
          className="phone:h-10"
          aria-label={action.name}
          onClick={() => {
            dismissToast(id)
            action.run()
          }}
        >
          {action.label}
        </Button>
      )}
      <button
        type="button"
        aria-label="Dismiss"
        onClick={() => dismissToast(id)}
        className="-my-0.5 -mr-1.5 grid size-6 flex-none place-items-center rounded-check text-ink-3 hover:bg-hover hover:text-ink phone:-my-2 phone:size-9"
      >
        <X size={14} strokeWidth={1.6} aria-hidden />
      </button>
    </div>
  )
}
