/**
 * What all engines promise, on the cluster that SLIPWAY_TEST_KUBECONFIG names, with just the rights that the chart grants
 * to the servers: a call that is refused fails the run, even where the engine would have gone on without. Its guests are played: where
 * SLIPWAY_TEST_GUEST_COMMAND names a command, `COMMAND NAMESPACE/NAME poweroff` (or `crash`) lets that happen in one.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { leastValues, renderChart } from '../../deploy/chart.test-kit.ts'
import { clusterAs, install, uninstall } from '../../deploy/installed-chart.test-kit.ts'
import { systemClock } from '../../lib/clock.ts'
import { run } from '../../lib/command.ts'
import { describeEngine } from '../engine.suite.ts'
import { PROJECT_ID } from '../engine.test-kit.ts'
import { engineOver, kubeconfig, makeBootImage, newPrefix } from './cluster.test-kit.ts'
import { anySource } from './images.test-kit.ts'
import { kinds } from './kinds.ts'
import { type KubeClient, makeKubeClient } from './kube/kube-client.ts'
import { isKube } from './kube/kube-error.ts'
import { readKubeconfig } from './kube/kubeconfig.ts'
import { makeNames } from './names.ts'

const guestCommand = process.env.SLIPWAY_TEST_GUEST_COMMAND
const MIB = 2 ** 20

if (kubeconfig && guestCommand) describeEngine('KubeVirt', () => makeHarness(guestCommand))
else {
  const missing = kubeconfig
    ? 'SLIPWAY_TEST_GUEST_COMMAND names no way into guests'
    : 'SLIPWAY_TEST_KUBECONFIG names no cluster'
  console.log(`SKIPPED: "KubeVirt as an engine", because ${missing}`)
  test.skip('KubeVirt as an engine', () => {})
}

async function makeHarness(command: string) {
  const prefix = newPrefix()
  const names = makeNames(prefix)
  const image = { namespace: names.imagesNamespace, name: 'image-test', sizeBytes: 64 * MIB }
  const limits = { clock: systemClock, qps: 500, burst: 500 }
  const client = makeKubeClient(await readKubeconfig(kubeconfig ?? '', systemClock), limits)
  const release = `${prefix}-release`
  const rendered = renderChart({ ...leastValues, kube: { prefix } }, { name: release, namespace: release })
  // No pod of it has to come up: the engine runs here, as the account of the servers.
  const chart = rendered.filter(({ kind }) =>
    /^(Namespace|ServiceAccount|(Cluster)?Role(Binding)?)$/.test(kind),
  )
  await client.create(kinds.namespaces, undefined, { kind: 'Namespace', metadata: { name: release } })
  await install(client, release, chart)
  const cluster = await clusterAs(client, { namespace: release, name: release })
  const refused: string[] = []
  const newClient = () => tellingRefusals(makeKubeClient(cluster, limits), refused)
  const directory = await mkdtemp(join(tmpdir(), 'slipway-recorder-'))
  await makeBootImage(client, image, names.labels('image', 'test', null))
  /** Whether a stream was refused because its project was being removed: the rights there go first. */
  async function wentWithItsProject(refusal: string): Promise<boolean> {
    const [, name] = /^openStream: .* in the namespace "([^"]+)"/.exec(refusal) ?? []
    if (name === undefined) return false
    try {
      return (await client.get(kinds.namespaces, { name })).metadata.deletionTimestamp !== undefined
    } catch (error) {
      return isKube(error, 'not-found')
    }
  }
  const at = (machineId: string) => `${names.namespaceOf(PROJECT_ID)}/${names.machine(machineId)}`

  return {
    imageId: 'test',
    sshPublicKey: 'ssh-ed25519 AAAA test@home',
    greets: true as const,
    growsAtBoot: true as const,
    // A played guest asks who it is, and has few words.
    console: {
      signIn: 'root\rany\r',
      prompt: 'root@',
      command: 'yes 300\r',
      output: `${'y'.repeat(70)}\r\n`.repeat(300),
    },
    pass: (ms: number) => new Promise<void>((resolve) => void setTimeout(resolve, ms)),
    async open() {
      const sources = () => anySource(128 * MIB)
      const engine = engineOver(newClient(), { prefix, image, directory, sources })
      await engine.open()
      return engine
    },
    async happen(machineId: string, what: 'powers itself off' | 'reboots' | 'is killed') {
      const [program = '', ...words] = command.split(' ')
      // A guest whose reboot ends the run looks like one that was killed: KubeVirt says `Failed` of both.
      await run(program, [...words, at(machineId), what === 'powers itself off' ? 'poweroff' : 'crash'])
    },
    async cleanUp() {
      const unexplained: string[] = []
      for (const refusal of refused) if (!(await wentWithItsProject(refusal))) unexplained.push(refusal)
      await client.remove(kinds.namespaces, { name: names.namespaceOf(PROJECT_ID) }).catch(() => {})
      await uninstall(client, release, chart)
      client.close()
      await rm(directory, { recursive: true })
      expect(unexplained).toEqual([])
    },
  }
}

/** The same client, which writes down what it may not. */
function tellingRefusals(client: KubeClient, refused: string[]): KubeClient {
  return new Proxy(client, {
    get(target, name, self) {
      const value: unknown = Reflect.get(target, name, self)
      if (typeof value !== 'function') return value
      return (...all: unknown[]) => {
        const result: unknown = value.apply(target, all)
        if (result instanceof Promise)
          result.catch((error: unknown) => {
            if (isKube(error, 'forbidden')) refused.push(`${String(name)}: ${error.message}`)
          })
        return result
      }
    },
  })
}
