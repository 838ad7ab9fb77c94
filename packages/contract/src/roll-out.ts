import { z } from 'zod'
import { rollOutStates, rollOutTexts } from './roll-out.rules.ts'
import { StartScriptText } from './start-script-text.ts'
import { Id } from './text.ts'
import { Cpu, MemoryMb, RootDiskGb } from './vm.ts'

export const RollOutState = z.enum(rollOutStates)

/** How far the members of a pool or set are with its present settings. */
export const RollOut = z
  .object({
    /** Raised by each roll-out of other settings; a VM with a smaller one has older settings. */
    revision: z.int(),
    state: RollOutState,
    /** Why it is paused, in a sentence or two; null otherwise. */
    message: z.string().nullable(),
    /** How many VMs have the present settings, of how many there are. */
    renewed_vms: z.int(),
    total_vms: z.int(),
  })
  .meta({ id: 'RollOut' })
export type RollOut = z.infer<typeof RollOut>

/** What the settings and the roll-out of a pool or set add to it. */
export const rolledOut = {
  /** Processors of each new VM. */
  cpu: z.int(),
  memory_mb: z.int(),
  /** Of each new VM, rounded up; null: as large as its template makes it. */
  root_disk_gb: z.int().nullable(),
  roll_out: RollOut,
}

/** Which settings each VM was made of. */
export const VmRevision = z.object({ vm_id: Id, revision: z.int() }).meta({ id: 'VmRevision' })

/** What is left out stays. With nothing to change, a roll-out that was stopped goes on. */
export const rollOutBody = ({
  templateMissing,
  sshKeyMissing,
}: {
  templateMissing: string
  sshKeyMissing: string
}) =>
  z.object({
    template_id: z
      .string({ error: templateMissing })
      .min(1, templateMissing)
      .max(64, templateMissing)
      .optional(),
    ssh_key_id: z.string({ error: sshKeyMissing }).min(1, sshKeyMissing).max(64, sshKeyMissing).optional(),
    cpu: Cpu.optional(),
    memory_mb: MemoryMb.optional(),
    /** At least what the template has, also less than now: VMs are replaced. Null or left out: it stays. */
    root_disk_gb: RootDiskGb.nullish(),
    /** What each new VM runs. Null: none. */
    start_script: StartScriptText.nullish(),
    /** Has to be true where VMs keep their root disk or have disks created for them: these are deleted with them. */
    delete_disks: z.boolean({ error: rollOutTexts.deleteDisksSaid }).default(false),
  })
