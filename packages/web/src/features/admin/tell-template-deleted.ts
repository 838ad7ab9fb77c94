/** The toast after a template was deleted, with Undo where it is in the bin. */
import { errorDetail } from '../../api/errors.ts'
import { hostNow } from '../../api/host.ts'
import { isTemplateInBin, restoreTemplate } from '../../api/template-bin.ts'
import { toast } from '../../ui/toast.tsx'

interface Deleted {
  id: string
  name: string
}

/** Long enough to read it, and to reach its button by keyboard. */
const undoMs = 15_000

export async function tellTemplateDeleted(template: Deleted, text: string, forGood: boolean): Promise<void> {
  const canBeKept = !forGood && hostNow()?.bin_days !== 0
  // Where it cannot be said, nothing is offered; the list of deleted templates shows it anyway.
  const isKept = canBeKept && (await isTemplateInBin(template.id).catch(() => false))
  if (!isKept) return toast.success(text)
  toast.success(text, {
    duration: undoMs,
    action: {
      label: 'Undo',
      name: `Undo: restore template ${template.name}`,
      run: () => void undoTemplate(template),
    },
  })
}

/** Restores a template from the bin and says what came of it. */
export async function undoTemplate({ id, name }: Deleted): Promise<void> {
  try {
    const back = await restoreTemplate(id)
    toast.success(`Restored template "${name}"`, {
      detail: back.name === name ? '' : `It is called "${back.name}" now: its name is taken.`,
    })
  } catch (error) {
    toast.error(`Failed to restore template "${name}".`, { detail: errorDetail(error) })
  }
}
