import type { BinItem } from '@slipway/contract'
import { useState } from 'react'
import { useEmptyBin } from '../../api/bin.ts'
import { contentsText, emptiedText } from './bin-words.ts'
import { EmptyBinQuestion } from './EmptyBinQuestion.tsx'

interface EmptyBinDialogProps {
  projectId: string
  items: readonly BinItem[]
  onClose: () => void
}

/** Before everything in the bin of a project is deleted for good: all that is in it, and nothing that comes later. */
export function EmptyBinDialog({ projectId, items, onClose }: EmptyBinDialogProps) {
  // What is counted here is what is deleted, whatever comes into the bin while this is open.
  const [asked] = useState(items)
  const { mutateAsync } = useEmptyBin(projectId)
  return (
    <EmptyBinQuestion
      contents={contentsText(asked)}
      call="bin.empty"
      act={async () => emptiedText(asked.length, await mutateAsync(asked))}
      onClose={onClose}
    />
  )
}
