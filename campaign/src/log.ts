import type { Finding } from './compare.ts'

const errorLevel = 50

/** What a server must never print: errors that nothing explains, and uncaught ones in any case. */
export function findInLog(output: string, unlucky: boolean): Finding[] {
  return output.split('\n').flatMap((line) => {
    if (/^(Uncaught|Unhandled|node:internal|\s+at )/i.test(line))
      return [{ rule: 'log', message: `The server printed: ${line.trim()}` }]
    if (!line.startsWith('{')) return []
    const entry = readEntry(line)
    if (!entry || entry.level < errorLevel || unlucky) return []
    const { msg, err } = entry
    return [
      {
        rule: 'log',
        message: `The server logged an error: ${msg} ${err?.message ?? ''} ${err?.stack ?? ''}`.trim(),
      },
    ]
  })
}

/** The errors that a server logged, each sort once; they explain a call that failed. */
export function errorsIn(output: string): string[] {
  const all = output.split('\n').flatMap((line) => {
    const entry = line.startsWith('{') ? readEntry(line) : null
    return entry && entry.level >= errorLevel ? [`${entry.msg ?? ''} ${entry.err?.stack ?? ''}`.trim()] : []
  })
  return [...new Set(all)]
}

interface Entry {
  level: number
  msg?: string
  err?: { message?: string; stack?: string }
}

function readEntry(line: string): Entry | null {
  try {
    const entry = JSON.parse(line) as Partial<Entry> | null
    return typeof entry?.level === 'number' ? { ...entry, level: entry.level } : null
  } catch {
    // The last line of a server that was killed.
    return null
  }
}
