/** A cluster for benches: what they look at in objects, and how they hear of changes. */
import { createInterface } from 'node:readline'
import { type KubeAccess, makeKube } from '@slipway/e2e/kube'

export interface KubeObject {
  apiVersion?: string | undefined
  kind?: string | undefined
  metadata: {
    name: string
    namespace?: string
    uid?: string
    resourceVersion?: string
    labels?: Record<string, string>
    annotations?: Record<string, string>
    [more: string]: unknown
  }
  spec?: unknown
  status?: unknown
}

/** Paths of the kinds that the benches write. */
export const machinesOf = (namespace: string) =>
  `/apis/kubevirt.io/v1/namespaces/${namespace}/virtualmachines`
export const instancesOf = (namespace: string) =>
  `/apis/kubevirt.io/v1/namespaces/${namespace}/virtualmachineinstances`

export function makeCluster(access: KubeAccess) {
  const kube = makeKube(access)
  const call = <T = KubeObject>(method: string, path: string, body?: object): Promise<T> =>
    kube.call<T>(method, path, body)
  return {
    ...kube,
    call,
    /** Tells what happens to the objects of a path from now on. Returns the way to stop. */
    async watch(path: string, heard: (type: string, object: KubeObject) => void): Promise<() => void> {
      const { metadata } = await call<{ metadata: { resourceVersion: string } }>('GET', `${path}?limit=1`)
      const from = `${path}?watch=true&resourceVersion=${metadata.resourceVersion}`
      const answer = await kube.send('GET', from, { alone: true })
      answer.on('error', () => {})
      createInterface({ input: answer }).on('line', (line) => {
        const { type, object } = JSON.parse(line)
        heard(type, object)
      })
      return () => answer.destroy()
    },
  }
}

export type Cluster = ReturnType<typeof makeCluster>
