import type { BatchObject } from '@slipway/contract'
import { type ComponentType, type ReactNode, useState } from 'react'
import { Button } from '../../ui/Button.tsx'
import { later } from '../../ui/later.tsx'
import { SelectionMark, type SelectionMarkProps } from '../../ui/selection-mark.ts'
import type { Selectable } from './batch-offers.ts'

// Most visits select nothing.
const SelectionBar = later(async () => (await import('./SelectionBar.tsx')).SelectionBar)

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
  const [isOn, setOn] = useState(false)
  const [mark, setMark] = useState<{ Mark: ComponentType<SelectionMarkProps> } | null>(null)
  return (
    <SelectionMark value={(isOn && mark?.Mark) || null}>
      {isOn ? (
        <SelectionBar kind={kind} all={all} shown={shown} onMark={setMark} onDone={() => setOn(false)} />
      ) : (
        <div className="mb-3 flex justify-end">
          <Button size="sm" className="phone:h-10" onClick={() => setOn(true)}>
            Select
          </Button>
        </div>
      )}
      {children}
    </SelectionMark>
  )
}
