import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react'
import type { ConsoleLink } from './console-link.ts'
import { type TerminalKey, terminalKeys, withCtrl } from './keys.ts'
import type { LinkView } from './link-view.ts'
import { preference } from './preferences.ts'
import { showPreview } from './preview.ts'
import type { ConsoleTerminal, TerminalCommand } from './terminal.ts'

/** The terminal comes in a file of its own, asked for beside the page's. */
export const loadTerminal = () => import('./terminal.ts')

const sizes: readonly number[] = [10, 11, 12, 13, 14, 16, 18, 20, 24, 28]
const fontSize = preference('font-size', 13, (value) => sizes.some((size) => size === value))
const screenReader = preference('screen-reader', false, (value) => typeof value === 'boolean')
const isFinger = () => matchMedia('(pointer: coarse)').matches

/** Whether the user has put the focus nowhere: a new page has it at its heading. */
function isFocusFree(): boolean {
  const { activeElement } = document
  return activeElement === null || activeElement.matches('body, main, main h1')
}

/** The terminal of a console, from the moment on at which its code is there. */
export function useTerminal(link: ConsoleLink, view: LinkView) {
  const box = useRef<HTMLDivElement>(null)
  const terminal = useRef<ConsoleTerminal | null>(null)
  const onCommand = useRef<(command: TerminalCommand) => void>(() => {})
  /** What typing does in place of reaching the guest. */
  const insteadOfTyping = useRef<(() => void) | null>(null)
  const answers = useRef(true)
  const [failed, setFailed] = useState(false)
  const [selection, setSelection] = useState('')
  const [found, setFound] = useState<{ index: number; count: number } | null>(null)
  const [size, setSize] = useState(fontSize.get)
  const [reads, setReads] = useState(
    () => screenReader.get() || matchMedia('(forced-colors: active)').matches,
  )
  const [ctrl, setCtrl] = useState(false)
  const ctrlHeld = useRef(false)
  const initial = useRef({ size, reads })

  // The first of all viewers answers what programs ask.
  useLayoutEffect(() => {
    answers.current = view.viewers[0]?.you ?? true
  }, [view.viewers])

  const type = useCallback(
    (bytes: Uint8Array) => {
      const held = ctrlHeld.current
      ctrlHeld.current = false
      setCtrl(false)
      if (insteadOfTyping.current) return insteadOfTyping.current()
      link.type(held ? new TextEncoder().encode(withCtrl(new TextDecoder().decode(bytes))) : bytes)
    },
    [link],
  )

  useEffect(() => {
    let here = true
    let mine: ConsoleTerminal | undefined
    const endPreview = box.current ? showPreview(box.current, link, initial.current.size) : () => {}
    loadTerminal().then(
      ({ openTerminal }) => {
        if (!here || !box.current) return
        mine = openTerminal(box.current, {
          fontSize: initial.current.size,
          screenReader: initial.current.reads,
          describedBy: box.current.dataset.describedBy ?? '',
          onTyped: type,
          onSize: (cols, rows) => link.resize(cols, rows),
          onSelection: setSelection,
          onFound: setFound,
          onCommand: (command) => onCommand.current(command),
          answers: () => answers.current,
          onDrawn: (bytes) => {
            link.drawn(bytes)
            // Painted with the next frame.
            requestAnimationFrame(endPreview)
          },
        })
        terminal.current = mine
        link.draw(mine.draw)
        // A finger would bring up the keyboard over half of the text.
        if (!isFinger() && isFocusFree()) mine.focus()
      },
      () => {
        endPreview()
        if (here) setFailed(true)
      },
    )
    return () => {
      here = false
      terminal.current = null
      endPreview()
      mine?.close()
    }
  }, [link, type])

  return {
    box: box as RefObject<HTMLDivElement | null>,
    onCommand,
    insteadOfTyping,
    failed,
    selection,
    found,
    get: () => terminal.current,
    size,
    /** Null where there is no larger or smaller one. */
    nextSize: (step: 1 | -1) => sizes[sizes.indexOf(size) + step] ?? null,
    setSize(next: number) {
      setSize(next)
      fontSize.set(next)
      terminal.current?.setFontSize(next)
    },
    reads,
    setReads(on: boolean) {
      setReads(on)
      screenReader.set(on)
      terminal.current?.setScreenReader(on)
    },
    /** Whether the next key is to come with Ctrl. */
    ctrl,
    setCtrl(on: boolean) {
      ctrlHeld.current = on
      setCtrl(on)
    },
    press: (key: TerminalKey) => type(new TextEncoder().encode(terminalKeys[key])),
  }
}
export type Terminal = ReturnType<typeof useTerminal>
