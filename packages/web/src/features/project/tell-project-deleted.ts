/** The toast after a project was deleted, with Undo where it is in the bin. */
import { errorDetail } from '../../api/errors.ts'
import { hostNow } from '../../api/host.ts'
import { isProjectInBin, restoreProject } from '../../api/project-bin.ts'
import { toast } from '../../ui/toast.tsx'

interface Deleted {
  id: string
  name: string
}

/** Long enough to read it, and to reach its button by keyboard. */
const undoMs = 15_000

export async function tellProjectDeleted(project: Deleted, forGood: boolean): Promise<void> {
  const text = `Project "${project.name}" deleted`
  const canBeKept = !forGood && hostNow()?.bin_days !== 0
  // Where it cannot be said, nothing is offered; the list of deleted projects shows it anyway.
  const isKept = canBeKept && (await isProjectInBin(project.id).catch(() => false))
  if (!isKept) return toast.success(text)
  toast.success(text, {
    duration: undoMs,
    action: {
      label: 'Undo',
      name: `Undo: restore project ${project.name}`,
      run: () => void undoProject(project),
    },
  })
}

/** Restores a project from the bin and says what came of it. */
export async function undoProject({ id, name }: Deleted): Promise<void> {
  try {
    const back = await restoreProject(id)
    toast.success(`Restored project "${name}"`, {
      detail: back.name === name ? '' : `It is called "${back.name}" now: its name is taken.`,
    })
  } catch (error) {
    toast.error(`Failed to restore project "${name}".`, { detail: errorDetail(error) })
  }
}
