/**
 * Volumes and snapshots of the simulated engine. They hold a line of text where real ones hold bytes, so that tests can
 * see what a copy, a restore or a chain of snapshots leaves. A copy takes the time of a small one.
 */
import type { Clock } from '../../lib/clock.ts'
import {
  EngineError,
  type SnapshotMade,
  type SnapshotState,
  type VolumeMade,
  type VolumeSource,
  type VolumeState,
  type Work,
} from '../engine.ts'

interface Volume {
  content: string
  sizeBytes: number
  sha256: string | null
  lost?: true
}

/** What a machine holds, and so what a snapshot of it holds. */
export interface Contents {
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

  const stored = (text: string): number => (1 + text.length) * mebibyte

  function sound<T extends { lost?: true }>(snapshot: T | undefined): T {
    if (snapshot && !snapshot.lost) return snapshot
    throw new EngineError('snapshot-missing', 'The snapshot is missing or damaged.')
  }

  function contentOf(source: VolumeSource): { content: string; sizeBytes: number; sha256: string | null } {
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
        return { content: volume.content, sizeBytes: volume.sizeBytes, sha256: null }
      }
      case 'machine-snapshot':
        return {
          content: sound(machineSnapshots.get(source.snapshotId)).root,
          sizeBytes: 2 * 1024 ** 3,
          sha256: null,
        }
    }
  }

  function stateOf(snapshot: { lost?: true } | undefined): SnapshotState {
    if (!snapshot) return { state: 'absent' }
    return snapshot.lost
      ? { state: 'broken', reason: 'Its file is damaged (simulated).' }
      : { state: 'whole' }
  }

  return {
    volumes,
    machineSnapshots,
    volumeSnapshots,
    copy,
    stored,
    sound,

    async createVolume(id: string, source: VolumeSource, sizeBytes: number, work: Work): Promise<VolumeMade> {
      const there = volumes.get(id)
      if (there) return there
      const made = contentOf(source)
      if (source.from !== 'nothing') await copy(work)
      const volume = { ...made, sizeBytes: Math.max(sizeBytes, made.sizeBytes) }
      volumes.set(id, volume)
      changed('volumes', id, volume)
      return { sizeBytes: volume.sizeBytes, sha256: volume.sha256 }
    },
    async inspectVolume(id: string): Promise<VolumeState> {
      const volume = volumes.get(id)
      if (!volume) return { state: 'absent' }
      return volume.lost
        ? { state: 'broken', reason: 'Its file is damaged (simulated).' }
        : { state: 'whole', sizeBytes: volume.sizeBytes }
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
      const volume = volumes.get(source.volumeId)
      if (!volume) throw new EngineError('volume-missing', 'The data of the disk is missing.')
      const parent = source.parentId === null ? undefined : volumeSnapshots.get(source.parentId)
      const snapshot: VolumeSnapshot = {
        volumeId: source.volumeId,
        parentId: parent?.volumeId === source.volumeId ? source.parentId : null,
        volume: { ...volume },
        consistency,
      }
      await copy(work)
      volumeSnapshots.set(id, snapshot)
      changed('volumeSnapshots', id, snapshot)
      return made(snapshot)
    },
    async deleteVolumeSnapshot(id: string, work: Work): Promise<void> {
      const gone = volumeSnapshots.get(id)
      if (!gone) return
      const children = [...volumeSnapshots].filter(([, { parentId }]) => parentId === id)
      if (children.length > 0) await copy(work)
      for (const [childId, child] of children) {
        child.parentId = gone.parentId
        changed('volumeSnapshots', childId, child)
      }
      volumeSnapshots.delete(id)
      changed('volumeSnapshots', id, undefined)
    },

    inspectSnapshot: async (kind: 'machine' | 'volume', id: string) =>
      stateOf(kind === 'machine' ? machineSnapshots.get(id) : volumeSnapshots.get(id)),
    listSnapshots: async (kind: 'machine' | 'volume') => [
      ...(kind === 'machine' ? machineSnapshots : volumeSnapshots).keys(),
    ],

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
