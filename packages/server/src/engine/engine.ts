import type { Duplex } from 'node:stream'

/**
 * The engine port: what Slipway needs from something that runs virtual machines.
 *
 * There are three kinds of engine: QEMU on this machine, KubeVirt on a cluster, and a simulated one for tests and
 * UI work. Everything above this file speaks only these words, so nothing in services or plans knows which engine
 * it has; it asks `capabilities` where a difference shows.
 *
 * The promises, tested for every engine by `engine.suite.ts`, `storage.suite.ts` and `network.suite.ts`:
 *
 * 1. Ids are ours. A machine id is a lower-case UUID; it is the only key an engine needs to find its machine again.
 * 2. Every call is idempotent: calling it again after a crash, or twice at once, ends in the same world.
 *    "Create" of what exists and "delete" of what does not are successes.
 * 3. No call waits for a guest. `startMachine` returns when the guest is launched, `powerDown` when the request
 *    is placed. What follows is told by events and seen by `inspect`.
 * 4. `inspect` and `list` tell what is, not what was asked. They never throw because a guest is ill.
 * 5. Machines outlive the process that started them. A new engine over the same data finds them all.
 * 6. Events carry an id and nothing else. They may be lost; the caller scans now and then.
 * 7. Failures are `EngineError`s: a stable code, whether trying again can help, and a sentence for a person that
 *    names neither files nor programs of the host.
 * 8. A machine that was deleted and is `absent` has left nothing: no process, no file, no address.
 * 9. Long work (making volumes and snapshots, restoring) takes a `Work`: it tells how far it is and ends soon after
 *    its signal is aborted, with an `aborted` error. Whenever it ends early - aborted, failed, or the process killed -
 *    the same call may be made again; nothing half-made is ever taken for whole, and a guest is never left paused.
 * 10. Volumes and snapshots stand by themselves: deleting any of them never changes what another one holds.
 * 11. Every copy asks for room first. A full disk ends the copy, not the guest it is made of.
 * 12. Absent, present and unreadable are three different answers. What cannot be read now (no descriptor left, an I/O
 *     error, a torn or foreign file, a directory that is not mounted) is `unreadable`; it is never taken for half-made,
 *     never removed, and present again as soon as it can be read.
 *
 * What is left out on purpose: names, owners, templates, statuses on the wire. An engine that knew them could disagree
 * with the database. Of projects it is told the ids, and how guests of one find each other. Snapshots and copies stay where their source is.
 */
export interface Engine {
  readonly kind: 'qemu' | 'kubevirt' | 'simulated'
  readonly capabilities: Capabilities

  /** Takes up what an earlier process left: adopts living guests, clears half-made things that are ours. */
  open(): Promise<void>
  /** Lets go of everything without touching a guest. */
  close(): Promise<void>
  /** Calls back with the id of a machine worth a look. Returns the way to stop listening. */
  onChange(listener: (machineId: string) => void): () => void

  /**
   * Memory left for guests now, in MiB. Every living guest counts with all it was given, touched or not; what the
   * caller has promised to guests that do not live yet is the caller's to subtract. Null where the engine finds places
   * by itself, as the scheduler of a cluster does: every machine may be started then, and `held` tells what it waits
   * for. Throws while the engine cannot be reached; people are told by it whether it can.
   */
  freeMemoryMb(): Promise<number | null>

  /** Guests that are kept ready for machines that are made next; null where none ever is. */
  readonly reserve: GuestReserve | null

  /**
   * Whether a boot image can be used now; starts fetching or building it when it is not there. An image is known by
   * the name of its recipe, or by its address on the web. A failure is told for a while, or tried again at once.
   */
  image(imageId: string, again?: boolean): Promise<ImageState>
  /** How it is with a boot image; starts nothing and reads no large file. */
  lookAtImage(imageId: string): Promise<ImageState | { state: 'absent' }>
  /** What a boot image at an address is, from its first bytes. */
  checkImage(address: string): Promise<ImageLook>

