import type { BinProject, BinProjectsEmptied } from '@slipway/contract'

const list = new Intl.ListFormat('en', { type: 'conjunction' })

const counted = (n: number, noun: string): string => `${n} ${noun}${n === 1 ? '' : 's'}`
const count = (n: number, noun: string): string[] => (n === 0 ? [] : [counted(n, noun)])

/** What is counted of a project. */
type Contents = Pick<BinProject, (typeof figures)[number]>
const figures = ['vms', 'vm_pools', 'vm_sets', 'disks', 'snapshots', 'bin_items'] as const

/** What a project in the bin has: `30 VMs, 1 VM pool, and 2 disks`. Null when it is empty. */
export function contentsOf(project: Contents, ownBin = 'its own bin'): string | null {
  const parts = [
    ...count(project.vms, 'VM'),
    ...count(project.vm_pools, 'VM pool'),
    ...count(project.vm_sets, 'VM set'),
    ...count(project.disks, 'disk'),
    ...count(project.snapshots, 'snapshot'),
    ...(project.bin_items === 0 ? [] : [`${counted(project.bin_items, 'object')} in ${ownBin}`]),
  ]
  return parts.length === 0 ? null : list.format(parts)
}

/** The line of a project in the bin: what it has, and what runs again. */
export function projectNote(project: BinProject): string {
  const contents = contentsOf(project)
  const running = project.running_vms
  return [
    contents === null ? 'It is empty.' : `It contains ${contents}.`,
    running > 0 && `${running === 1 ? '1 VM runs' : `${running} VMs run`} again once it is restored.`,
  ]
    .filter(Boolean)
    .join(' ')
}

/** All of these with what they have: `2 projects with 30 VMs, 1 VM pool, and 2 disks`. Empty when there are none. */
export function allContentsText(projects: readonly BinProject[]): string {
  if (projects.length === 0) return ''
  const sums = Object.fromEntries(
    figures.map((figure) => [figure, projects.reduce((sum, project) => sum + project[figure], 0)]),
  ) as Contents
  const contents = contentsOf(sums, projects.length === 1 ? 'its own bin' : 'their own bins')
  return counted(projects.length, 'project') + (contents === null ? '' : ` with ${contents}`)
}

/** What came of emptying the bin of so many projects. */
export function emptiedProjectsText(
  asked: number,
  { deleted, busy }: BinProjectsEmptied,
): { text: string; detail: string | null } {
  const rest = asked - deleted - busy
  const details = [
    busy > 0 &&
      `${counted(busy, 'project')} ${busy === 1 ? 'stays' : 'stay'}: a snapshot or a restore is under way. Try again when it has ended.`,
    rest > 0 &&
      `${counted(rest, 'project')} ${rest === 1 ? 'was' : 'were'} restored or deleted in the meantime.`,
  ].filter(Boolean)
  return {
    text: `Deleted ${counted(deleted, 'project')} for good`,
    detail: details.length === 0 ? null : details.join(' '),
  }
}
