/** What of a machine may be another at its next start, and how that is written into the cluster. */
import { createHash } from 'node:crypto'
import type { MachineLikeness } from '../engine.ts'
import { seedFiles } from '../seed.ts'
import type { Ground } from './ground.ts'
import { kinds } from './kinds.ts'
import type { MirroredMachine } from './mirror.ts'
import { mark } from './names.ts'

/** Stands on a machine that is like this. */
export const likenessMark = ({
  hostname,
  cpu,
  memoryMb,
  persistent,
  sshPublicKeys,
}: MachineLikeness): string =>
  createHash('sha256')
    .update(JSON.stringify([hostname, cpu, memoryMb, persistent, sshPublicKeys]))
    .digest('hex')
    .slice(0, 16)

/** Makes a machine, which no guest has now, like this; the seed of its guest first. Costs no call when it is so. */
export async function become(
  { client, mirror, names }: Pick<Ground, 'client' | 'mirror' | 'names'>,
  machine: MirroredMachine,
  like: MachineLikeness,
): Promise<void> {
  const isLike = likenessMark(like)
  if (machine.annotations[mark.like] === isLike) return
  const { metaData, userData } = seedFiles({ id: machine.id, ...like })
  const seed = { namespace: machine.namespace, name: names.seed(machine.id) }
  await client.merge(kinds.secrets, seed, { stringData: { 'meta-data': metaData, 'user-data': userData } })
  const changed = await client.merge(kinds.machines, machine, {
    metadata: { annotations: { [mark.like]: isLike, [mark.forgetful]: like.persistent ? null : 'true' } },
    spec: {
      template: {
        spec: {
          hostname: like.hostname,
          domain: {
            cpu: { cores: like.cpu },
            memory: { guest: `${like.memoryMb}Mi` },
            rebootPolicy: like.persistent ? null : 'Terminate',
          },
        },
      },
    },
  })
  mirror.machines.observe(changed)
}
