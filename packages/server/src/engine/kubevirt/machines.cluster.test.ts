/** What only a cluster does to machines: starts that wait. On the one that SLIPWAY_TEST_KUBECONFIG names. */
import { randomBytes, randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { systemClock } from '../../lib/clock.ts'
import { silentLog } from '../../lib/log.ts'
import { anySource, imagesOf } from './images.test-kit.ts'
import { kinds } from './kinds.ts'
import { makeKubeClient } from './kube/kube-client.ts'
import { readKubeconfig } from './kube/kubeconfig.ts'
import { makeKubevirtEngine } from './kubevirt-engine.ts'
import { makeNames } from './names.ts'

const kubeconfig = process.env.SLIPWAY_TEST_KUBECONFIG
if (!kubeconfig)
  console.log('SKIPPED: "a start that waits", because SLIPWAY_TEST_KUBECONFIG names no cluster')

test.skipIf(!kubeconfig)(
  'a start that waits for its root disk says so, and can be called off',
  async () => {
    const prefix = `slipway-${randomBytes(3).toString('hex')}`
    const names = makeNames(prefix)
    const cluster = await readKubeconfig(kubeconfig ?? '', systemClock)
    const asked: string[] = []
    const plain = makeKubeClient(cluster, { clock: systemClock })
    const counted =
      <A extends unknown[], R>(word: string, call: (...given: A) => R) =>
      (...given: A): R => {
        asked.push(word)
        return call(...given)
      }
    const client: typeof plain = {
      ...plain,
      get: counted('get', plain.get) as typeof plain.get,
      patch: counted('patch', plain.patch) as typeof plain.patch,
      put: counted('put', plain.put),
    }
    const directory = await mkdtemp(join(tmpdir(), 'slipway-recorder-'))
    const image = { namespace: names.imagesNamespace, name: 'nothing', sizeBytes: 2 ** 26 }
    const engine = makeKubevirtEngine({
      ...{ client, prefix, storageClass: null, snapshotClass: null, rootBytes: 2 ** 26 },
      ...{ clock: systemClock, log: silentLog },
      images: () => imagesOf(image),
      sources: () => anySource(2 ** 26),
      recorder: { directory },
      prometheusUrl: null,
      networks: true,
    })
    await engine.open()
    const [id, projectId] = [randomUUID(), randomUUID()]
    const size = { cpu: 1, memoryMb: 128, imageId: 'x', sshPublicKeys: [], volumeIds: [], persistent: true }
    await engine.createMachine({ id, projectId, hostname: 'a', ...size })
    asked.length = 0
    await engine.startMachine(id, { freshRoot: false, volumeIds: [] })
    // Its disks are as they should be, as far as is known here.
    expect(asked).toEqual(['put'])
    expect(await engine.inspect(id)).toMatchObject({
      power: 'booting',
      held: { by: 'parts', reason: expect.stringMatching(/^The root disk/) },
    })
    await engine.powerOff(id)
    expect(await engine.inspect(id)).toEqual({ power: 'off', run: null, exit: null })
    await engine.deleteMachine(id)
    await expect.poll(() => engine.inspect(id)).toEqual({ power: 'absent' })
    await engine.deleteProject(projectId)
    await client.remove(kinds.namespaces, { name: names.imagesNamespace })
    await engine.close()
    await rm(directory, { recursive: true })
  },
  30_000,
)
