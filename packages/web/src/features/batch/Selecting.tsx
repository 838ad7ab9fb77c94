import type { BatchObject } from '@slipway/contract'
import { type ComponentType, type ReactNode, useState } from 'react'
import { Button } from '../../ui/Button.tsx'
import { later } from '../../ui/later.tsx'
import { SelectionMark, type SelectionMarkProps } from '../../ui/selection-mark.ts'
import type { Selectable } from './batch-offers.ts'

// Most visits select nothing.
const SelectionBar = later(async () => (await import('./SelectionBar.tsx')).SelectionBar, {
  close: ({ onDone }) => onDone(),
})

interface SelectingProps {
  kind: BatchObject
  /** The objects that can be selected, and those that the search shows. */
  all: readonly Selectable[]
  shown: readonly Selectable[]
  /** The list. */
  children: ReactNode
}

/** A list whose objects can be selected, to do something with all of them at once. */
export function Selecting({ kind, all, shown, children }: SelectingProps) {
  const [phase, setPhase] = useState<'not-yet' | 'on' | 'over'>('not-yet')
  const [mark, setMark] = useState<{ Mark: ComponentType<SelectionMarkProps> } | null>(null)
  const end = () => {
    setPhase('over')
    setMark(null)
  }
  return (
    <SelectionMark value={mark?.Mark ?? null}>
      {phase === 'on' ? (
        <SelectionBar kind={kind} all={all} shown={shown} onMark={setMark} onDone={end} />
      ) : (
        <div className="mb-3 flex justify-end">
          <Button
            size="sm"
            className="phone:h-10"
            // The focus was in the bar.
            ref={phase === 'over' ? takeFocus : undefined}
            onClick={() => setPhase('on')}
          >
            Select
          </Button>
        </div>
      )}
      {children}
    </SelectionMark>
  )
}

const takeFocus = (button: HTMLElement | null) => button?.focus({ preventScroll: true })
