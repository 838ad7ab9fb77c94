import { useEffect, useState } from 'react'
import { cx } from './cx.ts'

/** `0:06`, `12:40`, `1:02:06`: whole seconds, never below zero. */
export function elapsedText(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000))
  const two = (n: number) => String(n).padStart(2, '0')
  const hours = Math.floor(seconds / 3600)
  const minutes = Math.floor(seconds / 60) % 60
  const rest = `${hours ? two(minutes) : minutes}:${two(seconds % 60)}`
  return hours ? `${hours}:${rest}` : rest
}

/** Time since an ISO moment, counting every second. */
export function Elapsed({ since, className }: { since: string; className?: string }) {
  return <Ticking className={className} msAt={(now) => now - Date.parse(since)} />
}

interface TickingProps {
  msAt: (now: number) => number
  className?: string | undefined
}

/** A span of time that changes every second. */
export function Ticking({ msAt, className }: TickingProps) {
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000)
    return () => clearInterval(timer)
  }, [])
  const ms = msAt(now)
  if (Number.isNaN(ms)) return null
  return (
    // Not announced: a clock that is read every second is noise.
    <span aria-hidden="true" className={cx('font-mono text-[0.75rem]/4 font-normal text-ink-3', className)}>
      {elapsedText(ms)}
    </span>
  )
}
