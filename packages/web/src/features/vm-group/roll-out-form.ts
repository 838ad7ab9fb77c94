/** The form that rolls other settings out to the VMs of a pool or set. */
import { rollOutTexts, VmPoolRollOut } from '@slipway/contract'
import { parseRootDisk, rootDiskHint } from '../vm/root-disk.ts'
import type { Group } from './group-kind.ts'

type Rolled = Pick<
  Group,
  'template_id' | 'ssh_key_id' | 'cpu' | 'memory_mb' | 'root_disk_gb' | 'persistent' | 'disks' | 'roll_out'
>

/** What is done about the start script; lists of groups do not say whether there is one. */
export const scriptChoices = { keep: 'Keep as it is', replace: 'Replace', remove: 'None' } as const
export type ScriptChoice = keyof typeof scriptChoices

interface Fields extends Pick<Rolled, 'template_id' | 'ssh_key_id' | 'cpu' | 'memory_mb'> {
  /** As it is typed; empty: it stays as it is. */
  rootDisk: string
  script: ScriptChoice
  start_script: string
  delete_disks: boolean
}

/** What the fields show of a group. */
export const rollOutFields = ({ template_id, ssh_key_id, cpu, memory_mb, root_disk_gb }: Rolled): Fields => ({
  template_id,
  ssh_key_id,
  cpu,
  memory_mb,
  rootDisk: `${root_disk_gb ?? ''}`,
  script: 'keep',
  start_script: '',
  delete_disks: false,
})

/** What becomes of the root disk; one that is as the template makes it is as large as that of another template. */
export const rollOutRootHint = (
  { root_disk_gb }: Pick<Rolled, 'root_disk_gb'>,
  templateGb: number | null | undefined,
): string =>
  root_disk_gb === null
    ? rootDiskHint(templateGb)
    : `Left empty, it stays at ${root_disk_gb} GB. It can become smaller, because VMs are replaced.`

/** Whether its VMs have disks that are deleted with them. */
export const holdsDisks = ({ persistent, disks }: Pick<Rolled, 'persistent' | 'disks'>): boolean =>
  persistent || disks.length > 0

/** What differs from the group, or what is still missing or broken. */
export function rollOutChanges(
  group: Rolled,
  form: Fields,
): { body: VmPoolRollOut } | { broken: string | undefined } {
  const rootDisk = form.rootDisk.trim()
  const body: VmPoolRollOut = {
    ...(form.template_id !== group.template_id && { template_id: form.template_id }),
    ...(form.ssh_key_id !== group.ssh_key_id && { ssh_key_id: form.ssh_key_id }),
    ...(form.cpu !== group.cpu && { cpu: form.cpu }),
    ...(form.memory_mb !== group.memory_mb && { memory_mb: form.memory_mb }),
    ...(rootDisk !== '' &&
      rootDisk !== rollOutFields(group).rootDisk && { root_disk_gb: parseRootDisk(rootDisk) }),
    ...(form.script === 'replace' && { start_script: form.start_script }),
    ...(form.script === 'remove' && { start_script: null }),
  }
  const { renewed_vms, total_vms } = group.roll_out
  if (Object.keys(body).length === 0 && renewed_vms === total_vms) return { broken: rollOutTexts.nothing }
  const parsed = VmPoolRollOut.safeParse(body)
  if (!parsed.success) return { broken: parsed.error.issues[0]?.message }
  if (!holdsDisks(group)) return { body }
  return form.delete_disks ? { body: { ...body, delete_disks: true } } : { broken: disksText }
}

const disksText = 'Accept that the disks of replaced VMs are deleted.'
