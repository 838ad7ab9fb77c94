import { VmCreate, vmTexts } from '@slipway/contract'

/** The create form as the user sees it; a choice not made yet is an empty text. */
export interface VmForm {
  name: string
  templateId: string
  sshKeyId: string
  persistent: boolean
  disks: { diskId: string }[]
}

export const emptyVmForm: VmForm = {
  name: '',
  templateId: '',
  sshKeyId: '',
  persistent: true,
  disks: [],
}

/** Said at the row itself; the whole form says it with `vmTexts.diskMissing`. */
export const diskRowMissing = 'Please select an existing disk.'

/** What is sent: exactly the fields of the call, without disks when there are none. */
export function toBody(form: VmForm): VmCreate {
  return {
    name: form.name.trim(),
    template_id: form.templateId,
    ssh_key_id: form.sshKeyId,
    persistent: form.persistent,
    ...(form.disks.length > 0 ? { disks: form.disks.map(({ diskId }) => ({ disk_id: diskId })) } : {}),
  }
}

export type VmFormField = 'name' | 'project' | 'sshKey' | 'template' | 'disks'

/** Order in which broken rules are told, and where the contract reports each. */
const fieldOrder: readonly { field: VmFormField; wire?: string }[] = [
  { field: 'name', wire: 'name' },
  { field: 'project' },
  { field: 'sshKey', wire: 'ssh_key_id' },
  { field: 'template', wire: 'template_id' },
  { field: 'disks', wire: 'disks' },
]

/** The first rule that the form breaks, with the sentence to show; null when it can be sent. */
export function firstBrokenRule(
  form: VmForm,
  projectId: string | undefined,
): { field: VmFormField; text: string } | null {
  const issues = VmCreate.safeParse(toBody(form)).error?.issues ?? []
  for (const { field, wire } of fieldOrder) {
    if (field === 'project') {
      if (!projectId) return { field, text: vmTexts.projectMissing }
      continue
    }
    const issue = issues.find(({ path }) => path[0] === wire)
    if (issue) return { field, text: issue.message }
  }
  return null
}
