/** What a project has in the cluster that SLIPWAY_TEST_KUBECONFIG names. */
import { randomBytes, randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { systemClock } from '../../lib/clock.ts'
import { silentLog } from '../../lib/log.ts'
import { kinds } from './kinds.ts'
import { type KubeClient, makeKubeClient } from './kube/kube-client.ts'
import { readKubeconfig } from './kube/kubeconfig.ts'
import { makeMirror } from './mirror.ts'
import { makeNames } from './names.ts'
import { makePolicies } from './project-policy.ts'
import { makeProjects } from './projects.ts'

const kubeconfig = process.env.SLIPWAY_TEST_KUBECONFIG
if (!kubeconfig)
  console.log('SKIPPED: "the quota of a project", because SLIPWAY_TEST_KUBECONFIG names no cluster')

describe.skipIf(!kubeconfig)('the quota of a project', () => {
  const names = makeNames(`slipway-${randomBytes(3).toString('hex')}`)
  const projectId = randomUUID()
  const namespace = names.namespaceOf(projectId)
  let client: KubeClient
  let mirror: ReturnType<typeof makeMirror>

  beforeAll(async () => {
    client = makeKubeClient(await readKubeconfig(kubeconfig ?? '', systemClock), { clock: systemClock })
    mirror = makeMirror({ client, names, clock: systemClock, log: silentLog })
    await mirror.projects.synced
  })
  afterAll(async () => {
    for (const name of [namespace, names.imagesNamespace])
      await client.remove(kinds.namespaces, { name }).catch(() => {})
    await mirror.close()
    client.close()
  })

  /** As a server does that begins with these settings. */
  async function quotasWith(quota?: Record<string, string>) {
    const ground = { client, mirror, names, clock: systemClock, log: silentLog }
    const policies = makePolicies(ground, true)
    await makeProjects(
      { ...ground, storageClass: null, snapshotClass: null },
      { ...(quota && { quota }), policies },
    ).ensureProject(projectId)
    const { items } = await client.list(kinds.quotas, { namespace })
    return items.map(({ metadata, spec }) => ({ name: metadata.name, hard: spec.hard }))
  }

  it('is what the settings say, becomes what they say later, and goes with them', async () => {
    const first = { 'requests.memory': '64Gi', 'count/virtualmachines.kubevirt.io': '5' }
    expect(await quotasWith(first)).toEqual([{ name: 'project', hard: first }])
    expect(await quotasWith(first)).toEqual([{ name: 'project', hard: first }])
    const later = { 'requests.storage': '1Ti' }
    expect(await quotasWith(later)).toEqual([{ name: 'project', hard: later }])
    expect(await quotasWith()).toEqual([])
    expect(await quotasWith()).toEqual([])
  })
})