  /** Makes root disk, seed and network identity. Does not start it. */
  createMachine(spec: MachineSpec): Promise<void>
  /**
   * Makes a machine whose root disk is that of a machine snapshot. Its first start goes on from the memory in the snapshot,
   * where there is one that fits and the guest can take an identity of its own; or boots. Either way it is somebody else
   * than the machine of the snapshot before it counts as ready: host name, keys, addresses and random numbers are its own.
   * One that exists is left as it is.
   */
  copyMachine(spec: MachineSpec, source: MachineCopySource, work: Work): Promise<void>
  /**
   * Launches the guest with these data volumes. With `freshRoot` its root disk starts from the image again, except
   * in the first start after a restore or a suspend. After a suspend, and after the restore of a snapshot with memory, the
   * first start resumes that memory, once; or boots when this host cannot (other accelerator, other version, damaged
   * file, other size), and says why in a sentence. A living guest is left alone.
   *
   * `like`: what the machine is like from this start on, where that is not what it was; its guest learns its new host
   * name when it boots. Left out: it is as it was.
   *
   * @returns why a guest boots whose memory was kept; null for every other
   */
  startMachine(
    machineId: string,
    options: { freshRoot: boolean; volumeIds: string[]; like?: MachineLikeness },
  ): Promise<string | null>
  /**
   * Saves the memory of a living guest and ends it: the machine is `suspended` then, and its next start goes on from
   * there. However it ends early, the guest runs on, unless it ended by itself; a machine that is `suspended` already is
   * a success.
   */
  suspendMachine(machineId: string, work: Work): Promise<void>
  /**
   * Gives a living guest its SSH keys and takes the former ones from it; keys that its owner added stay. Waits a few
   * seconds at most for the guest, and throws when it does not answer in time.
   *
   * @returns `taken`: it has them, by its agent or because it began with them. `next-start`: it gets them then, from
   * `like` of its start, also because it does not live. `by-hand`: nothing in it takes keys
   */
  changeKeys(machineId: string, keys: MachineKeys): Promise<KeysGiven>
  /**
   * Gives a living guest processors and memory that it does not have yet, as far as it can be given them while it runs; less
   * is for its next start. Waits a few seconds at most for the guest, and waits while its memory is being saved, and fails when it does not
   * make use of them in time; the same call goes on then.
   *
   * @returns what the machine has now; null where nothing is given to guests that run
   */
  growMachine(machineId: string, wished: MachineSize): Promise<MachineSize | null>
  /** Asks the guest to power off (ACPI). Not alive: nothing happens. */
  powerDown(machineId: string): Promise<void>
  /**
   * Ends the guest at once; resolves when it is gone, or, where that takes a cluster its time, when it has been asked to
   * go: events and `inspect` tell. The memory of a suspended machine is discarded; it is `off` then.
   */
  powerOff(machineId: string): Promise<void>
  /**
   * Ends the guest and removes everything the machine had, data volumes excepted; also of one that is unreadable.
   * Resolves like `powerOff`, and the machine is not `absent` before all of it is gone.
   */
  deleteMachine(machineId: string): Promise<void>

  inspect(machineId: string): Promise<MachineState>
  /**
   * Every machine the engine has, whether the caller knows it or not, unreadable ones included. Throws when it cannot
   * tell which there are; it is never merely empty then.
   */
  list(): Promise<Map<string, MachineState>>
  /**
   * What living guests have used so far. A machine whose figure cannot be read now is left out. Cheap: asked every
   * few seconds for all machines at once. `processors` leaves everything else null, which is cheaper still.
   */
  usage(what: 'processors' | 'everything'): Promise<Map<string, MachineUsage>>

  /** The serial console of a machine, until the caller closes it; null when there is none, or none can be read now. */
  openConsole(machineId: string): Promise<MachineConsole | null>
  /**
   * A way to a TCP port of a living guest, for one connection. Throws an `unreachable` error that says why there is none;
   * whether something listens there is known only to who connects.
   */
  dial(machineId: string, port: number): Promise<Line>
  /**
   * TCP ports of a living guest that others can connect to, lowest first; null when nobody can tell, as without a guest
   * agent. What a guest says is bounded in size and time.
   */
  listeningPorts(machineId: string): Promise<number[] | null>
  /**
   * What came of the start script of a machine, of this form. What a guest says is bounded in size and time, and its own
   * affair: it may say anything.
   */
  startScriptResult(machineId: string, form: StartScriptForm): Promise<StartScriptResult>
  /** Whether a machine has a screen, on or off. */
  hasScreen(machineId: string): Promise<boolean>
  /** A new connection to the screen of a living guest, in the RFB protocol; null when there is none. */
  openScreen(machineId: string): Promise<Duplex | null>

