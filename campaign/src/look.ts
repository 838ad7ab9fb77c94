/** Everything the API shows of a user's objects, read anew. */
import {
  binApi,
  diskApi,
  diskSnapshotApi,
  type Endpoint,
  projectApi,
  shareApi,
  sshKeyApi,
  templateApi,
  vmApi,
  vmPoolApi,
  vmSetApi,
  vmSnapshotApi,
} from '@slipway/contract'
import { z } from 'zod'
import { type Client, requestOf } from './client.ts'
import { type Kind, shareName } from './world.ts'

/** Any object of the API; what only some have may be missing. */
const Shown = z.looseObject({
  id: z.string(),
  name: z.string(),
  project_id: z.string().nullable().optional(),
  status: z.string().optional(),
  status_message: z.string().nullable().optional(),
  status_deadline: z.string().nullable().optional(),
})

export interface Seen {
  kind: Kind
  user: number
  object: z.infer<typeof Shown>
}

/** Gives a name to what has none. */
export const withName = (kind: Kind, object: Record<string, unknown>): Record<string, unknown> =>
  kind === 'share' ? { ...object, name: shareName(String(object.vm_name), object.port) } : object

const ofProject: [Kind, Endpoint][] = [
  ['vm', vmApi.list],
  ['disk', diskApi.list],
  ['vmSnapshot', vmSnapshotApi.list],
  ['diskSnapshot', diskSnapshotApi.list],
  ['vmPool', vmPoolApi.list],
  ['vmSet', vmSetApi.list],
  ['share', shareApi.list],
]

const binKinds: Record<string, Kind> = {
  vm: 'vm',
  disk: 'disk',
  vm_snapshot: 'vmSnapshot',
  disk_snapshot: 'diskSnapshot',
  vm_pool: 'vmPool',
  vm_set: 'vmSet',
}

const InBin = z.looseObject({
  id: z.string(),
  kind: z.string(),
  vms: z.array(z.looseObject({ id: z.string() })),
  disks: z.array(z.looseObject({ id: z.string() })),
})

/** What is deleted and kept in the bin of a project; nothing when the server did not answer. */
export async function lookInBin(client: Client, projectId: string): Promise<{ kind: Kind; id: string }[]> {
  const answer = await client.send(requestOf(binApi.list, { params: { projectId } }))
  if (answer?.status !== 200) return []
  return z
    .array(InBin)
    .parse(JSON.parse(answer.text))
    .flatMap(({ id, kind, vms, disks }) => [
      { kind: binKinds[kind] ?? 'vm', id },
      ...vms.map((vm) => ({ kind: 'vm' as const, id: vm.id })),
      ...disks.map((disk) => ({ kind: 'disk' as const, id: disk.id })),
    ])
}

/** Null when the server did not answer everything with success, as while it is down. */
export async function lookAt(client: Client, user: number): Promise<Seen[] | null> {
  async function list(
    kind: Kind,
    endpoint: Endpoint,
    params: Record<string, string> = {},
  ): Promise<Seen[] | null> {
    const answer = await client.send(requestOf(endpoint, { params }))
    if (answer?.status !== 200) return null
    const objects = z.array(z.looseObject({})).parse(JSON.parse(answer.text))
    return objects.map((object) => ({ kind, user, object: Shown.parse(withName(kind, object)) }))
  }
  const own = await Promise.all([list('project', projectApi.list), list('sshKey', sshKeyApi.list)])
  const [projects] = own
  if (!projects) return null
  const inside = await Promise.all(
    projects.flatMap(({ object: { id } }) =>
      ofProject.map(([kind, endpoint]) => list(kind, endpoint, { projectId: id })),
    ),
  )
  // Templates belong to all; the first user is the one who may add them.
  const templates = user === 0 ? [await list('template', templateApi.list)] : []
  const all = [...own, ...inside, ...templates]
  return all.includes(null) ? null : all.flatMap((part) => part ?? [])
}
