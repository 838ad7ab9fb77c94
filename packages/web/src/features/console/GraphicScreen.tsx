import RFB from '@novnc/novnc'
import { useEffect, useRef, useState } from 'react'
import { Button } from '../../ui/Button.tsx'
import { cx } from '../../ui/cx.ts'
import { reasonOf, socketUrl } from './console-links.ts'
import { keysOf, shiftKeysym } from './keys.ts'
import { PasteDialog } from './PasteDialog.tsx'
import { pauseMs } from './pause.ts'

interface GraphicScreenProps {
  projectId: string
  vmId: string
  /** Whether the status of the VM lets one look into it. */
  isOpen: boolean
}

/** Between two keys: a machine's keyboard has a buffer of a few only. */
const keyMs = 12

/** The screen of a guest, as large as there is room. It comes back by itself, as the terminal does. */
export function GraphicScreen({ projectId, vmId, isOpen }: GraphicScreenProps) {
  const box = useRef<HTMLDivElement>(null)
  const frame = useRef<HTMLDivElement>(null)
  const screen = useRef<RFB | null>(null)
  const [state, setState] = useState<'connecting' | 'connected' | 'reconnecting' | 'off'>('connecting')
  const [pasting, setPasting] = useState(false)

  useEffect(() => {
    const target = box.current
    if (!target) return
    if (!isOpen) {
      setState('off')
      return
    }
    let attempts = 0
    let timer: ReturnType<typeof setTimeout> | undefined
    let here = true
    const connect = () => {
      clearTimeout(timer)
      const rfb = new RFB(target, socketUrl('vm.screen', { projectId, vmId }), { shared: true })
      screen.current = rfb
      rfb.scaleViewport = true
      rfb.background = 'transparent'
      rfb.addEventListener('connect', () => {
        attempts = 0
        setState('connected')
        rfb.focus({ preventScroll: true })
      })
      rfb.addEventListener('disconnect', () => {
        screen.current = null
        if (!here) return
        setState('reconnecting')
        timer = setTimeout(connect, pauseMs(attempts++))
        // It may say that there is nothing to come back to.
        void reasonOf({ projectId, vmId })
      })
    }
    const hurry = () => {
      if (!screen.current && document.visibilityState === 'visible') connect()
    }
    connect()
    window.addEventListener('online', hurry)
    document.addEventListener('visibilitychange', hurry)
    return () => {
      here = false
      clearTimeout(timer)
      window.removeEventListener('online', hurry)
      document.removeEventListener('visibilitychange', hurry)
      screen.current?.disconnect()
      screen.current = null
    }
  }, [projectId, vmId, isOpen])

  const connected = state === 'connected'
  const reason = connected ? undefined : 'The screen is not connected'
  const paste = async () => {
    try {
      typeOut(screen.current, await navigator.clipboard.readText())
    } catch {
      setPasting(true)
    }
  }
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <div className="flex flex-none flex-wrap items-center gap-2 border-b border-line px-3 py-1 text-hint">
        <Button
          size="sm"
          variant="quiet"
          disabledReason={reason}
          onClick={() => screen.current?.sendCtrlAltDel()}
        >
          Send Ctrl+Alt+Del
        </Button>
        <Button size="sm" variant="quiet" disabledReason={reason} onClick={() => void paste()}>
          Type the clipboard
        </Button>
        <span role="status" className="ml-auto text-ink-3">
          {
            { connecting: 'Connecting...', connected: '', reconnecting: 'Reconnecting...', off: 'VM is off' }[
              state
            ]
          }
        </span>
      </div>
      {/* biome-ignore lint/a11y/useSemanticElements: what the guest paints is not one picture. */}
      <div
        ref={frame}
        role="group"
        aria-label="Screen"
        aria-description="Enter types into the screen, Ctrl+Shift+Enter leaves it."
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the screen in it would keep the Tab key.
        tabIndex={0}
        onKeyDownCapture={(event) => {
          const isEnter = event.code === 'Enter'
          if (isEnter && event.ctrlKey && event.shiftKey) frame.current?.focus()
          else if (isEnter && event.target === frame.current) screen.current?.focus()
          else return
          event.preventDefault()
          event.stopPropagation()
        }}
        className={cx('min-h-0 flex-1 focus-visible:-outline-offset-2', !connected && 'opacity-60')}
      >
        <div ref={box} className="size-full overflow-hidden" />
      </div>
      {pasting && (
        <PasteDialog
          onClose={() => setPasting(false)}
          onPaste={(text) => {
            setPasting(false)
            typeOut(screen.current, text)
          }}
        />
      )}
    </div>
  )
}

/** Types a text key by key; ends when the screen is gone. */
function typeOut(rfb: RFB | null, text: string): void {
  const keys = keysOf(text)
  const next = () => {
    const key = keys.shift()
    if (!key || !rfb) return
    if (key.shift) rfb.sendKey(shiftKeysym, 'ShiftLeft', true)
    rfb.sendKey(key.keysym, null)
    if (key.shift) rfb.sendKey(shiftKeysym, 'ShiftLeft', false)
    setTimeout(next, keyMs)
  }
  next()
  rfb?.focus()
}
