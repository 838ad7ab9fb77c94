import '@xterm/xterm/css/xterm.css'
import { FitAddon } from '@xterm/addon-fit'
import { type ISearchOptions, SearchAddon } from '@xterm/addon-search'
import { type IDisposable, Terminal } from '@xterm/xterm'
import type { Piece } from './console-stream.ts'
import { gapText, noteText } from './console-words.ts'

export interface TerminalOptions {
  fontSize: number
  screenReader: boolean
  /** The id of what tells how to leave the field that takes the keys. */
  describedBy: string
  onTyped: (bytes: Uint8Array) => void
  onSize: (cols: number, rows: number) => void
  onSelection: (text: string) => void
  onFound: (found: { index: number; count: number }) => void
  /** A key that is not for the guest. */
  onCommand: (command: TerminalCommand) => void
  /** Whether this terminal is the one among all viewers that answers the questions of programs. */
  answers: () => boolean
  /** So many bytes have been drawn. */
  onDrawn: (bytes: number) => void
}

export type TerminalCommand = 'copy' | 'search' | 'leave'

/** With Ctrl and Shift. The browser itself pastes on Ctrl+Shift+V. */
const commands: Record<string, TerminalCommand> = { KeyC: 'copy', KeyF: 'search', Enter: 'leave' }

// The sheet behind gives the ground. Each colour is readable on it; xterm.js sees to what programs choose themselves.
const theme = {
  background: '#00000000',
  foreground: '#e2e5ea',
  cursor: '#8fb4f5',
  cursorAccent: '#141821',
  selectionBackground: '#3a5587',
  selectionInactiveBackground: '#33415c',
  black: '#3b4252',
  red: '#f28b82',
  green: '#7fd39b',
  yellow: '#e8c27a',
  blue: '#8fb4f5',
  magenta: '#d3a4ea',
  cyan: '#78d0d8',
  white: '#d6dae1',
  brightBlack: '#8d97a8',
  brightRed: '#ffaba3',
  brightGreen: '#a2ebb9',
  brightYellow: '#ffdf9e',
  brightBlue: '#b5cffd',
  brightMagenta: '#e8c4fa',
  brightCyan: '#a0ebf1',
  brightWhite: '#ffffff',
  scrollbarSliderBackground: '#ffffff2e',
  scrollbarSliderHoverBackground: '#ffffff4d',
  scrollbarSliderActiveBackground: '#ffffff66',
}

const found: ISearchOptions = {
  decorations: {
    matchBackground: '#5a4a1e',
    matchOverviewRuler: '#e8c27a',
    activeMatchBackground: '#8a6a14',
    activeMatchBorder: '#ffdf9e',
    activeMatchColorOverviewRuler: '#ffdf9e',
  },
}

/** Undoes what a program that ended left behind: its colours, its hidden cursor, its mouse. */
const calm = '\x1b[?1000;1002;1003;1006;2004;1l\x1b[!p\x1b[?25h\x1b[0m\x1b(B'
const leaveFullScreenProgram = '\x1b[?1049l'
const sizeDelayMs = 150