  /**
   * Makes a data volume of at least the size asked for; content that is larger makes it larger. One that exists is left as
   * it is. A source that is refused is a `source-refused` error that says why.
   */
  createVolume(spec: VolumeSpec, work: Work): Promise<VolumeMade>
  /**
   * Makes a data volume at least that large; what is in it stays. `machineId`: the machine it is on, whose living guest
   * sees the new size at once; null: none. Waits while the volume is being copied, and fails while memory is kept that
   * knows it as it was. Where storage takes longer than it usually does, it fails as well, and the same call goes on then.
   *
   * @returns its size
   */
  growVolume(volumeId: string, machineId: string | null, sizeBytes: number): Promise<number>
  /**
   * Makes the root disk of a machine at least that large; what is in it stays, and root disks that start from the image again
   * are as large. A living guest sees it at once, and is asked to make use of it where there is a way to ask it; it is waited for
   * some seconds at most. Waits and fails as `growVolume` does.
   */
  growRoot(machineId: string, sizeBytes: number): Promise<RootGrown>
  /** Removes a data volume and what a creation of it left. Throws `volume-busy` while a guest has it. */
  deleteVolume(volumeId: string): Promise<void>
  inspectVolume(volumeId: string): Promise<VolumeState>
  /**
   * A data volume that no machine has, or a volume snapshot, as one qcow2 file: it depends on no other and names no file of
   * the host. What has to be made for that is gone with the file's `close`, and with this process.
   */
  openDiskFile(of: { volumeId: string } | { snapshotId: string }, work: Work): Promise<DiskFile>
  /**
   * Every data volume the engine has, unreadable ones included and half-made ones left out. Throws when it cannot tell
   * which there are.
   */
  listVolumes(): Promise<string[]>
  /** Puts a volume on a machine: plugged into a living guest, else there from its next start. */
  attachVolume(machineId: string, volumeId: string): Promise<void>
  /**
   * Takes a volume off a machine. `kept`: a living guest did not let go of it in time, and the machine still has it. The same
   * holds when the work is ended, which it can be until the guest has let go: a guest that was not asked by then is not
   * asked any more. Where a guest lets go of a volume that its machine still has, it gets the volume again.
   */
  detachVolume(machineId: string, volumeId: string, work: Work): Promise<'released' | 'kept'>

  /**
   * Saves a machine at one moment: root disk, those data volumes that are on it, and with `memory` what a living
   * guest was doing. The guest runs on. Ends with `snapshot-lost` when the guest ends before the copy is complete.
   */
  createMachineSnapshot(
    snapshotId: string,
    source: { machineId: string; volumeIds: string[]; memory: boolean },
    work: Work,
  ): Promise<MachineSnapshotMade>
  /**
   * First half of a restore: writes complete copies of what the snapshot holds beside the machine's own disks, root
   * disk and those of `volumeIds` that it has. The guest may live on meanwhile.
   */
  prepareRestore(
    machineId: string,
    source: { snapshotId: string; volumeIds: string[] },
    work: Work,
  ): Promise<void>
  /**
   * Second half, for a machine whose guest has ended: puts the prepared copies in place. What they replace becomes
   * the snapshot `safetyId`: by changing places where disks can, else by an ordinary snapshot of what is there, so that
   * it may take minutes. Volumes that have left the machine since the first half stay as they are. Done completely, or completed by the next `open` or call, however it ended early; from its
   * first change on it cannot be taken back, only finished, or ended with the machine. With nothing prepared and
   * `safetyId` there, it was done before: a success. `memory` tells whether the next start goes on from a saved memory.
   */
  switchDisks(machineId: string, safetyId: string, work: Work): Promise<MachineSnapshotMade>
  /** Forgets a prepared restore. `begun`: its disks are changing already, and that can only be finished. */
  dropRestore(machineId: string): Promise<'dropped' | 'begun'>
  deleteMachineSnapshot(snapshotId: string): Promise<void>

