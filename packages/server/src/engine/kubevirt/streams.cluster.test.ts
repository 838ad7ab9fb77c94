// @module-tag full
/** Ports, screens and figures against a cluster: where SLIPWAY_TEST_KUBECONFIG names one. */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { groundOver, kubeconfig, newClient, newPrefix } from './cluster.test-kit.ts'
import type { Ground } from './ground.ts'
import { kinds } from './kinds.ts'
import type { KubeClient } from './kube/kube-client.ts'
import { livingInstance, makeLines } from './lines.ts'
import { makeNames } from './names.ts'
import { makeUsage, usageSource } from './usage.ts'

if (!kubeconfig) console.log('SKIPPED: "streams of a cluster", because SLIPWAY_TEST_KUBECONFIG names none')

describe.skipIf(!kubeconfig)('streams of a cluster', () => {
  const prefix = newPrefix()
  const names = makeNames(prefix)
  const [projectId, id] = [randomUUID(), randomUUID()]
  const namespace = names.namespaceOf(projectId)
  const at = { namespace, name: names.machine(id) }
  let client: KubeClient
  let ground: Ground

  beforeAll(async () => {
    client = await newClient()
    const labels = names.labels('project', projectId, projectId)
    const privileged = { ...labels, 'pod-security.kubernetes.io/enforce': 'privileged' }
    const metadata = { name: namespace, labels: privileged }
    await client.create(kinds.namespaces, undefined, { kind: 'Namespace', metadata })
    const machine = names.labels('machine', id, projectId)
    await client.create(kinds.machines, namespace, {
      kind: 'VirtualMachine',
      metadata: { name: at.name, labels: machine },
      spec: {
        runStrategy: 'Always',
        template: {
          metadata: { labels: machine },
          spec: {
            terminationGracePeriodSeconds: 1,
            domain: {
              memory: { guest: '128Mi' },
              devices: {
                disks: [{ name: 'root', disk: { bus: 'virtio' } }],
                interfaces: [{ name: 'default', masquerade: {} }],
              },
            },
            networks: [{ name: 'default', pod: {} }],
            volumes: [
              { name: 'root', containerDisk: { image: 'quay.io/kubevirt/cirros-container-disk-demo' } },
            ],
          },
        },
      },
    })
    ground = groundOver(client, prefix)
    await ground.mirror.synced
    await vi.waitFor(() => expect(livingInstance(ground, id)).not.toBeNull(), { timeout: 60_000 })
  })

  afterAll(async () => {
    await ground.mirror.close()
    await client.remove(kinds.namespaces, { name: namespace }).catch(() => {})
    client.close()
  })

  it('says why a port cannot be reached', async () => {
    const lines = makeLines(ground)
    await expect.poll(() => lines.answers(id)).toBe(true)
    await expect(lines.dial(id, 47_111)).rejects.toMatchObject({
      code: 'unreachable',
      message: 'Nothing in the VM listens on port 47111.',
    })
  })

  it('shows the screen to one person, and tells the next', async () => {
    const lines = makeLines(ground)
    const screen = await lines.openScreen(id)
    expect(String(screen?.read())).toMatch(/^RFB /)
    await expect(lines.openScreen(id)).rejects.toThrow('Someone else is viewing the screen')
    screen?.destroy()
    const opensAgain = async () => {
      const next = await lines.openScreen(id)
      next?.destroy()
      return next !== null
    }
    await expect.poll(opensAgain).toBe(true)
  })

  it('tells what the guest uses', async () => {
    const { usage, trouble } = makeUsage(ground, usageSource(ground, prefix, null))
    const figures = await usage('everything')
    expect(trouble()).toBeNull()
    expect(figures.get(id)).toMatchObject({
      run: livingInstance(ground, id)?.uid,
      memoryMb: expect.any(Number),
    })
  })
})
