/** How long it is from a call of ours to the cluster, and from the cluster to a browser. */
import { get, type IncomingMessage } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { sshKeyApi, vmApi } from '@slipway/contract'
import { instancesOf, type KubeObject, machinesOf } from './cluster.ts'
import { newPublicKey } from './fleet.ts'
import type { Ground } from './kubevirt-ground.ts'
import { quantile, report } from './report.ts'

/** Long enough for what follows in the cluster, so that each is measured alone. */
const pauses = { bareMs: 200, oursMs: 1_000 }

/** Tells when a text first came by. */
function makeBystander() {
  const waiting = new Map<string, (at: number) => void>()
  return {
    heard(text: string): void {
      for (const [wanted, tell] of waiting) {
        if (!text.includes(wanted)) continue
        waiting.delete(wanted)
        tell(performance.now())
      }
    },
    comes: (wanted: string) => new Promise<number>((tell) => void waiting.set(wanted, tell)),
  }
}

/**
 * Until a bystander who watches the cluster hears that the VirtualMachine was made: by a POST to us, and by creating the
 * same object with a plain client, in turns.
 */
export async function benchCreates(
  { person, fleet, template, cluster, namespace }: Ground,
  samples: number,
): Promise<boolean> {
  const path = machinesOf(namespace)
  const pattern = await cluster.call('GET', `${path}/vm-${fleet.vms[0]?.id}`)
  const key = await person.call(sshKeyApi.create, {
    body: { key_name: 'bench lags', ssh_public_key: newPublicKey() },
  })
  const bystander = makeBystander()
  const stop = await cluster.watch(path, (type, { metadata }) => {
    if (type === 'ADDED') bystander.heard(`${metadata.name} `)
  })
  const bare: number[] = []
  const ours: number[] = []
  const answers: number[] = []
  for (let i = 0; i < samples; i++) {
    const object = stranger(pattern, `bare-${i}`)
    const bareIsThere = bystander.comes(`bare-${i} `)
    let began = performance.now()
    await cluster.call('POST', path, object)
    bare.push((await bareIsThere) - began)
    await sleep(pauses.bareMs)

    // Its id is known with the answer, and the object may be quicker: any machine of ours is this one.
    const oursIsThere = bystander.comes('vm-')
    began = performance.now()
    await person.call(vmApi.create, {
      params: { projectId: fleet.project.id },
      body: { name: `lag-${i}`, template_id: template.id, ssh_key_id: key.id },
    })
    answers.push(performance.now() - began)
    ours.push((await oursIsThere) - began)
    await sleep(pauses.oursMs)
  }
  stop()
  const more = quantile(ours, 0.95) - quantile(bare, 0.95)
  return report(`Until a VirtualMachine is written, ${samples} times in turns`, [
    { what: 'bare create, median', value: quantile(bare, 0.5), unit: 'ms', goal: null },
    { what: 'bare create, 95 %', value: quantile(bare, 0.95), unit: 'ms', goal: null },
    { what: 'our POST, answered, median', value: quantile(answers, 0.5), unit: 'ms', goal: null },
    { what: 'our POST, written, median', value: quantile(ours, 0.5), unit: 'ms', goal: null },
    { what: 'our POST, written, 95 %', value: quantile(ours, 0.95), unit: 'ms', goal: null },
    { what: 'more than the bare create, 95 %', value: more, unit: 'ms', goal: 50 },
  ])
}

/** The same object under another name, and as if it were not ours. */
function stranger({ apiVersion, kind, metadata, spec }: KubeObject, name: string): KubeObject {
  const text = JSON.stringify(spec).replaceAll(metadata.name, name)
  const bare = JSON.parse(text, (field, value) => (field === 'labels' ? {} : value))
  return { apiVersion, kind, metadata: { name, labels: { bench: name } }, spec: bare }
}

/** From a change of an instance in the cluster, which nobody told us of, to the event stream of a browser. */
export async function benchEvents(
  { server, person, fleet, cluster, namespace }: Ground,
  samples: number,
): Promise<boolean> {
  const path = instancesOf(namespace)
  const browser = makeBystander()
  const watcher = makeBystander()
  const stop = await cluster.watch(path, (_type, object) => watcher.heard(JSON.stringify(object.status)))
  const stream = await new Promise<IncomingMessage>((resolve, reject) => {
    const headers = { cookie: person.cookie }
    get(new URL('/api/events', server.url), { agent: false, headers }, resolve).on('error', reject)
  })
  stream.setEncoding('utf8').on('data', browser.heard)
  stream.on('error', () => {})
  await sleep(1_000)
  const inCluster: number[] = []
  const inBrowser: number[] = []
  for (let i = 0; i < samples; i++) {
    const vm = fleet.vms[(i * 37) % fleet.vms.length]
    const at = `${path}/vm-${vm?.id}`
    const { status } = (await cluster.call('GET', at)) as { status: { interfaces: { ipAddress: string }[] } }
    const [first, ...others] = status.interfaces
    const ipAddress = `10.99.${i}.1`
    const heard = [watcher.comes(`"${ipAddress}"`), browser.comes(`"${ipAddress}"`)] as const
    const began = performance.now()
    await cluster.merge(at, { status: { interfaces: [{ ...first, ipAddress }, ...others] } })
    inCluster.push((await heard[0]) - began)
    inBrowser.push((await heard[1]) - began)
    await sleep(100)
  }
  stop()
  stream.destroy()
  return report(`An event of the cluster with ${fleet.vms.length} VMs, ${samples} times`, [
    { what: 'until another watch has it, median', value: quantile(inCluster, 0.5), unit: 'ms', goal: null },
    { what: 'until another watch has it, 95 %', value: quantile(inCluster, 0.95), unit: 'ms', goal: null },
    { what: 'until a browser has it, median', value: quantile(inBrowser, 0.5), unit: 'ms', goal: null },
    { what: 'until a browser has it, 95 %', value: quantile(inBrowser, 0.95), unit: 'ms', goal: 300 },
  ])
}