  /**
   * Saves one data volume at one moment, on whichever machine it is. With a `parentId` that is a snapshot of the same
   * volume, only what changed since is stored when the engine can tell; otherwise everything.
   */
  createVolumeSnapshot(
    snapshotId: string,
    source: { volumeId: string; parentId: string | null },
    work: Work,
  ): Promise<SnapshotMade & { parentId: string | null }>
  /** Deletes it; what builds upon it is made whole first. Idempotent at every moment. */
  deleteVolumeSnapshot(snapshotId: string, work: Work): Promise<void>

  /** Whether a snapshot is complete, as far as a look tells that costs the same on however many others it builds. */
  inspectSnapshot(kind: 'machine' | 'volume', snapshotId: string): Promise<SnapshotState>
  /**
   * Whether a snapshot is complete and undamaged, with all that it builds upon. Reads how its disks are laid out, not what
   * is on them; that may take minutes.
   */
  checkSnapshot(kind: 'machine' | 'volume', snapshotId: string, work: Work): Promise<SnapshotState>
  /** Every complete snapshot the engine has, and those it cannot read now. Throws when it cannot tell which there are. */
  listSnapshots(kind: 'machine' | 'volume'): Promise<string[]>

  /**
   * Says what the network of a project is like: whole, in place of what was said before. It is kept, and holds for
   * machines that are made later. Resolves when it is in force for living guests, who are not interrupted. An engine that
   * cannot join guests (`cannot.networks`) keeps nothing and does nothing.
   */
  putNetwork(projectId: string, network: NetworkSpec): Promise<void>
  /**
   * The addresses that machines of a project have in its network, by machine; of those that have none yet, or only while
   * they live, as in a cluster, nothing.
   */
  networkAddresses(projectId: string): Promise<Map<string, string>>
  /** Projects for which the engine keeps something of its own, such as a namespace or a network. */
  listProjects(): Promise<string[]>
  /**
   * Removes what a project had of its own in the engine. Throws a retryable `project-busy` while machines, volumes or
   * snapshots of it are left, and touches none of them.
   */
  deleteProject(projectId: string): Promise<void>

  /**
   * Writes all it has of these objects, and the boot images, into an empty directory of its owner. An engine that is
   * opened over it has them as after a restart of the host. Guests run on; all disks of a machine are of one moment. An
   * object is written whole or not at all. Where `work` has `onSaved`, whatever lies in the directory may be taken away
   * during a call of it.
   *
   * @returns those that were left out: by id, why, as a sentence
   */
  saveTo(directory: string, objects: ObjectIds, work: SavingWork): Promise<ReadonlyMap<string, string>>
}

/** What came of `growRoot`. */
export interface RootGrown {
  /** The size of the root disk. */
  sizeBytes: number
  /** Whether the file system in the guest is as large now, or at its next boot at the earliest. */
  fileSystem: 'grown' | 'next-boot'
}

/** What of a machine can be another from one start to the next. */
export type MachineLikeness = Pick<
  MachineSpec,
  | 'hostname'
  | 'cpu'
  | 'memoryMb'
  | 'rootBytes'
  | 'persistent'
  | 'sshPublicKeys'
  | 'formerSshPublicKeys'
  | 'startScript'
>

export type MachineSize = Pick<MachineSpec, 'cpu' | 'memoryMb'>

/** Who gets into a guest by SSH, and who does no longer. */
export type MachineKeys = Pick<MachineSpec, 'sshPublicKeys' | 'formerSshPublicKeys'>

export type KeysGiven = 'taken' | 'next-start' | 'by-hand'

/** What a machine is a copy of. */
export interface MachineCopySource {
  snapshotId: string
  /** The copy's own volumes, by those in the snapshot that they are copies of. */
  volumes: Readonly<Record<string, string>>
}

/** What the network of a project is to be like. */
export interface NetworkSpec {
  /** RFC 1123 label: guests find each other under `<name>`, and with {@link Capabilities.networkDomain} behind it. */
  label: string
  /** Whether guests reach the Internet. */
  internet: boolean
  /** Whom a name means, by id; of several machines all addresses are answered. Names are RFC 1123 labels. */
  names: Record<string, string[]>
}

/** What a backup is about, by id. */
export interface ObjectIds {
  machines: readonly string[]
  volumes: readonly string[]
  machineSnapshots: readonly string[]
  volumeSnapshots: readonly string[]
}

