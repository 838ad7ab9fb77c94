import type { ConsoleLink } from './console-link.ts'
import type { Piece } from './console-stream.ts'
import { gapText, noteText, ruleLine } from './console-words.ts'
import { lastRows } from './plain-text.ts'

/** As in the terminal, see terminal.ts. */
export const lineHeight = 1.25

/**
 * Shows the text of a console as plain rows until the terminal is there to draw it: its code is large, and its first
 * layout takes longer than everything else.
 *
 * @returns what takes it away again
 */
export function showPreview(box: HTMLElement, link: ConsoleLink, fontSize: number): () => void {
  const rows = document.createElement('pre')
  rows.ariaHidden = 'true'
  rows.className = 'pointer-events-none absolute inset-0 z-1 m-0 overflow-hidden font-mono'
  rows.style.fontSize = `${fontSize}px`
  const probe = document.createElement('span')
  probe.textContent = 'W'.repeat(32)
  probe.style.lineHeight = 'normal'
  probe.className = 'absolute invisible'
  rows.append(probe)
  box.append(rows)
  const { width, height } = probe.getBoundingClientRect()
  const rowHeight = Math.floor(height * lineHeight)
  const size = {
    cols: Math.floor((box.clientWidth * 32) / width),
    rows: Math.floor(box.clientHeight / rowHeight),
  }
  rows.style.lineHeight = `${rowHeight}px`
  let shown = ''
  let frame = 0
  const draw = () => {
    const text = textOf(link.undrawn(), size.cols)
    if (text !== shown && size.rows > 0) {
      shown = text
      rows.textContent = lastRows(text, size.cols, size.rows)?.join('\n') ?? ''
    }
    frame = requestAnimationFrame(draw)
  }
  draw()
  return () => {
    cancelAnimationFrame(frame)
    rows.remove()
  }
}

/** More bytes than this do not fit a screen of text. */
const mostBytes = 16 * 1024

/** What a terminal would show of some pieces. */
function textOf(pieces: readonly Piece[], cols: number): string {
  const decoder = new TextDecoder()
  let text = ''
  const rule = (words: string) => {
    text += `${text === '' || text.endsWith('\n') ? '' : '\n'}${ruleLine(words, cols)}\n`
  }
  for (const piece of pieces) {
    if (piece.kind === 'bytes') text += decoder.decode(piece.bytes.slice(-mostBytes))
    if (piece.kind === 'note') rule(noteText(piece.note, piece.at))
    if (piece.kind === 'gap') rule(gapText(piece))
  }
  return text
}
