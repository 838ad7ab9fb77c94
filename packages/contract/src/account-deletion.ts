import { z } from 'zod'
import { accountTexts } from './account.rules.ts'
import { accountDeletionTexts } from './account-deletion.rules.ts'
import { CurrentPassword } from './account-settings.ts'
import { endpoint } from './endpoint.ts'
import { messages } from './error.rules.ts'
import { Id, Time } from './text.ts'

const t = accountDeletionTexts

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
    ssh_keys: z.int(),
    api_tokens: z.int(),
  }),
  /** Projects of the account that others are members of. They can be handed over first. */
  shared_projects: z.array(z.object({ id: Id, name: z.string(), other_members: z.int() })),
})
export type AccountDeletion = z.infer<typeof AccountDeletion>

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
    body: z.object({ current_password: CurrentPassword }),
    response: z.object({ delete_at: Time }),
    errors: {
      400: [accountTexts.wrongPassword],
      409: [t.alreadyRequested, t.lastAdministrator],
      429: [messages.tooManyAttempts],
      503: [accountTexts.tooBusy],
    },
  }),
  cancel: endpoint('accountDeletion.cancel', {
    summary: 'Keep the account that is being deleted; its VMs stay stopped',
    auth: 'session',
    status: 204,
    errors: { 409: [t.notRequested] },
  }),
}