/** Long work under way. */
export interface Work {
  signal: AbortSignal
  /** From 0 to 1; null while nobody knows. May be called often. */
  onProgress: (fraction: number | null) => void
}

export interface SavingWork extends Work {
  /** Called when another object is whole, as often as an engine likes; nothing is written until it resolves. */
  onSaved?: () => Promise<void>
}

export interface VolumeSpec {
  id: string
  projectId: string
  source: VolumeSource
  sizeBytes: number
}

export type VolumeSource =
  | { from: 'nothing' }
  /** A disk image in any usual format, over http or https. */
  | { from: 'url'; url: string }
  /** A container image: its disk under `/disk/`, else an ext4 file system of its flattened root. */
  | { from: 'registry'; image: string }
  /** A disk image in a file of this host, which stays as it is; `sha256` is what it has to have, in hex. */
  | { from: 'file'; path: string; sha256: string | null }
  | { from: 'volume-snapshot'; snapshotId: string }
  /** A disk in a machine snapshot: that of a data volume which was on the machine, or the root disk. */
  | { from: 'machine-snapshot'; snapshotId: string; volumeId?: string }

export interface VolumeMade {
  sizeBytes: number
  /** SHA-256 in hex of what was fetched, or of the file; null when nothing was. */
  sha256: string | null
}

/** A qcow2 file to be read, once or in parts. */
export interface DiskFile {
  bytes: number
  /** The same for the same bytes, so that a broken transfer can be continued; null: every opening may give others. */
  tag: string | null
  /** The bytes from `from` up to `to`, that one left out. Fails at its end when the file has changed meanwhile. */
  read(from: number, to: number): AsyncIterable<Buffer>
  close(): Promise<void>
}

export type VolumeState =
  /** No such volume, or not completely made. */
  | { state: 'absent' }
  | { state: 'whole'; sizeBytes: number }
  | { state: 'broken'; reason: string }
  /** It may well be whole: its file cannot be read now. */
  | { state: 'unreadable'; reason: string }

export interface SnapshotMade {
  /** Size on disk of the host. */
  storedBytes: number
  /** `clean`: nothing ran. `memory`: it goes on from that moment. `frozen`: by the guest agent. `crash`: neither. */
  consistency: 'clean' | 'memory' | 'frozen' | 'crash'
}

export interface MachineSnapshotMade extends SnapshotMade {
  memory: boolean
  /** The data volumes in it: those that the machine had at its moment. */
  volumeIds: string[]
}

export type SnapshotState =
  | { state: 'absent' }
  | { state: 'whole' }
  | { state: 'broken'; reason: string }
  /** It may well be whole: its files cannot be read now. */
  | { state: 'unreadable'; reason: string }

export interface Capabilities {
  /** What runs guest code: `KVM`, `TCG`, or null where the question makes no sense. */
  accelerator: 'KVM' | 'TCG' | null
  /** Why it is that one, in a sentence for the operator. */
  acceleratorReason: string | null
  /** What guests can reach and what is protected, in a sentence. */
  network: string
  /** What names in the network of a project end in; `{label}` and `{id}` stand for those of the project. */
  networkDomain: string
  /** Where the addresses of guests answer: on the machine that runs the server, or only inside of the cluster. */
  addresses: 'this-host' | 'inside'
  /**
   * What it cannot do. Who uses the port refuses it with the sentence before anything is stored; asked all the same, an
   * engine answers `unsupported`, and never does less in silence.
   */
  cannot: Limits
  /** What it has not found out about its host yet and tries again, in sentences for the operator; null for nothing. */
  undecided: string | null
  /** Whether every server of an installation can drive and look at its machines, or only one: that on this host. */
  reach: 'one-server' | 'any-server'
}

/** Null where an engine can, else a sentence for a person that says what to do instead. */
export interface Limits {
  /** Machine snapshots with `memory`. */
  memorySnapshots: string | null
  /** `suspendMachine`. */
  suspend: string | null
  /** `copyMachine`. */
  copies: string | null
  /** Attaching volumes to a living guest, and detaching them. */
  hotPlug: string | null
  /** Volume snapshots with a `parentId`. */
  incrementalSnapshots: string | null
  /** Screens of machines. */
  screens: string | null
  /** `saveTo`. */
  backups: string | null
  /** Guests of a project that reach each other, and find each other by name. */
  networks: string | null
  /** `dial` to other ports than 22. */
  ports: string | null
  /** Volumes from files of this host, and `openDiskFile`. */
  diskFiles: string | null
  /** `growVolume`. */
  growDisks: string | null
  /** `growRoot`. */
  growRootDisks: string | null
  /** `changeKeys`. */
  changeKeys: string | null
}

