import RFB from '@novnc/novnc'
import { useEffect, useRef, useState } from 'react'
import { Button } from '../../ui/Button.tsx'
import { cx } from '../../ui/cx.ts'
import { ConsoleNotice } from './ConsoleNotice.tsx'
import { reasonOf, socketUrl } from './console-links.ts'
import { screenNoticeOf, screenWords } from './console-words.ts'
import { keysOf, shiftKeysym } from './keys.ts'
import type { LinkState } from './link-view.ts'
import { PasteDialog } from './PasteDialog.tsx'
import { ScreenLink, type ScreenState } from './screen-link.ts'

interface GraphicScreenProps {
  projectId: string
  vmId: string
  /** Whether the status of the VM allows a console. */
  isOpen: boolean
  /** The state of the serial console beside it, whose heartbeat finds connections that died unnoticed. */
  line: LinkState
}

/** Between two keys: a machine's keyboard buffers only a few. */
const keyMs = 12

/** The screen of a guest, scaled to the space there is. */
export function GraphicScreen({ projectId, vmId, isOpen, line }: GraphicScreenProps) {
  const box = useRef<HTMLDivElement>(null)
  const frame = useRef<HTMLDivElement>(null)
  const screen = useRef<RFB | null>(null)
  const link = useRef<ScreenLink | null>(null)
  const [state, setState] = useState<ScreenState>('connecting')
  const [pasting, setPasting] = useState(false)

  useEffect(() => {
    const target = box.current
    if (!target) return
    if (!isOpen) {
      setState('off')
      return
    }
    const open = ({ onOpen, onClose }: { onOpen: () => void; onClose: () => void }) => {
      const rfb = new RFB(target, socketUrl('vm.screen', { projectId, vmId }), { shared: true })
      screen.current = rfb
      rfb.scaleViewport = true
      rfb.background = 'transparent'
      rfb.addEventListener('connect', () => {
        onOpen()
        rfb.focus({ preventScroll: true })
      })
      rfb.addEventListener('disconnect', () => {
        if (screen.current === rfb) screen.current = null
        onClose()
      })
      return { close: () => rfb.disconnect() }
    }
    const mine = new ScreenLink({ open, look: () => reasonOf({ projectId, vmId }) })
    link.current = mine
    setState(mine.state())
    mine.subscribe(() => setState(mine.state()))
    const onVisible = () => document.visibilityState === 'visible' && mine.hurry()
    window.addEventListener('online', mine.renew)
    document.addEventListener('visibilitychange', onVisible)
    return () => {
      window.removeEventListener('online', mine.renew)
      document.removeEventListener('visibilitychange', onVisible)
      link.current = null
      mine.close()
    }
  }, [projectId, vmId, isOpen])

  const wasLost = useRef(false)
  useEffect(() => {
    if (line === 'connected' && wasLost.current) link.current?.renew()
    wasLost.current = line === 'reconnecting'
  }, [line])

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
          Type clipboard text
        </Button>
        <span role="status" className="ml-auto text-ink-3">
          {screenWords(state)}
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
      <ConsoleNotice notice={screenNoticeOf(state)} onRetry={() => link.current?.hurry()} />
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

/** Types a text key by key. */
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
