/** The toast after a deletion, with Undo where what was deleted is in the bin. */
import { type BinKind, binNouns } from '@slipway/contract'
import { isInBin, restoreFromBin } from '../../api/bin.ts'
import { errorDetail } from '../../api/errors.ts'
import { hostNow } from '../../api/host.ts'
import { toast } from '../../ui/toast.tsx'

interface Deleted {
  id: string
  project_id: string
  name: string
  kind: BinKind
}

/** Long enough to read it, and to reach its button by keyboard. */
const undoMs = 15_000

export async function tellDeleted(deleted: Deleted, text: string, forGood = false): Promise<void> {
  const canBeKept = !forGood && hostNow()?.bin_days !== 0
  // Where it cannot be said, nothing is offered; the bin shows it anyway.
  const isKept = canBeKept && (await isInBin(deleted).catch(() => false))
  if (!isKept) return toast.success(text)
  toast.success(text, {
    duration: undoMs,
    action: { label: 'Undo', name: `Undo: restore ${deleted.name}`, run: () => void undo(deleted) },
  })
}

/** Restores something from the bin and says what came of it. */
export async function undo({ kind, name, ...item }: Deleted): Promise<void> {
  const noun = binNouns[kind]
  try {
    const back = await restoreFromBin(item)
    const renamed = back.name === name ? [] : [`It is called "${back.name}" now: its name is taken.`]
    toast.success(`Restored ${noun} "${name}"`, { detail: [...renamed, ...back.notes].join(' ') })
  } catch (error) {
    toast.error(`Failed to restore ${noun} "${name}".`, { detail: errorDetail(error) })
  }
}