export interface MachineSpec {
  id: string
  projectId: string
  /** RFC 1123 label. */
  hostname: string
  cpu: number
  memoryMb: number
  /** Its root disk is made at least that large, with a file system that grows at boot; left out: as the image makes it. */
  rootBytes?: number
  imageId: string
  /** OpenSSH public keys for root; there is no password login. */
  sshPublicKeys: string[]
  /** Keys that it had before, of which its root disk may have some still. */
  formerSshPublicKeys?: string[]
  /** Data volumes in the order the guest sees them; each carries its id as disk serial (first 20 characters). */
  volumeIds: string[]
  /**
   * Whether the root disk keeps its content. When it does not, a reboot from inside the guest must end the run
   * (`exit: 'reboot'`), so that the caller can start it from the image again.
   */
  persistent: boolean
  /**
   * What the guest runs as root when a new root disk boots for the first time, and never again on that disk or a copy of
   * it: a program with its `#!`, or settings for cloud-init. It may hold secrets: it is neither logged nor told.
   */
  startScript?: string
}

export type StartScriptForm = 'program' | 'cloud-config'

export type StartScriptResult =
  /** It has not begun. */
  | { state: 'waiting' }
  | { state: 'running'; output: string }
  /** `interrupted`: the guest ended under it. `output` is its end, of which at most 64 kB are kept. */
  | {
      state: 'ended'
      how: 'succeeded' | 'failed' | 'interrupted'
      exitCode: number | null
      endedAt: number | null
      output: string
    }
  /** Nobody tells, for this reason, in a sentence. */
  | { state: 'unknown'; reason: string }

export type ImageState =
  /** `rootBytes`: how large root disks are that are made of it; told by `lookAtImage`. */
  | { state: 'ready'; rootBytes?: number }
  /** `progress` from 0 to 1 where it is known; `what` is a sentence such as `Building the Starter Linux image`. */
  | { state: 'coming'; progress: number | null; what: string }
  | { state: 'unavailable'; reason: string }

/** What stands at an address, or the sentence that says why it cannot be used. */
export type ImageLook = { refused: string } | FoundImage

interface FoundImage {
  /** Such as `qcow2`; `packed` when it has to be unpacked to tell. */
  format: string
  /** Null where nobody can tell before it is fetched. */
  downloadBytes: number | null
  virtualBytes: number | null
}

/** Guests that stand still until a machine is made that begins with one. */
export interface GuestReserve {
  /**
   * The id for a machine that the caller makes next, of which a guest is kept ready; null where there is none. The machine
   * starts faster then, if it is made and started within a minute and has no data volumes and no start script; in all
   * else it is like every other. Each id is told once.
   */
  take(like: Pick<MachineSpec, 'imageId' | 'cpu' | 'memoryMb'>): string | null
  /** How many there are now, and what they hold of the memory of the host, in MiB: it is given back to whoever needs it. */
  held(): { guests: number; memoryMb: number }
}

export type MachineState =
  /** No such machine, or not completely made: `createMachine` makes it whole. */
  | { power: 'absent' }
  /** The root disk of the VM is missing or damaged. */
  | { power: 'broken'; reason: string }
  /** It is there and cannot be read now; nothing is known of it, and nothing is done to it unless it is deleted. */
  | { power: 'unreadable'; reason: string }
  /** Made, no guest alive. `run` and `exit` tell of the last run, null when there was none. */
  | { power: 'off'; run: string | null; exit: MachineExit | null }
  /** No guest alive; the memory of the last one, from `run`, is kept, and the next start goes on from it. */
  | { power: 'suspended'; run: string | null }
  /**
   * Launched, the guest has not answered on port 22 yet. `warm`, here and below: it did not boot, it goes on from a frozen
   * guest of the same template and has an identity of its own before it is ready.
   */
  | { power: 'booting'; run: string; address: Address | null; held: Held | null; warm?: boolean }
  /** The guest said it is up and port 22 answers at `address`. */
  | { power: 'ready'; run: string; address: Address; warm?: boolean }

