import type { BinProject } from '@slipway/contract'
import { useState } from 'react'
import { useEmptyProjectBin } from '../../api/project-bin.ts'
import { EmptyBinQuestion } from '../bin/EmptyBinQuestion.tsx'
import { allContentsText, emptiedProjectsText } from './project-bin-words.ts'

interface EmptyProjectBinDialogProps {
  projects: readonly BinProject[]
  onClose: () => void
}

/** Before all deleted projects are deleted for good: those that are there now, and none that comes later. */
export function EmptyProjectBinDialog({ projects, onClose }: EmptyProjectBinDialogProps) {
  // What is counted here is what is deleted, whatever comes into the bin while this is open.
  const [asked] = useState(projects)
  const { mutateAsync } = useEmptyProjectBin()
  return (
    <EmptyBinQuestion
      contents={allContentsText(asked)}
      act={async () => emptiedProjectsText(asked.length, await mutateAsync(asked))}
      onClose={onClose}
    />
  )
}
