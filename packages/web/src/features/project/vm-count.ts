import { summarizeVms } from '@slipway/contract'
import type { VmsOfProject } from '../../api/vms-of-projects.ts'

/** Why a project cannot be deleted before it is known what is deleted with it. */
export const notCounted = 'Counting what will be deleted with the project...'

/** What is said in place of a count that could not be read; never 0. */
export const notCountable = 'The VMs of this project could not be counted.'

type Counted = Pick<VmsOfProject, 'vms' | 'failed'>

/** Why it is not known whether a project has VMs; undefined when it is. */
export const reasonNotCounted = ({ vms, failed }: Counted): string | undefined =>
  vms ? undefined : failed ? notCountable : notCounted

/** `3 VMs, 1 running` */
export function countText({ vms, failed }: Counted): string {
  if (!vms) return failed ? notCountable : 'Counting VMs...'
  const { total, running } = summarizeVms(vms)
  if (total === 0) return 'No VMs'
  return `${total} ${total === 1 ? 'VM' : 'VMs'}, ${running} running`
}
