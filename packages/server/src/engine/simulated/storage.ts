/**
 * Volumes and snapshots of the simulated engine. They hold a line of text where real ones hold bytes, so that tests can
 * see what a copy, a restore or a chain of snapshots leaves. A copy takes the time of a small one.
 */
import type { Clock } from '../../lib/clock.ts'
import {
  type DiskFile,
  EngineError,
  type SnapshotMade,
  type SnapshotState,
  type VolumeMade,
  type VolumeSource,
  type VolumeSpec,
  type VolumeState,
  type Work,
} from '../engine.ts'
import { blankFile, takeFile } from './disk-files.ts'

interface Volume {
  projectId: string
  content: string
  sizeBytes: number
  sha256: string | null
  lost?: true
}

/** What a machine holds, and so what a snapshot of it holds. */
export interface Contents {
  projectId: string
  root: string
  volumes: Record<string, Volume>
  /** What the guest was doing; null when it was off or nobody asked. */
  memory: string | null
}

interface MachineSnapshot extends Contents {
  consistency: SnapshotMade['consistency']
  lost?: true
}

interface VolumeSnapshot {
  volumeId: string
  parentId: string | null
  volume: Volume
  consistency: SnapshotMade['consistency']
  lost?: true
}

export const unreadable = 'A file on the host cannot be read: the disk reports an error (simulated).'
const unmounted = 'The directory volumes/ is not the one Slipway used before. Is it mounted?'
export const unreadableError = (reason = unreadable) =>
  new EngineError('internal', reason, { retryable: true })
export type StorageSection = 'volumes' | 'machineSnapshots' | 'volumeSnapshots'

const copyMs = 1_200
const steps = 6
const mebibyte = 1024 ** 2

