// @module-tag full
/** What a project has in the cluster that SLIPWAY_TEST_KUBECONFIG names. */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { groundOver, kubeconfig, newClient, newPrefix } from './cluster.test-kit.ts'
import type { Ground } from './ground.ts'
import { kinds } from './kinds.ts'
import { makePolicies } from './project-policy.ts'
import { makeProjects } from './projects.ts'

if (!kubeconfig)
  console.log('SKIPPED: "the quota of a project", because SLIPWAY_TEST_KUBECONFIG names no cluster')

describe.skipIf(!kubeconfig)('the quota of a project', () => {
  const projectId = randomUUID()
  let ground: Ground
  const namespace = () => ground.names.namespaceOf(projectId)

  beforeAll(async () => {
    ground = groundOver(await newClient(), newPrefix())
    await ground.mirror.projects.synced
  })
  afterAll(async () => {
    const { client, mirror, names } = ground
    for (const name of [namespace(), names.imagesNamespace])
      await client.remove(kinds.namespaces, { name }).catch(() => {})
    await mirror.close()
    client.close()
  })

  /** As a server does that begins with these settings. */
  async function quotasWith(quota?: Record<string, string>) {
    const policies = makePolicies(ground, true)
    await makeProjects(ground, { ...(quota && { quota }), policies }).ensureProject(projectId)
    const { items } = await ground.client.list(kinds.quotas, { namespace: namespace() })
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
