import type { ComponentType } from 'react'
import { Checkbox } from '../../ui/Checkbox.tsx'
import type { SelectionMarkProps } from '../../ui/selection-mark.ts'
import { type Selection, useIsSelected } from './selection.ts'

/** The check box before each item of a list. With Shift it changes all between it and the one that was changed before. */
export function makeMark(selection: Selection): ComponentType<SelectionMarkProps> {
  return function Mark({ item, items, children }) {
    const isSelected = useIsSelected(selection, item.id)
    const { name } = item as { id: string; name?: string }
    return (
      <div className="flex h-full items-start">
        <Checkbox
          label={<span className="sr-only">Select {name ?? item.id}</span>}
          checked={isSelected}
          className="w-10 flex-none py-4.5 pl-4 select-none"
          // A change does not say whether Shift was held.
          onChange={() => {}}
          onClick={({ shiftKey }) =>
            selection.change(item.id, !isSelected, { order: items, isRange: shiftKey })
          }
        />
        <div className="h-full min-w-0 flex-1">{children}</div>
      </div>
    )
  }
}
