import { type ComponentType, createContext, type ReactNode } from 'react'

export interface SelectionMarkProps {
  item: { id: string }
  /** All items of the list, in the order in which they are shown. */
  items: readonly { id: string }[]
  /** The card or row. */
  children: ReactNode
}

/** What stands around each item of a list while items are being selected: a check box before it. Null otherwise. */
export const SelectionMark = createContext<ComponentType<SelectionMarkProps> | null>(null)
