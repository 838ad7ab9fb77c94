import { z } from 'zod'
import { binTexts } from './bin.rules.ts'
import { BinEmptied, BinEmpty } from './bin.ts'
import { endpoint } from './endpoint.ts'
import { messages } from './error.rules.ts'
import { projectTexts } from './project.rules.ts'
import { quotaRefusal } from './quota.rules.ts'
import { Id, Time } from './text.ts'

/** A project that was deleted and can be restored, with how much there is in it. */
export const BinProject = z.object({
  /** Of the project; it keeps its id, and so does everything in it. */
  id: Id,
  name: z.string(),
  deleted_at: Time,
  /** Who deleted it; null once the account was deleted. */
  deleted_by: z.object({ id: Id, name: z.string() }).nullable(),
  /** When it is deleted for good. */
  delete_at: Time,
  vms: z.int(),
  /** How many of its VMs run again once it is restored. */
  running_vms: z.int(),
  vm_pools: z.int(),
  vm_sets: z.int(),
  disks: z.int(),
  /** Of VMs and of disks. */
  snapshots: z.int(),
  /** What is in the bin of the project itself, and stays there. */
  bin_items: z.int(),
})
export type BinProject = z.infer<typeof BinProject>

/** What came back. */
export const BinProjectRestored = z.object({
  id: Id,
  /** Another one than before where that is taken now. */
  name: z.string(),
})
export type BinProjectRestored = z.infer<typeof BinProjectRestored>

/** What was emptied out of the bin of projects. */
export const BinProjectsEmptied = BinEmptied.extend({
  /** How many stay because a snapshot or a restore is under way in them. Try those again when it has ended. */
  busy: z.int(),
})
export type BinProjectsEmptied = z.infer<typeof BinProjectsEmptied>

const Params = z.object({ itemId: Id })

export const projectBinApi = {
  list: endpoint('projectBin.list', {
    summary: 'The projects of the user that are in the bin, the newest first',
    auth: 'session',
    status: 200,
    response: z.array(BinProject),
  }),
  restore: endpoint('projectBin.restore', {
    summary: 'Restore a project from the bin, with everything in it: the VMs that ran run again',
    auth: 'session',
    status: 200,
    params: Params,
    response: BinProjectRestored,
    errors: { 404: [messages.binItemNotFound], 409: [quotaRefusal] },
  }),
  delete: endpoint('projectBin.delete', {
    summary: 'Delete a project in the bin for good, with everything in it',
    auth: 'session',
    status: 204,
    params: Params,
    errors: { 404: [messages.binItemNotFound], 409: [projectTexts.busy] },
  }),
  empty: endpoint('projectBin.empty', {
    summary: 'Empty the bin of projects: delete for good what is named, or what was in the bin at a time',
    auth: 'session',
    status: 200,
    body: BinEmpty,
    response: BinProjectsEmptied,
    errors: { 400: [binTexts.nothingChosen, binTexts.tooManyIds, binTexts.beforeInvalid] },
  }),
}
