import { z } from 'zod'
import { accountDeletionTexts } from './account-deletion.rules.ts'
import { endpoint } from './endpoint.ts'
import { proofTexts } from './proof.rules.ts'
import { Id, Time } from './text.ts'

const t = accountDeletionTexts

/** A project that others are members of, too. */
export const SharedProject = z.object({ id: Id, name: z.string(), other_members: z.int() })

/** Whether an account is being deleted, and what goes along with it. */
export const AccountDeletion = z.object({
  /** When it is deleted for good; null: nobody asked for that. */
  delete_at: Time.nullable(),
  /** How many there are of each, in the projects that the account owns. */
  goes_along: z.object({
    projects: z.int(),
    vms: z.int(),
    disks: z.int(),
    snapshots: z.int(),
    vm_pools: z.int(),
    vm_sets: z.int(),
    shares: z.int(),
    /** What is in the bins of the projects. */
    bin_items: z.int(),
    ssh_keys: z.int(),
    api_tokens: z.int(),
  }),
  /** Projects of the account that others are members of. They can be handed over first. */
  shared_projects: z.array(SharedProject),
})
export type AccountDeletion = z.infer<typeof AccountDeletion>

export const AccountDeletionRequested = z.object({ delete_at: Time })

export const accountDeletionApi = {
  get: endpoint('accountDeletion.get', {
    summary: 'Whether the account is being deleted, and what goes along with it',
    auth: 'session',
    status: 200,
    response: AccountDeletion,
  }),
  request: endpoint('accountDeletion.request', {
    summary:
      'Delete the account in 30 days: its sessions and API tokens end, and the VMs of its projects are stopped',
    auth: 'session',
    status: 202,
    response: AccountDeletionRequested,
    errors: {
      403: [proofTexts.needed],
      409: [t.alreadyRequested, t.lastAdministrator],
    },
  }),
  cancel: endpoint('accountDeletion.cancel', {
    summary: 'Keep the account that is being deleted; its VMs stay stopped',
    auth: 'session',
    status: 204,
    errors: { 409: [t.notRequested] },
  }),
}
