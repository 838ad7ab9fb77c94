/** Consoles, ports, screens and figures against a cluster: where SLIPWAY_TEST_KUBECONFIG names one. */
import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { systemClock } from '../../lib/clock.ts'
import { silentLog } from '../../lib/log.ts'
import type { Ground } from './ground.ts'
import { kinds } from './kinds.ts'
import { type KubeClient, makeKubeClient } from './kube/kube-client.ts'
import { readKubeconfig } from './kube/kubeconfig.ts'
import { livingInstance, makeLines } from './lines.ts'
import { makeMirror } from './mirror.ts'
import { makeNames } from './names.ts'
import { makeRecorder } from './recorder.ts'
import { makeUsage, usageSource } from './usage.ts'

const kubeconfig = process.env.SLIPWAY_TEST_KUBECONFIG
if (!kubeconfig) console.log('SKIPPED: "streams of a cluster", because SLIPWAY_TEST_KUBECONFIG names none')

const patience = { timeout: 60_000 }

describe.skipIf(!kubeconfig)('streams of a cluster', () => {
  const prefix = `slipway-t${randomUUID().slice(0, 6)}`
  const names = makeNames(prefix)
  const [projectId, id] = [randomUUID(), randomUUID()]
  const namespace = names.namespaceOf(projectId)
  const at = { namespace, name: names.machine(id) }
  let client: KubeClient
  let ground: Ground
  let directory: string

  beforeAll(async () => {
    const clock = systemClock
    client = makeKubeClient(await readKubeconfig(kubeconfig ?? '', clock), { clock })
    const labels = names.labels('project', projectId, projectId)
    await client.create(kinds.namespaces, undefined, {
      kind: 'Namespace',
      metadata: {
        name: namespace,
        labels: { ...labels, 'pod-security.kubernetes.io/enforce': 'privileged' },
      },
    })
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
    const mirror = makeMirror({ client, names, clock, log: silentLog })
    ground = { client, mirror, names, clock, log: silentLog, storageClass: null, snapshotClass: null }
    directory = await mkdtemp(path.join(tmpdir(), 'slipway-streams-'))
    await mirror.synced
    await vi.waitFor(() => expect(livingInstance(ground, id)).not.toBeNull(), patience)
  }, 90_000)

  afterAll(async () => {
    await ground.mirror.close()
    await client.remove(kinds.namespaces, { name: namespace }).catch(() => {})
    client.close()
    await rm(directory, { recursive: true, force: true })
  })

  it('keeps what the console prints, and types into it', async () => {
    const recorder = await makeRecorder(ground, directory)
    onTestFinished(() => recorder.close())
    const terminal = await recorder.open(id)
    if (!terminal) throw new Error('There is no console')
    await expect.poll(() => terminal.write(Buffer.from('\r')), patience).toBe(true)
    await expect.poll(async () => String(await terminal.read(0, 100_000)), patience).toMatch(/login/)
    expect(terminal.notes()).toMatchObject([{ what: 'started', offset: 0 }])
    terminal.close()
  })

  it('reaches port 22, or says why it cannot', async () => {
    const lines = makeLines(ground)
    await expect.poll(() => lines.answers(id), patience).toBe(true)
    const { stream } = await lines.dial(id, 22)
    const greeting = await new Promise<Buffer>((resolve) => stream.once('data', resolve))
    expect(String(greeting)).toMatch(/^SSH-/)
    stream.destroy()
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
    await expect.poll(opensAgain, patience).toBe(true)
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
