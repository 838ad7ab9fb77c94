import { useEffect, useState } from 'react'
import { Arc } from './Arc.tsx'
import { PhantomCard, PhantomFrame } from './Phantom.tsx'

interface LoadingStateProps {
  text: string
  /** The content in phantom lines, shown when loading takes long enough to notice. */
  outline?: 'cards' | 'rows' | 'form'
}

const outlineDelayMs = 300

export function LoadingState({ text, outline }: LoadingStateProps) {
  const [waited, setWaited] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setWaited(true), outlineDelayMs)
    return () => clearTimeout(timer)
  }, [])
  return (
    <div>
      <p role="status" className="flex items-center gap-2 py-1 text-ink-3">
        <Arc className="text-busy-mark" />
        {text}
      </p>
      {outline && waited && <Outline kind={outline} />}
    </div>
  )
}

function Outline({ kind }: { kind: 'cards' | 'rows' | 'form' }) {
  if (kind === 'cards') {
    return (
      <div className="mt-3 grid gap-4 md:grid-cols-[repeat(auto-fill,minmax(328px,1fr))]">
        <PhantomCard />
        <PhantomCard className="hidden md:block" />
        <PhantomCard className="hidden lg:block" />
      </div>
    )
  }
  return (
    <div className="relative mt-3 max-w-190 opacity-60">
      <PhantomFrame />
      <svg aria-hidden="true" width="100%" height={kind === 'rows' ? 168 : 320} className="text-line-control">
        <g fill="none" stroke="currentColor" strokeDasharray="14 4 2 4 2 4">
          {(kind === 'rows' ? [56, 112] : [128, 224]).map((y) => (
            <line key={y} x1="0" x2="100%" y1={y} y2={y} />
          ))}
        </g>
      </svg>
    </div>
  )
}
