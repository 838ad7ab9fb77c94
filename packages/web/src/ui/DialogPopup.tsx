import { AlertDialog as Alert } from '@base-ui/react/alert-dialog'
import { Dialog as Base } from '@base-ui/react/dialog'
import { type ReactNode, useRef } from 'react'
import { Banner } from './Banner.tsx'
import { Button } from './Button.tsx'
import { cx } from './cx.ts'
import { returnFocus } from './return-focus.ts'
import { isInToaster } from './toast.tsx'

const scrim =
  'fixed inset-0 z-30 bg-scrim transition-opacity duration-160 data-[ending-style]:opacity-0 data-[starting-style]:opacity-0'
// A long dialog scrolls between its title and its foot; on a screen too low for both it scrolls as a whole.
const viewport =
  'fixed inset-0 z-30 grid place-items-center overflow-y-auto p-4 [@media(min-height:480px)]:grid-rows-[minmax(0,1fr)]'
const popup = cx(
  'flex max-h-full w-full flex-col rounded-dialog border border-line bg-raised shadow-lift outline-none',
  'transition-[opacity,translate] duration-160 ease-out',
  'data-[ending-style]:opacity-0 data-[starting-style]:translate-y-1 data-[starting-style]:opacity-0',
)
const footClass =
  'flex flex-none flex-wrap justify-end gap-2 border-t border-line px-5 py-3 phone:[&_button]:h-[42px] phone:[&_button]:flex-1'

export interface DialogProps {
  open: boolean
  onOpenChange: (open: boolean) => void
  title: string
  description?: ReactNode
  children?: ReactNode
  /** Buttons, the primary one last. */
  footer?: ReactNode
  /** 460 px, or 640 for lists and forms with two columns. */
  size?: 'md' | 'lg'
}

export function DialogPopup({
  open,
  onOpenChange,
  title,
  description,
  children,
  footer,
  size = 'md',
}: DialogProps) {
  const opener = useRef<Element>(null)
  return (
    <Base.Root
      open={open}
      onOpenChange={(next, details) => {
        // A click on a toast lies outside of the dialog, but means the toast.
        if (!next && isInToaster(details.event.target)) return
        onOpenChange(next)
      }}
    >
      <Base.Portal>
        <Base.Backdrop className={scrim} />
        <Base.Viewport className={viewport}>
          <Base.Popup
            className={cx(popup, size === 'lg' ? 'max-w-160' : 'max-w-115')}
            initialFocus={() => {
              opener.current = document.activeElement
              return true
            }}
            finalFocus={() => returnFocus(opener.current)}
          >
            <div className="flex-none px-5 pt-4.5">
              <Base.Title className="text-dialog wrap-anywhere">{title}</Base.Title>
              {description && (
                <Base.Description className="mt-1 wrap-anywhere text-ink-2">{description}</Base.Description>
              )}
            </div>
            <div className="min-h-0 overflow-y-auto px-5 pt-3 pb-4.5">{children}</div>
            {footer && <div className={footClass}>{footer}</div>}
          </Base.Popup>
        </Base.Viewport>
      </Base.Portal>
    </Base.Root>
  )
}

export interface ConfirmDialogProps {
  open: boolean
  onOpenChange: (open: boolean) => void
  title: string
  /** What exactly will happen, with the name in bold. */
  children: ReactNode
  /** What can be chosen beside it: below the question, and no part of its description. */
  choice?: ReactNode
  confirmLabel: string
  /** The button that changes nothing; `Cancel`, unless the action itself is called that. */
  cancelLabel?: string
  busyLabel: string
  busy: boolean
  onConfirm: () => void
  error?: string | null | undefined
  /** Why the action cannot be confirmed yet. */
  disabledReason?: string | undefined
  tone?: 'danger' | 'normal'
  /** Where the focus goes after an action that removes the element that opened the dialog. */
  focusAfter?: () => HTMLElement | null
}

export function ConfirmDialogPopup({
  open,
  onOpenChange,
  title,
  children,
  choice,
  confirmLabel,
  cancelLabel = 'Cancel',
  busyLabel,
  busy,
  onConfirm,
  error,
  disabledReason,
  tone = 'danger',
  focusAfter,
}: ConfirmDialogProps) {
  const cancel = useRef<HTMLButtonElement>(null)
  const confirmed = useRef(false)
  const opener = useRef<Element>(null)
  return (
    <Alert.Root
      open={open}
      onOpenChange={(next) => {
        if (busy) return
        confirmed.current = false
        onOpenChange(next)
      }}
    >
      <Alert.Portal>
        <Alert.Backdrop className={scrim} />
        <Alert.Viewport className={viewport}>
          <Alert.Popup
            className={cx(popup, 'max-w-115')}
            initialFocus={() => {
              confirmed.current = false
              opener.current = document.activeElement
              return cancel.current
            }}
            finalFocus={() => (confirmed.current && focusAfter?.()) || returnFocus(opener.current)}
          >
            <Alert.Title className="flex-none px-5 pt-4.5 text-dialog wrap-anywhere">{title}</Alert.Title>
            <div className="min-h-0 overflow-y-auto px-5 pt-2 pb-4.5">
              <Alert.Description render={<div />} className="wrap-anywhere text-ink-2 [&_b]:text-ink">
                {children}
              </Alert.Description>
              {choice}
              {error && (
                <Banner tone="error" className="mt-3">
                  {error}
                </Banner>
              )}
            </div>
            <div className={footClass}>
              <Button
                ref={cancel}
                disabled={busy}
                onClick={() => {
                  confirmed.current = false
                  onOpenChange(false)
                }}
              >
                {cancelLabel}
              </Button>
              <Button
                variant={tone === 'danger' ? 'danger' : 'primary'}
                busy={busy}
                busyText={busyLabel}
                disabledReason={disabledReason}
                onClick={() => {
                  confirmed.current = true
                  onConfirm()
                }}
              >
                {confirmLabel}
              </Button>
            </div>
          </Alert.Popup>
        </Alert.Viewport>
      </Alert.Portal>
    </Alert.Root>
  )
}

export interface AlertDialogProps {
  open: boolean
  /** By the button or `Esc`. */
  onClose: () => void
  /** The title; usually what happened. */
  title: string
  children: ReactNode
}

export function AlertDialogPopup({ open, onClose, title, children }: AlertDialogProps) {
  return (
    <Alert.Root open={open} onOpenChange={(next) => !next && onClose()}>
      <Alert.Portal>
        <Alert.Backdrop className={scrim} />
        <Alert.Viewport className={viewport}>
          <Alert.Popup className={cx(popup, 'max-w-115')}>
            <Alert.Title className="flex-none px-5 pt-4.5 text-dialog wrap-anywhere">{title}</Alert.Title>
            <Alert.Description
              render={<div />}
              className="min-h-0 overflow-y-auto px-5 pt-2 pb-4.5 wrap-anywhere text-ink-2"
            >
              {children}
            </Alert.Description>
            <div className={footClass}>
              <Button variant="primary" onClick={onClose}>
                OK
              </Button>
            </div>
          </Alert.Popup>
        </Alert.Viewport>
      </Alert.Portal>
    </Alert.Root>
  )
}
