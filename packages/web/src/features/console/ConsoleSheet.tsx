import { screenAllowed, type Vm, vmCan } from '@slipway/contract'
import { lazy, Suspense, useEffect, useId, useRef, useState } from 'react'
import { useLimits } from '../../api/host.ts'
import { paths } from '../../paths.ts'
import { announce } from '../../shell/announce.ts'
import { Button } from '../../ui/Button.tsx'
import { copyText } from '../../ui/clipboard.ts'
import { cx } from '../../ui/cx.ts'
import { reasonOf } from '../../ui/reason.ts'
import { toast } from '../../ui/toast.tsx'
import { ConsoleBar } from './ConsoleBar.tsx'
import { ConsoleNotice, Notice } from './ConsoleNotice.tsx'
import { logUrl, useConsoleLink } from './console-links.ts'
import { noticeOf } from './console-words.ts'
import { KeyBar } from './KeyBar.tsx'
import { PasteDialog } from './PasteDialog.tsx'
import { SearchBar } from './SearchBar.tsx'
import { useTerminal } from './use-terminal.ts'
import { useFullScreen, useVisibleHeight } from './use-window.ts'

const GraphicScreen = lazy(async () => ({ default: (await import('./GraphicScreen.tsx')).GraphicScreen }))

interface ConsoleSheetProps {
  projectId: string
  vmId: string
  /** Undefined until it has been loaded. */
  vm: Vm | undefined
  /** It has a window of its own. */
  alone?: boolean
}

/** The console of a VM: the bar, the terminal or the screen, and what to know about it. */
export function ConsoleSheet({ projectId, vmId, vm, alone = false }: ConsoleSheetProps) {
  const { link, view } = useConsoleLink({ projectId, vmId })
  const terminal = useTerminal(link, view)
  const [shown, setShown] = useState<'serial' | 'screen'>('serial')
  const [searching, setSearching] = useState(false)
  const [pasting, setPasting] = useState(false)
  const full = useFullScreen()
  const hintId = useId()
  const frame = useRef<HTMLDivElement>(null)
  useVisibleHeight()

  const isOpen = vm ? vmCan.console(vm) === true : true
  useEffect(() => link.vmIs(isOpen), [link, isOpen])
  // Each step of the start may be the one that opens the console.
  const progress = `${vm?.status} ${vm?.steps.length}`
  // biome-ignore lint/correctness/useExhaustiveDependencies: the progress is the reason, not an input.
  useEffect(() => link.hurry(), [link, progress])
  useEffect(() => {
    if (view.state === 'reconnecting') announce('The console is reconnecting')
  }, [view.state])

  const copy = async () => {
    if (await copyText(terminal.selection)) toast.success('Copied to clipboard!')
    else toast.error('Failed to copy to clipboard.')
    terminal.get()?.focus()
  }
  const paste = async () => {
    try {
      terminal.get()?.paste(await navigator.clipboard.readText())
      terminal.get()?.focus()
    } catch {
      // Refused, or not offered by this browser.
      setPasting(true)
    }
  }
  terminal.onCommand.current = (command) => {
    if (command === 'copy' && terminal.selection) void copy()
    if (command === 'search') setSearching(true)
    if (command === 'leave') frame.current?.focus()
  }
  const endSearch = () => {
    setSearching(false)
    terminal.get()?.endSearch()
    terminal.get()?.focus()
  }

  const noScreens = reasonOf(screenAllowed(useLimits()))
  const onScreen = shown === 'screen' && (view.screen !== false || noScreens !== undefined)
  return (
    <>
      <section
        aria-label="Console"
        onKeyDown={(event) => {
          // The terminal reports it itself when it has the focus.
          if (!event.ctrlKey || !event.shiftKey || event.code !== 'KeyF' || event.defaultPrevented) return
          event.preventDefault()
          setSearching(true)
        }}
        className={cx(
          'always-dark flex min-h-0 min-w-0 flex-col overflow-hidden bg-term text-term-ink',
          full.on
            ? 'fixed inset-0 z-20'
            : alone
              ? 'h-[var(--visible-height,100dvh)]'
              : 'h-[max(20rem,calc(var(--visible-height,100dvh)-13.5rem))] rounded-sheet border border-line-control phone:h-[max(18rem,calc(var(--visible-height,100dvh)-9rem))]',
        )}
      >
        <ConsoleBar
          vm={vm}
          view={view}
          hasScreenTab={view.screen === true || noScreens !== undefined}
          terminal={terminal}
          shown={onScreen ? 'screen' : 'serial'}
          onShow={setShown}
          full={full}
          alone={alone}
          logPath={logUrl({ projectId, vmId })}
          windowPath={paths.vmConsoleWindow(projectId, vmId)}
          onSearch={() => setSearching(true)}
          onCopy={() => void copy()}
          onPaste={() => void paste()}
        />
        {searching && !onScreen && <SearchBar terminal={terminal} onClose={endSearch} />}
        <div className={cx('relative min-h-0 flex-1', onScreen && 'hidden')}>
          {/* biome-ignore lint/a11y/useSemanticElements: a fieldset is for fields. */}
          <div
            ref={frame}
            role="group"
            aria-label="Serial console"
            aria-description="Enter types into the console, Ctrl+Shift+Enter leaves it."
            // biome-ignore lint/a11y/noNoninteractiveTabindex: the terminal in it would keep the Tab key.
            tabIndex={0}
            onKeyDown={(event) => {
              if (event.key !== 'Enter' || event.target !== event.currentTarget) return
              event.preventDefault()
              terminal.get()?.focus()
            }}
            className="absolute inset-0 focus-visible:-outline-offset-2"
          >
            <div
              ref={terminal.box}
              data-described-by={hintId}
              // The sheet is the ground, also behind what xterm.js would paint black.
              className="absolute inset-x-3 inset-y-2 [&_.xterm-viewport]:bg-transparent!"
            />
          </div>
          {terminal.failed && (
            <Notice text="The terminal could not be loaded.">
              <Button onClick={() => window.location.reload()}>Refresh Page</Button>
            </Notice>
          )}
        </div>
        {onScreen && noScreens && (
          <p role="status" className="flex-1 p-4">
            {noScreens}
          </p>
        )}
        {onScreen && !noScreens && (
          <Suspense fallback={<p className="flex-1 p-4 text-ink-3">Loading the screen...</p>}>
            <GraphicScreen projectId={projectId} vmId={vmId} isOpen={isOpen} line={view.state} />
          </Suspense>
        )}
        <ConsoleNotice
          notice={noticeOf(view.state, vm)}
          vm={vm}
          onRetry={link.hurry}
          onStart={() => terminal.get()?.focus()}
          insteadOfTyping={terminal.insteadOfTyping}
        />
        {!onScreen && <KeyBar terminal={terminal} />}
      </section>
      <p
        id={hintId}
        className={cx(
          'mt-2 text-hint text-ink-3',
          (alone || full.on) && 'sr-only',
          'phone:pointer-coarse:sr-only',
        )}
      >
        The console signs you in as root; your web session is the authentication. <kbd>Ctrl+Shift+Enter</kbd>{' '}
        leaves the terminal, <kbd>Enter</kbd> goes back in. <kbd>Ctrl+Shift+V</kbd> pastes,{' '}
        <kbd>Ctrl+Shift+C</kbd> copies, <kbd>Ctrl+Shift+F</kbd> searches.
      </p>
      {pasting && (
        <PasteDialog
          onClose={() => setPasting(false)}
          onPaste={(text) => {
            setPasting(false)
            terminal.get()?.paste(text)
          }}
        />
      )}
    </>
  )
}
