import { Arc } from './Arc.tsx'
import { cx } from './cx.ts'
import { Elapsed } from './Elapsed.tsx'

type Glyph = 'disc' | 'ring' | 'arc' | 'bars' | 'square' | 'triangle' | 'dotted'

const glyphOf: Record<string, Glyph> = {
  running: 'disc',
  active: 'disc',
  attached: 'disc',
  bound: 'disc',
  connected: 'disc',
  available: 'ring',
  ready: 'ring',
  completed: 'ring',
  pending: 'arc',
  creating: 'arc',
  provisioning: 'arc',
  starting: 'arc',
  suspending: 'arc',
  stopping: 'arc',
  scaling: 'arc',
  processing: 'arc',
  deleting: 'arc',
  suspended: 'bars',
  stopped: 'square',
  failed: 'triangle',
  error: 'triangle',
}

/** The icon of a status: shape first, colour last. Unknown words get the dotted ring. */
export function StatusGlyph({ word, className }: { word: string; className?: string | undefined }) {
  const glyph = glyphOf[word.toLowerCase()] ?? 'dotted'
  if (glyph === 'arc') return <Arc className={cx('text-busy-mark', className)} />
  const tone = { disc: 'text-ok-mark', ring: 'text-ok-mark', triangle: 'text-bad-mark' }[glyph as string]
  return (
    <svg
      width="12"
      height="12"
      viewBox="0 0 12 12"
      fill="none"
      stroke="currentColor"
      aria-hidden="true"
      className={cx('flex-none', tone ?? 'text-ink-3', className)}
    >
      {glyph === 'disc' && <circle cx="6" cy="6" r="4.5" fill="currentColor" stroke="none" />}
      {glyph === 'ring' && <circle cx="6" cy="6" r="4.1" strokeWidth="1.75" />}
      {glyph === 'bars' && <path d="M4 2v8M8 2v8" strokeWidth="2" />}
      {glyph === 'square' && <rect x="2" y="2" width="8" height="8" strokeWidth="1.5" />}
      {glyph === 'triangle' && <path d="M6 .6 11.6 11H.4Z" fill="currentColor" stroke="none" />}
      {glyph === 'dotted' && <circle cx="6" cy="6" r="4.4" strokeWidth="1.5" strokeDasharray="2 1.8" />}
    </svg>
  )
}

interface StatusProps {
  /** The word as the server sent it. */
  word: string
  /** ISO moment since when; a transitional word then shows the running time. */
  since?: string | undefined
  className?: string
}

/** Icon, word, and for work in progress the time so far. */
export function Status({ word, since, className }: StatusProps) {
  const glyph = glyphOf[word.toLowerCase()]
  const shown = glyph ? word.charAt(0).toUpperCase() + word.slice(1).toLowerCase() : word
  return (
    <span
      className={cx(
        'inline-flex items-center gap-[7px] align-top text-dense font-medium whitespace-nowrap',
        glyph === 'triangle' && 'text-bad',
        className,
      )}
    >
      <StatusGlyph word={word} />
      {shown}
      {glyph === 'arc' && since && <Elapsed since={since} />}
    </span>
  )
}
