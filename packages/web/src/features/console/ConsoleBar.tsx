import type { Vm } from '@slipway/contract'
import { AArrowDown, AArrowUp, ClipboardPaste, Copy, Eraser, Maximize, Minimize, Search } from 'lucide-react'
import type { ReactNode } from 'react'
import { Button, IconButton } from '../../ui/Button.tsx'
import { StatusGlyph } from '../../ui/Status.tsx'
import { lineWords } from './console-words.ts'
import type { LinkView } from './link-view.ts'
import { MoreMenu } from './MoreMenu.tsx'
import { ScreenSwitch } from './ScreenSwitch.tsx'
import type { Terminal } from './use-terminal.ts'
import { Viewers } from './Viewers.tsx'

const icon = { size: 14, strokeWidth: 1.6, 'aria-hidden': true } as const

interface ConsoleBarProps {
  vm: Vm | undefined
  view: LinkView
  /** Whether there is a screen, or a reason to show why there is none. */
  hasScreenTab: boolean
  terminal: Terminal
  shown: 'serial' | 'screen'
  onShow: (shown: 'serial' | 'screen') => void
  full: { on: boolean; toggle: () => void }
  alone: boolean
  logPath: string
  windowPath: string
  onSearch: () => void
  onCopy: () => void
  onPaste: () => void
}

export function ConsoleBar({
  vm,
  view,
  hasScreenTab,
  terminal,
  shown,
  onShow,
  full,
  alone,
  logPath,
  windowPath,
  onSearch,
  onCopy,
  onPaste,
}: ConsoleBarProps) {
  const line = lineWords(view.state, vm)
  const serial = shown === 'serial'
  const [smaller, larger] = [terminal.nextSize(-1), terminal.nextSize(1)]
  return (
    <header className="@container flex-none border-b border-line">
      <div className="flex min-h-[42px] flex-wrap items-center gap-x-3 py-1 pr-1.5 pl-3.5 text-hint">
        <span className="inline-flex items-center gap-[7px] font-medium whitespace-nowrap">
          <StatusGlyph word={line.glyph} />
          {line.text}
        </span>
        {hasScreenTab ? (
          <ScreenSwitch shown={shown} onShow={onShow} />
        ) : (
          <span className="hidden whitespace-nowrap text-ink-3 @2xl:inline">
            Serial console <span className="mono">ttyS0</span>
          </span>
        )}
        {alone && vm && <span className="min-w-0 truncate text-ink-2">{vm.name}</span>}
        <Viewers viewers={view.viewers} />
        <div
          role="toolbar"
          aria-label="Console"
          className="ml-auto flex max-w-full flex-wrap items-center justify-end phone:-mr-1"
        >
          {serial && (
            <>
              <IconButton
                size="sm"
                label="Search the console"
                icon={<Search {...icon} />}
                onClick={onSearch}
              />
              <IconButton
                size="sm"
                label="Smaller text"
                icon={<AArrowDown {...icon} size={16} />}
                disabledReason={smaller === null ? 'This is the smallest size' : undefined}
                onClick={() => smaller !== null && terminal.setSize(smaller)}
              />
              <IconButton
                size="sm"
                label="Larger text"
                icon={<AArrowUp {...icon} size={16} />}
                disabledReason={larger === null ? 'This is the largest size' : undefined}
                onClick={() => larger !== null && terminal.setSize(larger)}
              />
              <BarButton
                text="Copy"
                icon={<Copy {...icon} />}
                disabledReason={terminal.selection ? undefined : 'Select text in the console first'}
                onClick={onCopy}
              />
              <BarButton
                text="Paste"
                icon={<ClipboardPaste {...icon} />}
                disabledReason={view.state === 'connected' ? undefined : 'The console is not connected'}
                onClick={onPaste}
              />
              <BarButton
                text="Clear"
                icon={<Eraser {...icon} />}
                onClick={() => {
                  terminal.get()?.clear()
                  terminal.get()?.focus()
                }}
              />
            </>
          )}
          <BarButton
            text={full.on ? 'Leave full screen' : 'Full screen'}
            icon={full.on ? <Minimize {...icon} /> : <Maximize {...icon} />}
            onClick={() => {
              full.toggle()
              terminal.get()?.focus()
            }}
          />
          <MoreMenu terminal={terminal} alone={alone} logPath={logPath} windowPath={windowPath} />
        </div>
      </div>
    </header>
  )
}

interface BarButtonProps {
  text: string
  icon: ReactNode
  disabledReason?: string | undefined
  onClick: () => void
}

/** Shows its text where there is room. */
function BarButton({ text, icon, disabledReason, onClick }: BarButtonProps) {
  return (
    <Button
      size="sm"
      variant="quiet"
      icon={icon}
      aria-label={text}
      disabledReason={disabledReason}
      onClick={onClick}
      className="phone:h-9 phone:w-9 phone:px-0! @max-4xl:w-7 @max-4xl:px-0! phone:@max-4xl:w-9"
    >
      <span className="hidden @4xl:inline">{text}</span>
    </Button>
  )
}
