/** What every object of Kubernetes has, and where each kind of them stands in the API. */

export interface KubeMeta {
  name: string
  namespace?: string
  uid?: string
  resourceVersion?: string
  generation?: number
  creationTimestamp?: string
  deletionTimestamp?: string
  labels?: Record<string, string>
  annotations?: Record<string, string>
  finalizers?: string[]
  ownerReferences?: { apiVersion: string; kind: string; name: string; uid: string; controller?: boolean }[]
}

export interface KubeObject {
  apiVersion?: string
  kind?: string
  metadata: KubeMeta
}

/** An object on its way to the server: it may leave the name to it, and some kinds have none. */
export type Unsaved<T extends KubeObject> = Omit<T, 'metadata'> & {
  metadata: Omit<KubeMeta, 'name'> & { name?: string; generateName?: string }
}

/** A kind of objects. `group` is empty for those of the core. */
export interface Kind<T extends KubeObject = KubeObject> {
  group: string
  version: string
  plural: string
  /** Says only to the compiler which shape such an object has. */
  readonly of?: T
}

/** Which object; `namespace` is left out where there is none. */
export interface At {
  namespace?: string
  name: string
}

export interface KubeList<T extends KubeObject> {
  metadata: { resourceVersion: string; continue?: string; remainingItemCount?: number }
  items: T[]
}

/** Where objects of this kind are found: all of them, or those of a namespace. */
export function pathOf({ group, version, plural }: Kind, namespace?: string): string {
  const root = group === '' ? `/api/${version}` : `/apis/${group}/${version}`
  const inside = namespace === undefined ? '' : `/namespaces/${encodeURIComponent(namespace)}`
  return `${root}${inside}/${plural}`
}

/** Where one object is found, or a part of it such as `status`. */
export const pathTo = (kind: Kind, at: At, part = ''): string =>
  `${pathOf(kind, at.namespace)}/${encodeURIComponent(at.name)}${part && `/${part}`}`

/** By which an object is known among those of its kind. */
export const keyOf = ({ namespace, name }: { namespace?: string; name: string }): string =>
  namespace === undefined ? name : `${namespace}/${name}`

/** Whether a version comes after another. Those of one kind are numbers that only grow; others can only be unequal. */
export function isNewer(version: string, than: string): boolean {
  const areNumbers = /^\d+$/.test(version) && /^\d+$/.test(than)
  if (!areNumbers) return version !== than
  return version.length === than.length ? version > than : version.length > than.length
}
