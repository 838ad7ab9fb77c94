import { StatStrip } from './Sheet.tsx'
import { StatusGlyph } from './Status.tsx'

interface StatRowProps {
  /** Names the whole row: `Disks by status`. */
  label: string
  /** A stat that is left out (`count > 0 && {…}`) is not shown. `tone` is the status word whose sign stands before it. */
  stats: readonly ({ label: string; value: number; tone?: string } | false)[]
}

/** The numbers above a list. */
export function StatRow({ label, stats }: StatRowProps) {
  return (
    <StatStrip
      label={label}
      className="mb-6"
      items={stats
        .filter((stat) => stat !== false)
        .map(({ label, value, tone }) => ({
          label,
          value,
          // No spinner while nothing is in progress.
          glyph: tone && <StatusGlyph word={tone} className={value === 0 ? 'animate-none!' : undefined} />,
        }))}
    />
  )
}
