import { brokenStartScript, VmCreate, vmTexts } from '@slipway/contract'
import { rootDiskBody } from './root-disk.ts'
import { emptySize, numberIn, type SizeDraft, sizeBody } from './vm-size.ts'

/** The create form as the user sees it; a choice not made yet is an empty text. */
export interface VmForm extends SizeDraft {
  name: string
  templateId: string
  sshKeyId: string
  persistent: boolean
  /** The size of the root disk as it is typed; empty: as the template makes it. */
  rootDisk: string
  disks: { diskId: string }[]
  /** Ports to share, as they are typed. */
  ports: string
  startScript: string
}

export const emptyVmForm: VmForm = {
  name: '',
  templateId: '',
  sshKeyId: '',
  ...emptySize,
  persistent: true,
  rootDisk: '',
  disks: [],
  ports: '',
  startScript: '',
}

/** Said at the row itself; the whole form says it with `vmTexts.diskMissing`. */
export const diskRowMissing = 'Please select an existing disk.'

/** The ports that a text such as `3000, 5173` names. What is none is `NaN`, which the contract refuses. */
export const parsePorts = (text: string): number[] =>
  text
    .split(/[\s,;]+/)
    .filter((word) => word !== '')
    .map(numberIn)

/** What is wrong with the ports as they are typed; undefined when they can be sent. */
export const brokenPorts = (text: string): string | undefined =>
  VmCreate.shape.share_ports.safeParse(parsePorts(text)).error?.issues[0]?.message

/** What is wrong with the start script; undefined when it can be sent, or there is none. */
export const brokenScript = (text: string): string | undefined =>
  text.trim() === '' ? undefined : brokenStartScript(text)

/** What is sent: exactly the fields of the call, without what there is none of. */
export function toBody(form: VmForm): VmCreate {
  const ports = parsePorts(form.ports)
  return {
    name: form.name.trim(),
    template_id: form.templateId,
    ssh_key_id: form.sshKeyId,
    ...sizeBody(form),
    persistent: form.persistent,
    ...rootDiskBody(form.rootDisk),
    ...(form.disks.length > 0 ? { disks: form.disks.map(({ diskId }) => ({ disk_id: diskId })) } : {}),
    ...(ports.length > 0 ? { share_ports: ports } : {}),
    ...(form.startScript.trim() !== '' ? { start_script: form.startScript } : {}),
  }
}

export type VmFormField =
  | 'name'
  | 'project'
  | 'sshKey'
  | 'template'
  | 'cpu'
  | 'memoryMb'
  | 'rootDisk'
  | 'disks'
  | 'ports'
  | 'startScript'

/** Order in which broken rules are told, and where the contract reports each. */
const fieldOrder: readonly { field: VmFormField; wire?: string }[] = [
  { field: 'name', wire: 'name' },
  { field: 'project' },
  { field: 'sshKey', wire: 'ssh_key_id' },
  { field: 'template', wire: 'template_id' },
  { field: 'cpu', wire: 'cpu' },
  { field: 'memoryMb', wire: 'memory_mb' },
  { field: 'rootDisk', wire: 'root_disk_gb' },
  { field: 'disks', wire: 'disks' },
  { field: 'ports', wire: 'share_ports' },
  { field: 'startScript', wire: 'start_script' },
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
