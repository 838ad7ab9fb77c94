import { initialsOf, type Vm } from '@slipway/contract'
import {
  AArrowDown,
  AArrowUp,
  ClipboardPaste,
  Copy,
  Download,
  Ear,
  Ellipsis,
  Eraser,
  Maximize,
  Minimize,
  PictureInPicture2,
  Search,
} from 'lucide-react'
import { type ReactNode, useEffect, useRef } from 'react'
import { announce } from '../../ui/announce.ts'
import { Button, IconButton } from '../../ui/Button.tsx'
import { cx } from '../../ui/cx.ts'
import { Menu } from '../../ui/Menu.tsx'
import { StatusGlyph } from '../../ui/Status.tsx'
import { Tip } from '../../ui/Tip.tsx'
import type { LinkView, Viewer } from './console-link.ts'
import { lineWords } from './console-words.ts'
import type { Terminal } from './use-terminal.ts'

const icon = { size: 14, strokeWidth: 1.6, 'aria-hidden': true } as const
const menuIcon = { size: 16, strokeWidth: 1.6, 'aria-hidden': true } as const

interface ConsoleBarProps {
  vm: Vm | undefined
  view: LinkView
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
        {view.screen ? (
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
                disabledReason={smaller === null ? 'There is no smaller size' : undefined}
                onClick={() => smaller !== null && terminal.setSize(smaller)}
              />
              <IconButton
                size="sm"
                label="Larger text"
                icon={<AArrowUp {...icon} size={16} />}
                disabledReason={larger === null ? 'There is no larger size' : undefined}
                onClick={() => larger !== null && terminal.setSize(larger)}
              />
              <BarButton
                text="Copy"
                icon={<Copy {...icon} />}
                disabledReason={terminal.selection ? undefined : 'Nothing is selected'}
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
          <Menu
            label="More of the console"
            trigger={
              <IconButton size="sm" label="More of the console" icon={<Ellipsis {...icon} size={16} />} />
            }
            items={[
              {
                label: 'Download log',
                icon: <Download {...menuIcon} />,
                // biome-ignore lint/a11y/useAnchorContent: the menu puts the label in.
                render: <a href={logPath} download />,
              },
              ...(alone
                ? []
                : [
                    {
                      label: 'Open in its own window',
                      icon: <PictureInPicture2 {...menuIcon} />,
                      onSelect: () => openWindow(windowPath),
                    },
                  ]),
              'separator',
              {
                label: terminal.reads ? 'Stop reading aloud' : 'Let screen readers read along',
                icon: <Ear {...menuIcon} />,
                onSelect: () => terminal.setReads(!terminal.reads),
              },
            ]}
          />
        </div>
      </div>
    </header>
  )
}

/** A window for each VM: asked for again it comes to the front. */
function openWindow(path: string): void {
  window.open(path, path, 'popup,width=980,height=680')
}

interface BarButtonProps {
  text: string
  icon: ReactNode
  disabledReason?: string | undefined
  onClick: () => void
}

/** With its word where there is room. */
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

interface ScreenSwitchProps {
  shown: 'serial' | 'screen'
  onShow: (shown: 'serial' | 'screen') => void
}

function ScreenSwitch({ shown, onShow }: ScreenSwitchProps) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for fields.
    <div role="group" aria-label="What is shown" className="flex rounded-control border border-line">
      {(['serial', 'screen'] as const).map((which) => (
        <button
          key={which}
          type="button"
          aria-pressed={shown === which}
          onClick={() => onShow(which)}
          className={cx(
            'h-[26px] px-2.5 text-hint font-medium first:rounded-l-control last:rounded-r-control not-first:border-l not-first:border-line phone:h-9',
            shown === which ? 'bg-hover text-ink' : 'text-ink-3 hover:text-ink',
          )}
        >
          {which === 'serial' ? 'Serial' : 'Screen'}
        </button>
      ))}
    </div>
  )
}

const shownViewers = 3
const nameOf = ({ name, you }: Viewer) => (you ? `${name} (you)` : name)

/** Everybody who looks on, once there is more than one window. */
function Viewers({ viewers }: { viewers: readonly Viewer[] }) {
  useAnnouncedViewers(viewers)
  if (viewers.length < 2) return null
  const more = viewers.slice(shownViewers)
  return (
    <ul aria-label="Watching" className="flex min-w-0 items-center gap-x-2.5 text-ink-2">
      {viewers.slice(0, shownViewers).map((viewer, index) => (
        <li
          // biome-ignore lint/suspicious/noArrayIndexKey: somebody may be here twice.
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
    // One's own coming, and the break of one's own line, are told elsewhere.
    if (old.length === 0 || viewers.length === 0) return
    const others = ({ you }: Viewer) => !you
    const names = (list: readonly Viewer[]) => list.filter(others).map(({ name }) => name)
    const [then, now] = [names(old), names(viewers)]
    const come = now.find((name) => !then.includes(name))
    const gone = then.find((name) => !now.includes(name))
    if (come) announce(`${come} looks at this console too`)
    else if (gone) announce(`${gone} left this console`)
  }, [viewers])
}