/** A terminal within a box, which it fills. */
export function openTerminal(box: HTMLElement, options: TerminalOptions) {
  const terminal = new Terminal({
    theme,
    allowTransparency: true,
    // Search marks what it finds.
    allowProposedApi: true,
    cursorBlink: false,
    fontFamily: getComputedStyle(box).getPropertyValue('--mono'),
    fontSize: options.fontSize,
    lineHeight: 1.25,
    minimumContrastRatio: 4.5,
    scrollback: 10_000,
    screenReaderMode: options.screenReader,
  })
  const fit = new FitAddon()
  const search = new SearchAddon()
  terminal.loadAddon(fit)
  terminal.loadAddon(search)
  terminal.open(box)
  nameField(terminal, options)

  const encoder = new TextEncoder()
  terminal.onData((text) => options.onTyped(encoder.encode(text)))
  terminal.onBinary((text) => options.onTyped(Uint8Array.from(text, (sign) => sign.charCodeAt(0))))
  terminal.onSelectionChange(() => options.onSelection(terminal.getSelection()))
  search.onDidChangeResults(({ resultIndex, resultCount }) =>
    options.onFound({ index: resultIndex, count: resultCount }),
  )
  terminal.attachCustomKeyEventHandler((event) => {
    if (!event.ctrlKey || !event.shiftKey || event.altKey || event.metaKey) return true
    if (event.code === 'KeyV') return false
    const command = commands[event.code]
    if (!command) return true
    event.preventDefault()
    if (event.type === 'keydown') options.onCommand(command)
    return false
  })

  let replaying = true
  silence(terminal, () => replaying || !options.answers())

  // A rule waits for what stands before it, because it begins a line; the rest waits for the rule.
  let held = false
  const waiting: Piece[] = []
  const rule = (text: string, isNewRun: boolean) => {
    held = true
    terminal.write('', () => {
      const { type, cursorX } = terminal.buffer.active
      const alone = type === 'alternate'
      const out = isNewRun ? `${alone ? leaveFullScreenProgram : ''}${calm}` : ''
      const end = '\u2500'.repeat(Math.max(2, Math.min(terminal.cols, 72) - text.length - 4))
      const line = `${alone || cursorX > 0 ? '\r\n' : ''}\x1b[90m\u2500\u2500 ${text} ${end}\x1b[0m\r\n`
      terminal.write(out + line)
      held = false
      for (const piece of waiting.splice(0)) draw(piece)
    })
  }
  const draw = (piece: Piece): void => {
    if (held) {
      waiting.push(piece)
      return
    }
    switch (piece.kind) {
      case 'bytes':
        terminal.write(piece.bytes, () => options.onDrawn(piece.bytes.length))
        break
      case 'note':
        rule(noteText(piece.note, piece.at), piece.note !== 'resumed')
        break
      case 'gap':
        rule(gapText(piece), false)
        break
      case 'clear':
        terminal.write('\x1bc')
        break
      case 'anew':
        rule('The VM was recreated; its new output begins here', true)
        break
      default:
        terminal.write('', () => {
          replaying = piece.kind === 'replay'
        })
    }
  }

  const fitted = () => {
    // While it is hidden it has no size.
    if (box.clientWidth > 0 && box.clientHeight > 0) fit.fit()
  }
  let telling: ReturnType<typeof setTimeout> | undefined
  const tellSize = () => {
    clearTimeout(telling)
    telling = setTimeout(() => options.onSize(terminal.cols, terminal.rows), sizeDelayMs)
  }
  terminal.onResize(tellSize)
  fitted()
  tellSize()
  const observer = new ResizeObserver(fitted)
  observer.observe(box)
  let open = true
  const font = `${options.fontSize}px "Commit Mono"`
  if (!document.fonts.check(font)) {
    void document.fonts.load(font).then(() => {
      if (!open) return
      // Measured anew, because a font that comes late has other widths.
      terminal.options.fontFamily = `${terminal.options.fontFamily} `
      fitted()
    })
  }

  return {
    draw,
    paste: (text: string) => terminal.paste(text),
    focus: () => terminal.focus(),
    clear: () => terminal.clear(),
    selection: () => terminal.getSelection(),
    setFontSize(size: number) {
      terminal.options.fontSize = size
      fitted()
    },
    setScreenReader(on: boolean) {
      terminal.options.screenReaderMode = on
    },
    findNext: (text: string, incremental = false) => search.findNext(text, { ...found, incremental }),
    findPrevious: (text: string) => search.findPrevious(text, found),
    endSearch() {
      search.clearDecorations()
      terminal.clearSelection()
    },
    close() {
      open = false
      clearTimeout(telling)
      observer.disconnect()
      terminal.dispose()
    },
  }
}
export type ConsoleTerminal = ReturnType<typeof openTerminal>

/** The field is entered on purpose, by a click or Enter on the frame around it: Tab belongs to the guest in there. */
function nameField({ textarea }: Terminal, { describedBy }: TerminalOptions): void {
  textarea?.setAttribute('aria-label', 'Serial console')
  textarea?.setAttribute('aria-describedby', describedBy)
  textarea?.setAttribute('tabindex', '-1')
}

/**
 * Programs ask a terminal what it is or where its cursor stands, and read the answer as if it was typed. A question
 * that has been answered must not be answered again by everybody who looks at it later: this keeps xterm.js silent.
 */
function silence({ parser }: Terminal, isSilent: () => boolean): IDisposable[] {
  return [
    // Device attributes and status reports (ECMA-48, DEC).
    ...['c', 'n', 't'].flatMap((final) => [
      parser.registerCsiHandler({ final }, isSilent),
      parser.registerCsiHandler({ prefix: '?', final }, isSilent),
      parser.registerCsiHandler({ prefix: '>', final }, isSilent),
    ]),
    // Modes and settings.
    parser.registerCsiHandler({ intermediates: '$', final: 'p' }, isSilent),
    parser.registerCsiHandler({ prefix: '?', intermediates: '$', final: 'p' }, isSilent),
    parser.registerDcsHandler({ intermediates: '$', final: 'q' }, isSilent),
    // Colours.
    ...[4, 10, 11, 12].map((id) => parser.registerOscHandler(id, (text) => text.includes('?') && isSilent())),
  ]
}
