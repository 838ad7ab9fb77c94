/** What this engine writes down in JSON files; `record-shapes.ts` checks what is read back. */
import type { BootImage } from '../../image/image-store.ts'
import type { Address, Capabilities, MachineSpec, SnapshotMade } from '../engine.ts'
import type { Added } from './machine-size.ts'
import type { Plug } from './network/plug.ts'

/**
 * A machine as it is asked for, but for its project, of which this engine has no use, and its start script, which may hold
 * secrets and stands in its seed alone.
 */
export type KeptSpec = Omit<MachineSpec, 'projectId' | 'startScript'>

/** What stays of a machine between runs: written last when it is made, so its presence means the machine is whole. */
export interface MachineRecord {
  spec: KeptSpec
  /** Where port 22 of it answers while it has no network of its project. */
  address: Address
  /** The image its root disk stands on. */
  image: BootImage
  /** The data volumes its next start finds, or a living guest has. */
  volumes: VolumePlace[]
  /** Set between a restore, or a suspend, and the start that honours it. */
  restored: Restored | null
  /** No guest has had the root disk yet. Machines of earlier versions do not say. */
  fresh?: boolean
  /** It has a start script. */
  scripted?: boolean
}

/** What the next start goes on from. */
export interface Restored {
  /** What the saved memory fits, if there is any. */
  memory: MemoryFit | null
  /** Its guest was suspended: the run that ended so, and the SHA-256 of its memory. */
  suspended?: { run: string; sha256: string } | undefined
  /** SHA-256 of a memory that came from a snapshot; absent where it was saved by an earlier version. */
  sha256?: string | undefined
  /** A disk was detached since, and may have changed elsewhere. */
  moved?: boolean | undefined
  /** It is that of another machine, of which this one is a copy: its guest has to become somebody else. */
  copied?: boolean | undefined
}

/** A data volume and the port it is plugged into. */
export interface VolumePlace {
  id: string
  port: number
}

/** What a machine must be like for a saved memory state to fit. */
export interface MemoryFit {
  shape: number
  qemu: string
  accelerator: RunRecord['accelerator']
  cpuModel: string
  /** With all that was plugged in. */
  cpu: number
  memoryMb: number
  /** What was plugged into its guest since that booted; absent in what earlier versions saved. */
  added?: Added
  volumes: VolumePlace[]
  /** The firmware loads the kernel from these into the same places. */
  kernel: string | null
  /** That of the guest in the network of its project; absent without one, and in what earlier versions saved. */
  address?: string
}

/** One run of a machine: written before the guest is launched. */
export interface RunRecord {
  run: string
  /** The machine shape it was launched with; a saved memory state fits no other. */
  shape: number
  /** What of the machine it had plugged in at its launch, because the memory that it goes on from knows it so. */
  added?: Added
  /** The host's boot id; another one later means that the host went down. */
  bootId: string
  startedAt: number
  /** The user id, and group, that its process has; absent where it is the server's own, and in runs of earlier versions. */
  user?: number
  /** Went on from a saved memory: what the guest says at its start was said before. */
  resumed: boolean
  /** What runs its guest code. */
  accelerator: NonNullable<Capabilities['accelerator']>
  cpuModel: string
  /** It started from a frozen guest, and whether it has its own identity by now; absent where it booted. */
  warm?: { renewed: boolean }
  /** It went on from the memory of another machine, and whether it has its own identity by now. */
  copy?: { renewed: boolean }
  /** How it is plugged into the network of its project; absent where it is not. */
  plug?: Plug
}

/** Where port 22 of a machine answers in one run. */
export const addressIn = (record: Pick<MachineRecord, 'address'>, run: Pick<RunRecord, 'plug'>): Address =>
  run.plug && run.plug.reach !== 'door' ? { ip: run.plug.ip, port: 22 } : record.address

/** What a snapshot directory holds; written last, so its presence means that all of it is there. */
export interface MachineManifest {
  imageId: string
  /** The image its root disk stands on. */
  image: BootImage
  volumeIds: string[]
  consistency: SnapshotMade['consistency']
  /** Snapshots of earlier versions have no SHA-256 of it. */
  memory: { fit: MemoryFit; bytes: number; sha256?: string | undefined } | null
  storedBytes: number
}

/** What a restore has prepared: `restore/prepared.json`, written last. */
export interface Prepared {
  snapshotId: string
  snapshot: MachineManifest
  /** Volumes of which there are copies. */
  volumeIds: string[]
}

/** The intent to put prepared copies in place: `swap.json`, there from the first rename until after the last. */
export interface Swap {
  safetyId: string
  prepared: Prepared
  /** The machine as it is before. */
  record: MachineRecord
}

/** What is known of a volume snapshot: `<id>.json`, written last. What it builds upon stands in its qcow2 file. */
export interface VolumeManifest {
  volumeId: string
  consistency: SnapshotMade['consistency']
  /** It is being deleted; others may still build upon its file. */
  deleting: boolean
}
