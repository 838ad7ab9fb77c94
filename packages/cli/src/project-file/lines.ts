/** A plan as text for people. */
import type { ProjectFile } from '@slipway/contract'
import { describeRhythms } from '@slipway/contract/snapshot-schedule.rules.ts'
import { webhookTitle } from '@slipway/contract/webhook.rules.ts'
import { type Change, type Plan, type Step, said, words } from './plan.ts'
import { scheduleIn } from './schedules.ts'

const signs = { create: '+', change: '~', attach: '~', detach: '~', delete: '-' } as const

/** What a step does, on one line. */
export function lineOf(step: Step, file: ProjectFile): string {
  const sign = signs[step.do]
  switch (step.do) {
    case 'attach':
      return `${sign} VM ${step.vm}: attach disk ${step.disk}`
    case 'detach':
      return `${sign} VM ${step.vm}: detach disk ${step.disk}`
    case 'change': {
      const changes = step.changes.map(step.what === 'webhooks' ? changeOfWebhook : changeOf)
      return `${sign} ${words[step.what]} ${step.name}: ${changes.join(', ')}`
    }
    case 'create': {
      const about = aboutOf(step, file)
      return `${sign} ${words[step.what]} ${step.name}${about && `: ${about}`}`
    }
    case 'delete':
      return `${sign} ${words[step.what]} ${step.name}`
  }
}

const changeOf = ({ field, from, to }: Change) => `${field} ${said(from)} -> ${said(to)}`

/** A URL may hold a key of its receiver, and plans are kept in logs. */
const changeOfWebhook = (change: Change) => (change.field === 'url' ? 'another url' : changeOf(change))

/** What of a new object its people know it by. */
function aboutOf({ what, name }: Extract<Step, { do: 'create' }>, file: ProjectFile): string {
  if (what === 'project') return ''
  if (what === 'disks') {
    const { size = '', image_url } = file.disks[name] ?? {}
    return [size, image_url].filter(Boolean).join(', ')
  }
  if (what === 'webhooks') return webhookTitle({ url: file.webhooks[name]?.url ?? '', description: '' })
  if (what === 'vm_schedules' || what === 'disk_schedules') {
    const schedule = scheduleIn(file, what, name)
    if (!schedule) return ''
    return `${describeRhythms(schedule)} (${schedule.time_zone})${schedule.paused ? ', paused' : ''}`
  }
  return file[what][name]?.template ?? ''
}

/** A whole plan. */
export function textOf(plan: Plan, file: ProjectFile): string {
  const { steps, kept, problems } = plan
  const count = (kinds: readonly Step['do'][]) => steps.filter((step) => kinds.includes(step.do)).length
  const sum = `${count(['create'])} to create, ${count(['change', 'attach', 'detach'])} to change, ${count(['delete'])} to delete.`
  const stays = kept.map(({ what, name }) => `  ${words[what]} ${name} is not in the file and stays`)
  return [
    ...steps.map((step) => lineOf(step, file)),
    ...stays,
    ...(problems.length > 0 ? ['This cannot be applied:', ...problems.map((problem) => `  ${problem}`)] : []),
    ...(steps.length > 0
      ? [sum]
      : problems.length > 0
        ? []
        : ['Nothing to do: the project is as the file says.']),
  ].join('\n')
}