export function makeSimulatedStorage({
  clock,
  span,
  changed,
}: {
  clock: Clock
  span: (ms: number) => number
  changed: (section: StorageSection, id: string, value: unknown) => void
}) {
  const volumes = new Map<string, Volume>()
  const machineSnapshots = new Map<string, MachineSnapshot>()
  const volumeSnapshots = new Map<string, VolumeSnapshot>()
  const hidden = new Set<string>()
  let volumesAreUnmounted = false

  const isHidden = (id: string) => hidden.has(id)
  function requireReadable(id: string): void {
    if (isHidden(id)) throw unreadableError()
  }
  function requireVolumes(): void {
    if (volumesAreUnmounted) throw unreadableError(unmounted)
  }

  /** Lets the time of a copy go by; what is copied was taken before, so the copy is of one moment. */
  async function copy(work: Work): Promise<void> {
    for (let step = 0; step < steps; step++) {
      if (work.signal.aborted) throw new EngineError('aborted', 'The copy was stopped.', { retryable: true })
      work.onProgress(step / steps)
      await new Promise<void>((resolve) => {
        const cancel = clock.after(span(copyMs / steps), resolve)
        work.signal.addEventListener('abort', () => {
          cancel()
          resolve()
        })
      })
    }
    if (work.signal.aborted) throw new EngineError('aborted', 'The copy was stopped.', { retryable: true })
  }

  /** A download from a server that hardly sends: it goes on until somebody ends it. */
  async function drip(work: Work): Promise<never> {
    work.onProgress(0.01)
    await new Promise<void>((resolve) => work.signal.addEventListener('abort', () => resolve()))
    throw new EngineError('aborted', 'The download was stopped.', { retryable: true })
  }

  const stored = (text: string): number => (1 + text.length) * mebibyte

  function sound<T extends { lost?: true }>(snapshot: T | undefined): T {
    if (snapshot && !snapshot.lost) return snapshot
    throw new EngineError('snapshot-missing', 'The snapshot is missing or damaged.')
  }

  function contentOf(source: Exclude<VolumeSource, { from: 'file' }>): {
    content: string
    sizeBytes: number
    sha256: string | null
  } {
    switch (source.from) {
      case 'nothing':
        return { content: '', sizeBytes: 0, sha256: null }
      case 'url':
      case 'registry': {
        const name = source.from === 'url' ? source.url : source.image
        if (name.includes('fault-refused'))
          throw new EngineError(
            'source-refused',
            'The image was refused: it refers to another file (simulated).',
          )
        if (name.includes('fault-space'))
          throw new EngineError('no-space', 'The disk of the host is too full for this image (simulated).')
        return { content: name, sizeBytes: 2 * 1024 ** 3, sha256: 'ab'.repeat(32) }
      }
      case 'volume-snapshot': {
        const { volume } = sound(volumeSnapshots.get(source.snapshotId))
        if (isDamagedBelow(source.snapshotId))
          throw new EngineError('internal', 'The snapshot could not be read.', { retryable: true })
        return { content: volume.content, sizeBytes: volume.sizeBytes, sha256: null }
      }
      case 'machine-snapshot': {
        const { root, volumes: held } = sound(machineSnapshots.get(source.snapshotId))
        if (source.volumeId === undefined) return { content: root, sizeBytes: 2 * 1024 ** 3, sha256: null }
        const volume = held[source.volumeId]
        if (!volume) throw new EngineError('snapshot-missing', 'The snapshot does not hold that disk.')
        return { content: volume.content, sizeBytes: volume.sizeBytes, sha256: null }
      }
    }
  }

  /** Whether what a volume snapshot builds upon is lost. */
  function isDamagedBelow(id: string): boolean {
    const parentId = volumeSnapshots.get(id)?.parentId ?? null
    if (parentId === null) return false
    const parent = volumeSnapshots.get(parentId)
    return !parent || parent.lost === true || isDamagedBelow(parentId)
  }

  function stateOf(snapshot: { lost?: true } | undefined): SnapshotState {
    if (!snapshot) return { state: 'absent' }
    return snapshot.lost
      ? { state: 'broken', reason: 'Its file is damaged (simulated).' }
      : { state: 'whole' }
  }

  async function inspectSnapshot(kind: 'machine' | 'volume', id: string): Promise<SnapshotState> {
    const snapshot = (kind === 'machine' ? machineSnapshots : volumeSnapshots).get(id)
    return snapshot && isHidden(id) ? { state: 'unreadable', reason: unreadable } : stateOf(snapshot)
  }

  return {
    isHidden,
    requireReadable,
    requireVolumes,
    hide(id: string, on: boolean): void {
      if (on) hidden.add(id)
      else hidden.delete(id)
    },
    unmountVolumes(on: boolean): void {
      volumesAreUnmounted = on
    },

    volumes,
    machineSnapshots,
    volumeSnapshots,
    copy,
    stored,
    sound,

    async createVolume({ id, projectId, source, sizeBytes }: VolumeSpec, work: Work): Promise<VolumeMade> {
      requireVolumes()
      requireReadable(id)
      const there = volumes.get(id)
      if (there) return there
      const made = source.from === 'file' ? await takeFile(source) : contentOf(source)
      if (made.content.includes('fault-stuck')) await drip(work)
      if (source.from !== 'nothing') await copy(work)
      const volume = { projectId, ...made, sizeBytes: Math.max(sizeBytes, made.sizeBytes) }
      volumes.set(id, volume)
      changed('volumes', id, volume)
      return { sizeBytes: volume.sizeBytes, sha256: volume.sha256 }
    },
    async growVolume(id: string, sizeBytes: number): Promise<number> {
      requireVolumes()
      requireReadable(id)
      const volume = volumes.get(id)
      if (!volume || volume.lost) throw new EngineError('volume-missing', 'The data of the disk is missing.')
      const grown = { ...volume, sizeBytes: Math.max(volume.sizeBytes, sizeBytes) }
      volumes.set(id, grown)
      changed('volumes', id, grown)
      return grown.sizeBytes
    },
    async listVolumes(): Promise<string[]> {
      requireVolumes()
      return [...volumes.keys()]
    },
    async inspectVolume(id: string): Promise<VolumeState> {
      if (volumesAreUnmounted) return { state: 'unreadable', reason: unmounted }
      if (isHidden(id) && volumes.has(id)) return { state: 'unreadable', reason: unreadable }
      const volume = volumes.get(id)
      if (!volume) return { state: 'absent' }
      return volume.lost
        ? { state: 'broken', reason: 'Its file is damaged (simulated).' }
        : { state: 'whole', sizeBytes: volume.sizeBytes }
    },

    async openDiskFile(of: { volumeId: string } | { snapshotId: string }): Promise<DiskFile> {
      const id = 'volumeId' in of ? of.volumeId : of.snapshotId
      requireReadable(id)
      if ('snapshotId' in of) return blankFile(sound(volumeSnapshots.get(id)).volume.sizeBytes)
      requireVolumes()
      const volume = volumes.get(id)
      if (!volume || volume.lost) throw new EngineError('volume-missing', 'The data of the disk is missing.')
      return blankFile(volume.sizeBytes)
    },

    async createVolumeSnapshot(
      id: string,
      source: { volumeId: string; parentId: string | null },
      consistency: SnapshotMade['consistency'],
      work: Work,
    ) {
      const made = (snapshot: VolumeSnapshot) => ({
        storedBytes: stored(snapshot.volume.content),
        consistency: snapshot.consistency,
        parentId: snapshot.parentId,
      })
      const there = volumeSnapshots.get(id)
      if (there) return made(there)
      requireVolumes()
      requireReadable(source.volumeId)
      const volume = volumes.get(source.volumeId)
      if (!volume) throw new EngineError('volume-missing', 'The data of the disk is missing.')
      const content = { ...volume }
      await copy(work)
      // Looked at only now: what a copy builds upon may have gone while it was made.
      const parent = source.parentId === null ? undefined : volumeSnapshots.get(source.parentId)
      const snapshot: VolumeSnapshot = {
        volumeId: source.volumeId,
        parentId: parent?.volumeId === source.volumeId ? source.parentId : null,
        volume: content,
        consistency,
      }
      volumeSnapshots.set(id, snapshot)
      changed('volumeSnapshots', id, snapshot)
      return made(snapshot)
    },
    async deleteVolumeSnapshot(id: string, work: Work): Promise<void> {
      const children = () => [...volumeSnapshots].filter(([, { parentId }]) => parentId === id)
      if (children().length > 0) await copy(work)
      const gone = volumeSnapshots.get(id)
      if (!gone) return
      // Those of now: one that went meanwhile would come back.
      for (const [childId, child] of children()) {
        child.parentId = gone.parentId
        changed('volumeSnapshots', childId, child)
      }
      volumeSnapshots.delete(id)
      changed('volumeSnapshots', id, undefined)
    },

    inspectSnapshot,
    async checkSnapshot(kind: 'machine' | 'volume', id: string, { signal }: Work): Promise<SnapshotState> {
      if (signal.aborted) throw new EngineError('aborted', 'The check was stopped.', { retryable: true })
      const seen = await inspectSnapshot(kind, id)
      return seen.state === 'whole' && kind === 'volume' && isDamagedBelow(id)
        ? { state: 'broken', reason: 'A snapshot it depends on is damaged (simulated).' }
        : seen
    },
    listSnapshots: async (kind: 'machine' | 'volume') => [
      ...(kind === 'machine' ? machineSnapshots : volumeSnapshots).keys(),
    ],

    /** Whether something of a project is left. */
    hasOf: (projectId: string): boolean =>
      [...volumes.values(), ...machineSnapshots.values()].some((one) => one.projectId === projectId) ||
      [...volumeSnapshots.values()].some(({ volume }) => volume.projectId === projectId),

    everything: (): [StorageSection, string, unknown][] => [
      ...[...volumes].map(([id, value]): [StorageSection, string, unknown] => ['volumes', id, value]),
      ...[...machineSnapshots].map(([id, value]): [StorageSection, string, unknown] => [
        'machineSnapshots',
        id,
        value,
      ]),
      ...[...volumeSnapshots].map(([id, value]): [StorageSection, string, unknown] => [
        'volumeSnapshots',
        id,
        value,
      ]),
    ],
  }
}
