/** How our objects are called in the cluster, and by which labels they are known again. */

/** Labels and annotations of ours. */
export const mark = {
  /** Which installation an object belongs to: several may live in one cluster. */
  installation: 'slipway.org/installation',
  /** Our id of a machine, volume or snapshot. */
  id: 'slipway.org/id',
  /** What it is to us. */
  what: 'slipway.org/what',
  project: 'slipway.org/project',
  /** On a machine: what it is to be taken back to. */
  restoreFrom: 'slipway.org/restore-from',
  /** On a machine: its disks were put in place, and it was not started since. The value is the safety point. */
  restored: 'slipway.org/restored',
  /** On a machine: everything that belongs to it was made. */
  whole: 'slipway.org/whole',
  /** On a machine: its last run, which is the uid of an instance. */
  run: 'slipway.org/run',
  /** On a machine: the run in which SSH answered. */
  ready: 'slipway.org/ready',
  /** On a machine: the run that Slipway asked to end. */
  asked: 'slipway.org/asked',
  /** On a machine: how which run ended. */
  ended: 'slipway.org/ended',
  /** On a machine: the uid of the root disk that a guest was started with. */
  usedRoot: 'slipway.org/used-root',
  /** On a machine: what it is like, see `machine-likeness.ts`. */
  like: 'slipway.org/like',
  /** On a machine: its root disk starts from the image again. */
  forgetful: 'slipway.org/forgetful',
  /**
   * On a claim: how large the disk is for which it asks. On the DataVolume: how large it has become since it was made, or is
   * as a copy. On a snapshot: how large the disk in it is, where that is not all of it.
   */
  size: 'slipway.org/size',
  /** On a snapshot of a volume: how it was taken. */
  consistency: 'slipway.org/consistency',
  /** On a boot image: the SHA-256 of what was uploaded, once all of it was. */
  uploaded: 'slipway.org/uploaded',
  /** On a boot image: who uploads it, and how far that is; changes as long as they live. */
  upload: 'slipway.org/upload',
} as const

/** What an object is to us; the same kind of Kubernetes can be several things. */
export type What =
  | 'project'
  | 'machine'
  | 'root-disk'
  | 'seed'
  | 'volume'
  | 'machine-snapshot'
  | 'volume-snapshot'
  | 'restore'
  | 'image'
  | 'trial'

export type Names = ReturnType<typeof makeNames>

/** @param prefix of all namespaces of this installation, at most 20 characters */
export function makeNames(prefix: string) {
  return {
    /** Finds everything of this installation, and nothing else. */
    selector: `${mark.installation}=${prefix}`,
    namespaceOf: (projectId: string): string => `${prefix}-${projectId}`,
    /** Where boot images are kept, once for all projects. */
    imagesNamespace: `${prefix}-images`,
    /** The Service, one in each namespace, whose endpoints are the guests of a project by their names. */
    guests: 'vms',
    image: (key: string): string => `image-${key}`,
    machine: (id: string): string => `vm-${id}`,
    rootDisk: (id: string): string => `vm-${id}-root`,
    seed: (id: string): string => `vm-${id}-seed`,
    volume: (id: string): string => `disk-${id}`,
    machineSnapshot: (id: string): string => `vm-snapshot-${id}`,
    volumeSnapshot: (id: string): string => `disk-snapshot-${id}`,
    restore: (id: string): string => `restore-${id}`,
    /** The right to copy boot images, and who has it. */
    cloneRight: 'clone-images',
    cloneRightOf: (projectId: string): string => `clone-images-${projectId}`,

    labels: (what: What, id: string, projectId: string | null): Record<string, string> => ({
      [mark.installation]: prefix,
      [mark.what]: what,
      [mark.id]: id,
      ...(projectId === null ? {} : { [mark.project]: projectId }),
    }),
  }
}

/** What our labels say of an object; empty words where it carries none. */
export const marksOf = (labels: Record<string, string> | undefined) => ({
  id: labels?.[mark.id] ?? '',
  what: labels?.[mark.what] ?? '',
  projectId: labels?.[mark.project] ?? '',
})
