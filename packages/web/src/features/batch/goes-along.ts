import { useDisks } from '../../api/disks.ts'
import { useShares } from '../../api/shares.ts'

interface Deletable {
  id: string
  vmpool_id?: string | null
  vmset_id?: string | null
}

/** A sentence, or why it cannot be said. */
export interface Along {
  text: string
  isKnown: boolean
}

const count = (n: number, noun: string): string => `${n} ${noun}${n === 1 ? '' : 's'}`

/** What is deleted with VMs, and what is kept, as the server says. */
export function useGoesAlong(projectId: string, vms: readonly Deletable[]): Along {
  const { disks, loading, error } = useDisks(projectId)
  const { shares, ...ofShares } = useShares(projectId)
  if (loading || ofShares.loading) return { text: 'Checking what is deleted along...', isKnown: false }
  if (error || ofShares.error)
    return {
      text: 'What is deleted along could not be loaded. Close this dialog and try again.',
      isKnown: false,
    }
  const ids = new Set(vms.map(({ id }) => id))
  const theirs = disks.filter(({ vm_id }) => vm_id !== null && ids.has(vm_id))
  const along = theirs.filter(({ deleted_with_vm }) => deleted_with_vm).length
  const kept = theirs.length - along
  const ports = shares.filter(({ vm_id }) => ids.has(vm_id)).length
  const deleted = [along > 0 && count(along, 'disk'), ports > 0 && count(ports, 'shared port')].filter(
    Boolean,
  )
  const members = vms.filter(({ vmpool_id, vmset_id }) => vmpool_id || vmset_id).length
  const sentences = [
    deleted.length > 0 && `Deleted along: ${deleted.join(' and ')}.`,
    kept > 0 && `${count(kept, 'attached disk')} ${kept === 1 ? 'is' : 'are'} kept.`,
    `Snapshots of ${vms.length === 1 ? 'it' : 'these VMs'} are kept.`,
    members > 0 &&
      vms.length > 1 &&
      `${members} of these VMs ${members === 1 ? 'is' : 'are'} part of pools or sets, which create new VMs in place of them.`,
  ]
  return { text: sentences.filter(Boolean).join(' '), isKnown: true }
}
