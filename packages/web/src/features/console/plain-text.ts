/** Sequences that move about or clear: what follows cannot be told without a terminal. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what this is about
const drawing = /\x1b\[\??[\d;]*[ABCDHJfhlrd]|\x1bc/g
/** Those that change modes, or clear below a prompt, without moving anything that is shown. */
const harmless = /\[(?:0?J|\?(?:1|7|12|25|2004)[hl])$/
// biome-ignore lint/suspicious/noControlCharactersInRegex: see above
const escapes = /\x1b\[[\d;?<=>!$]*[\x40-\x7e]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[()][\w]|\x1b[=>78]/g

/**
 * The last rows of what a console printed, as a terminal of that size shows them apart from colours. Null when only a
 * terminal can tell how it looks.
 */
export function lastRows(text: string, cols: number, rows: number): string[] | null {
  if (text.match(drawing)?.some((found) => !harmless.test(found))) return null
  const lines = text
    .replace(escapes, '')
    .split('\n')
    .map((line) => line.replace(/\r+$/, ''))
    // What comes after a carriage return covers what stood there.
    .map((line) => line.slice(line.lastIndexOf('\r') + 1))
    .slice(-rows)
  if (lines.some((line) => /[^\x20-\x7e\u2500]/.test(line))) return null
  return lines.flatMap((line) => (line === '' ? [''] : wrap(line, cols))).slice(-rows)
}

function wrap(line: string, cols: number): string[] {
  return Array.from({ length: Math.ceil(line.length / cols) }, (_, row) =>
    line.slice(row * cols, (row + 1) * cols),
  )
}