/**
 * What keeps a launched guest from running, where the engine finds that out by itself. `room`: no node has room for it.
 * `parts`: something of it is not there yet, such as its root disk, an image, or a share of a quota that is used up.
 */
export interface Held {
  by: 'room' | 'parts'
  /** A sentence for a person. */
  reason: string
}

export interface MachineUsage {
  /** The figures count from the beginning of this run. */
  run: string
  /** Time that its virtual processors worked, in milliseconds; two of them work two seconds in one. */
  cpuMs: number
  /** Memory in use now, in MiB: as the guest tells, else what it has touched. */
  memoryMb: number | null
  /** Bytes of all its disks. */
  disk: { read: number; written: number } | null
  /** Bytes of its network, as the guest told at that moment, in milliseconds since the epoch. */
  network: { received: number; sent: number; at: number } | null
  /** Packets that were dropped since the guest took more than its share of the network; left out where nobody counts. */
  refusedPackets?: number
}

/**
 * What a machine prints, kept over all its runs whether anybody looks or not. Every byte has an offset, counted from
 * the first one ever; the same offset is the same byte for ever. Old output is forgotten from its beginning.
 */
export interface MachineConsole {
  /** The offset of the oldest byte that is kept, and the offset behind the newest. */
  extent(): { first: number; end: number }
  /** At most `max` bytes from an offset on; fewer than that, or none, when there are no more. */
  read(from: number, max: number): Promise<Buffer>
  /** What happened to the machine, in the order of offsets; forgotten with the output around it. */
  notes(): readonly MachineNote[]
  /** Calls back when there is more output or another note, or a run began or ended. Returns the way to stop. */
  onChange(listener: () => void): () => void
  /** Types into the living guest; resolves when it has been taken, at once and false when none lives. */
  write(bytes: Buffer): Promise<boolean>
  /** Tells the guest how large the terminals are that look at it, as far as it can be told. */
  resize(size: { cols: number; rows: number }): void
  close(): void
}

export interface MachineNote {
  what: 'started' | 'resumed' | 'rebooted' | 'suspended' | 'ended' | 'crashed'
  /** Stands before the byte with this offset. */
  offset: number
  /** Milliseconds since the epoch. */
  at: number
}

/** Where people reach port 22 of the guest, from the machine that runs the server or from within the cluster. */
export interface Address {
  ip: string
  port: number
}

/** A way to a port of a guest: an address that any program of this machine can connect to, or the open connection. */
export type Line = { at: Address } | { stream: Duplex }

/**
 * How a run ended. `asked`: by powerDown or powerOff. `clean`: the guest powered itself off. `reboot`: a guest
 * without persistent root rebooted. `host-restart`: the host went down under it. `crashed`: anything else, with the
 * evidence in a sentence.
 */
export type MachineExit =
  | { how: 'asked' | 'clean' | 'reboot' | 'host-restart' }
  | { how: 'crashed'; reason: string }

export type EngineErrorCode =
  | 'no-space'
  | 'no-memory'
  | 'no-address'
  | 'image-unavailable'
  | 'machine-missing'
  | 'launch-failed'
  | 'unsupported'
  /** A foreign image was refused, or could not be fetched. */
  | 'source-refused'
  | 'volume-missing'
  /** Another guest still has it; it may be free soon. */
  | 'volume-busy'
  | 'snapshot-missing'
  | 'snapshot-lost'
  /** Something of the project is left. */
  | 'project-busy'
  /** What the engine runs machines on does not answer: that says nothing of any of them. */
  | 'away'
  /** There is no way to a port of the guest. */
  | 'unreachable'
  | 'aborted'
  | 'internal'

export class EngineError extends Error {
  readonly code: EngineErrorCode
  /** Whether the same call may succeed later with nothing changed by the user. */
  readonly retryable: boolean

  constructor(
    code: EngineErrorCode,
    message: string,
    options: { retryable?: boolean; cause?: unknown } = {},
  ) {
    super(message, { cause: options.cause })
    this.name = 'EngineError'
    this.code = code
    this.retryable = options.retryable ?? false
  }
}
