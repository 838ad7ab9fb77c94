import type { ProjectFile, Vm } from '@slipway/contract'
import { Document, isScalar, YAMLMap } from 'yaml'
import { Failure } from '../failure.ts'
import { fileOf, parts, repeatedNames } from './entries.ts'
import { words } from './plan.ts'
import type { Seen } from './seen.ts'

/** What new objects have when a file says nothing of it. */
const unsaid: Record<string, unknown> = {
  description: '',
  note: '',
  tags: [],
  delete_protection: false,
  suspend_after_minutes: null,
  persistent: true,
  disks: [],
  source: 'EMPTY',
  objects: null,
  kinds: null,
  actions: null,
  paused: false,
  hourly: null,
  daily: null,
  weekly: null,
}

/** The start script of a VM; null where it has none. */
export type ScriptOf = (vm: Vm) => Promise<string | null>

const origins = { snapshot: 'a snapshot', upload: 'an uploaded file' } as const

/**
 * A project as the text of a file, which makes the same project where it is applied.
 *
 * @param scriptOf left out, so are start scripts
 */
export async function writeProjectFile(seen: Seen, scriptOf?: ScriptOf): Promise<string> {
  for (const part of parts)
    for (const name of repeatedNames(seen[part]))
      throw new Failure(
        'failed',
        `There are several ${words[part]}s "${name}". A file needs names that differ: rename one.`,
      )
  const file = fileOf(seen)
  if (scriptOf) await addScripts(file, seen, scriptOf)
  // That Slipway paused one is not what somebody wants of it.
  for (const { name, paused_reason } of seen.webhooks)
    if (paused_reason !== null) delete file.webhooks[name]?.paused
  const { disks, vms, pools, sets, webhooks, ...head } = file
  const document = new Document({
    ...withoutUnsaid(head),
    ...Object.fromEntries(
      Object.entries({ disks, vms, pools, sets, webhooks })
        .filter(([, objects]) => Object.keys(objects).length > 0)
        .map(([part, objects]) => [
          part,
          Object.fromEntries(Object.entries(objects).map(([name, one]) => [name, withoutUnsaid(one)])),
        ]),
    ),
  })
  remark(document, seen)
  return document.toString({ lineWidth: 0 })
}

const withoutUnsaid = (entry: object): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(entry)
      .filter(
        ([field, value]) => !(field in unsaid) || JSON.stringify(value) !== JSON.stringify(unsaid[field]),
      )
      .map(([field, value]) => [field, field === 'snapshot_schedule' ? withoutUnsaid(value) : value]),
  )

/** Those of pools and sets are in their members. */
async function addScripts({ vms, pools, sets }: ProjectFile, seen: Seen, scriptOf: ScriptOf): Promise<void> {
  const member = (id: string) => seen.members.find((vm) => vm.vmpool_id === id || vm.vmset_id === id)
  const wanted = [
    ...seen.vms.map((vm) => ({ vm, entry: vms[vm.name] })),
    ...seen.pools.map(({ id, name }) => ({ vm: member(id), entry: pools[name] })),
    ...seen.sets.map(({ id, name }) => ({ vm: member(id), entry: sets[name] })),
  ]
  for (let at = 0; at < wanted.length; at += AT_ONCE)
    await Promise.all(
      wanted.slice(at, at + AT_ONCE).map(async ({ vm, entry }) => {
        const script = vm && (await scriptOf(vm))
        if (script && entry) entry.start_script = script
      }),
    )
}
const AT_ONCE = 16

/** Says beside what a file cannot hold that it does not. */
function remark(document: Document, { disks, pools, sets, webhooks, webhooksHidden }: Seen): void {
  document.commentBefore = ' A project of Slipway: `slipway apply` makes it as it is here.'
  if (webhooksHidden !== null) document.commentBefore += `\n Webhooks are left out. ${webhooksHidden}`
  const say = (path: readonly string[], text: string) => {
    const parent = document.getIn(path.slice(0, -1), true)
    const pair =
      parent instanceof YAMLMap
        ? parent.items.find(({ key }) => isScalar(key) && key.value === path.at(-1))
        : null
    if (isScalar(pair?.key)) pair.key.commentBefore = ` ${text}`
  }
  for (const { name, source } of disks)
    if (source === 'snapshot' || source === 'upload')
      say(['disks', name], `Its content came from ${origins[source]}. A new one is blank.`)
  say(['webhooks'], 'The URLs may hold keys of their receivers. Secrets are made anew where this is applied.')
  for (const { name, paused_reason } of webhooks)
    if (paused_reason !== null) say(['webhooks', name], 'Slipway paused it. A new one is active.')
  for (const [part, groups] of [
    ['pools', pools],
    ['sets', sets],
  ] as const)
    for (const { name, snapshot_id } of groups)
      if (snapshot_id !== null)
        say([part, name], 'Its VMs are made of a snapshot. New ones are made of the template.')
}
