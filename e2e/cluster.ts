/** What is in a Kubernetes cluster for tests, seen from outside. */
import { type Kube, type KubeObject, makeKube, readKubeAccess } from './kube.ts'

/** What objects of the whole cluster say of where they belong. */
interface ClusterObject extends KubeObject {
  spec?: { claimRef?: Place; volumeSnapshotRef?: Place; virtualMachineSnapshotName?: string }
  status?: { phase?: string }
}

interface Place {
  namespace?: string
  name?: string
  uid?: string
}

/** One of the things that are in a cluster. */
export interface Thing {
  /** `resource namespace/name`; of what stands outside for something inside, with the place of that; and whose it is. */
  name: string
  uid: string
  /** What it goes with. */
  owners: string[]
}

export interface Cluster extends Pick<Kube, 'merge' | 'remove' | 'close'> {
  /** The items of a path such as `/api/v1/namespaces`. */
  list: (path: string) => Promise<ClusterObject[]>
  /** Everything there is in namespaces of these names, and what stands for it outside. */
  contents: (isIn: (namespace: string) => boolean) => Promise<Thing[]>
}

/** Names of what is not known by its name and goes with nothing that is. */
export function strangersOf(things: readonly Thing[], isKnown: (name: string) => boolean): string[] {
  const known = new Set<string>()
  for (let before = -1; before < known.size; ) {
    before = known.size
    for (const { name, uid, owners } of things)
      if (isKnown(name) || owners.some((owner) => known.has(owner))) known.add(uid)
  }
  return things.filter(({ uid }) => !known.has(uid)).map(({ name }) => name)
}

/** With the current context of a kubeconfig. */
export async function openCluster(file: string): Promise<Cluster> {
  const kube = makeKube(await readKubeAccess(file))
  const list = (path: string) => kube.list<ClusterObject>(path)
  let kinds: Promise<string[]> | undefined

  async function thingsOf(path: string, isIn: (namespace: string) => boolean): Promise<Thing[]> {
    const resource = path.slice(path.lastIndexOf('/') + 1)
    const found: Thing[] = []
    for (const { metadata, spec } of await list(path)) {
      const { name, uid, namespace, ownerReferences = [] } = metadata
      const inside = namespace === undefined ? (spec?.claimRef ?? spec?.volumeSnapshotRef) : undefined
      const of = resource === 'namespaces' ? name : (namespace ?? inside?.namespace ?? '')
      if (!isIn(of)) continue
      const owners = [...ownerReferences, inside].map((owner) => owner?.uid ?? '')
      const snapshot = spec?.virtualMachineSnapshotName
      const whose = snapshot === undefined ? '' : ` of ${snapshot}`
      found.push({ name: `${resource} ${of}/${inside?.name ?? name}${whose}`, uid, owners })
    }
    return found
  }

  return {
    ...kube,
    list,
    async contents(isIn) {
      kinds ??= kube.everyKind()
      const things = await Promise.all((await kinds).map((path) => thingsOf(path, isIn)))
      return things.flat()
    },
  }
}
