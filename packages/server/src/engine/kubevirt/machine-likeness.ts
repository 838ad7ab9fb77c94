/** What of a machine may be another at its next start, and how that is written into the cluster. */
import { createHash } from 'node:crypto'
import type { MachineLikeness } from '../engine.ts'
import type { Ground } from './ground.ts'
import { kinds } from './kinds.ts'
import { seedObject } from './machine-seed.ts'
import { makeMachineWrites } from './machine-writes.ts'
import type { MirroredMachine } from './mirror.ts'
import { mark } from './names.ts'
import { makeUnread, removeOnce } from './removal.ts'

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

/**
 * Makes a machine, which no guest has now, like this; the seed of its guest first, in place of the one that it had: seeds
 * are written and never read, and the answer to a change would hold all of one. Costs no call when it is so.
 */
export async function become(
  ground: Pick<Ground, 'client' | 'mirror' | 'names'>,
  machine: MirroredMachine,
  like: MachineLikeness,
): Promise<void> {
  const isLike = likenessMark(like)
  if (machine.annotations[mark.like] === isLike) return
  const { id, projectId, namespace } = machine
  const { merge } = makeMachineWrites(ground)
  // A seed that is not the one of its mark must not pass for it, wherever this is cut off.
  if (machine.annotations[mark.like] !== undefined)
    await merge(machine, { metadata: { annotations: { [mark.like]: null } } })
  const seed = seedObject(ground.names, { id, projectId, ...like }, machine)
  await removeOnce(ground, kinds.secrets, { namespace, name: seed.metadata.name })
  await makeUnread(ground, kinds.secrets, namespace, seed)
  await merge(machine, {
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
}
