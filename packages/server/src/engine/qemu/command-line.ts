import type { Accelerator } from './accelerator.ts'
import { fileNames, hasScreen } from './machine-dir.ts'
import { addedArguments, baseOf, bounceBuffers, sizeArguments } from './machine-size.ts'
import type { GuestNetwork } from './network/network.ts'
import type { Plug } from './network/plug.ts'
import type { MachineRecord, RunRecord } from './records.ts'

/**
 * The shape of every machine: which devices it has and where they sit. Raise it with every change a guest or a
 * saved memory state could notice.
 */
export const MACHINE_SHAPE = 6
/** That of a machine without a network of its project. */
export const MACHINE_SHAPE_ALONE = 5
/** Those of earlier versions in which a saved memory still goes on: they had no places for more processors and memory. */
const SHAPES_WITHOUT_PLACES: Record<number, number> = { [MACHINE_SHAPE]: 4, [MACHINE_SHAPE_ALONE]: 3 }

/** Whether machines are launched in this shape now. */
export const isShapeOfNow = (shape: number): boolean =>
  shape === MACHINE_SHAPE || shape === MACHINE_SHAPE_ALONE

/** Whether a memory that was saved of a machine of one shape goes on where machines of another are launched. */
export const goesOnIn = (saved: number, now: number): boolean =>
  saved === now || saved === SHAPES_WITHOUT_PLACES[now]

/** Whether more processors and memory can be plugged into a guest of a machine of this shape. */
export const hasPlaces = (shape: number): boolean => shape >= MACHINE_SHAPE_ALONE

/** The file descriptor on which a resumed guest finds its memory, and one that starts from a frozen guest its devices. */
export const MEMORY_FD = 3

const MEMORY = 'pc.ram'

/** Places for data volumes; each has a port of its own so that it can come and go while the guest runs. */
export const VOLUME_PORTS = 15

export interface Launch {
  record: MachineRecord
  run: RunRecord
  accelerator: Accelerator
  network: Pick<GuestNetwork, 'restrict'>
  volumePath: (volumeId: string) => string
  /** The file its memory is in: to be frozen with it, or that of a frozen guest, which it leaves as it is. */
  memory?: { path: string; use: 'write' | 'map' }
}

/**
 * Under translation a guest's kernel gains nothing by page tables of its own (`nopti`): QEMU checks every access itself, and
 * throws its translations away at each change of tables. Kernel documentation, "Page Table Isolation".
 */
const kernelOptions = (ofImage: string, { kind }: Accelerator): string =>
  [ofImage, bounceBuffers, ...(kind === 'TCG' ? ['nopti'] : [])].join(' ')

/**
 * The arguments QEMU is started with, in the machine's directory. It starts paused (`-S`), so that its journal is
 * open before the guest does anything. Option names: QEMU manual, "Invocation".
 */
export function commandLine({ record, run, accelerator, network, volumePath, memory }: Launch): string[] {
  const { spec, image, address, volumes } = record
  const base = baseOf(spec, run.added)
  return [
    // Identity: adoption finds the process by these two.
    ...['-uuid', spec.id, '-name', `run-${run.run}`],
    ...machine(base.memoryMb, memory),
    ...acceleratorArgs(accelerator),
    ...(hasPlaces(run.shape)
      ? sizeArguments(base, image)
      : ['-m', `${base.memoryMb}`, '-smp', `${base.cpu}`]),
    ...addedArguments(base, run.added, accelerator.cpu),
    ...['-nodefaults', '-no-user-config', '-display', 'none', '-vga', 'none'],
    ...(hasScreen(record) ? screen() : []),
    ...(image.kernel ? ['-kernel', image.kernel] : []),
    ...(image.initrd ? ['-initrd', image.initrd] : []),
    ...(image.cmdline ? ['-append', kernelOptions(image.cmdline, accelerator)] : []),

    ...['-object', 'rng-random,id=rng,filename=/dev/urandom'],
    ...['-device', 'virtio-rng-pci,id=rng0,rng=rng,addr=0x2'],
    ...disk(ROOT_NODE, 'qcow2', fileNames.root, false),
    ...['-device', 'virtio-blk-pci,id=root0,drive=root,serial=root,addr=0x3,werror=stop'],
    ...(run.plug ? joined(run.plug, accelerator) : alone(address, network)),
    ...['-device', 'virtio-serial-pci,id=channels,addr=0x5'],
    // A ring buffer: bounded whatever the guest writes, and it outlives the server.
    ...['-chardev', `ringbuf,id=${READY_CHANNEL},size=1024`],
    '-device',
    `virtserialport,bus=channels.0,nr=1,id=${READY_CHANNEL},chardev=${READY_CHANNEL},name=org.slipway.ready`,
    // QEMU's guest agent, for guests that have one.
    ...['-chardev', `socket,id=${AGENT_CHANNEL},path=${fileNames.agent},server=on,wait=off`],
    '-device',
    `virtserialport,bus=channels.0,nr=2,id=${AGENT_CHANNEL},chardev=${AGENT_CHANNEL},name=org.qemu.guest_agent.0`,
    ...['-device', 'virtio-balloon-pci,id=balloon0,addr=0x6'],
    ...['-device', 'pvpanic-pci,id=panic0,addr=0x7'],
    ...ports(),
    ...volumes.flatMap(({ id, port }) => [
      ...disk(volumeNode(port), 'qcow2', volumePath(id), false),
      ...['-device', deviceText(volumeDevice(id, port))],
    ]),
    ...disk('seed', 'raw', fileNames.seed, true),
    ...['-device', `virtio-blk-pci,id=seed0,drive=seed,serial=seed,bus=port${VOLUME_PORTS}`],

    ...['-chardev', `pipe,id=serial,path=${fileNames.serial},logfile=${fileNames.serialLog},logappend=on`],
    ...['-serial', 'chardev:serial'],
    // The journal first: when the socket of the other is there, the pipe of this one has been opened.
    ...['-chardev', `pipe,id=journal,path=${fileNames.journal}`, '-mon', 'chardev=journal,mode=control'],
    ...['-qmp', `unix:${fileNames.qmp},server=on,wait=off`],

    ...['-action', `reboot=${rebootAction(spec)},shutdown=poweroff,panic=shutdown`],
    // Root can only become the guest's user while the sandbox lets it; afterwards there is nothing to elevate.
    '-sandbox',
    `on,obsolete=deny,elevateprivileges=${run.user === undefined ? 'deny' : 'allow'},spawn=deny,resourcecontrol=deny`,
    ...(run.user === undefined ? [] : ['-runas', `${run.user}:${run.user}`]),
    // The file of a saved memory, where there is one, comes as the fourth open file.
    ...(run.resumed ? ['-incoming', `fd:${MEMORY_FD}`] : []),
    // Loaded once QEMU was told that the memory itself is not part of it.
    ...(run.warm ? ['-incoming', 'defer'] : []),
    ...['-pidfile', fileNames.pid, '-S'],
  ]
}

/** A machine that does not keep its root disk ends when its guest reboots, so that it can start afresh. */
export const rebootAction = ({ persistent }: Pick<MachineRecord['spec'], 'persistent'>): string =>
  persistent ? 'reset' : 'shutdown'

/** The memory goes by the name that QEMU gives to one without a file, so that saved states fit either. */
function machine(memoryMb: number, memory: Launch['memory']): string[] {
  const board = 'q35,usb=off,vmport=off,smbus=off'
  if (!memory) return ['-machine', board]
  const file = { 'mem-path': memory.path, share: memory.use === 'write', size: memoryMb * 1024 * 1024 }
  const backend = { 'qom-type': 'memory-backend-file', id: MEMORY, ...file }
  return ['-machine', `${board},memory-backend=${MEMORY}`, '-object', JSON.stringify(backend)]
}

/** In the network of its project, which QEMU finds in the namespace it is started in. */
function joined({ tap, mac }: Plug, accelerator: Accelerator): string[] {
  // The kernel moves packets by itself where it also runs the guest.
  const vhost = accelerator.kind === 'KVM' ? ',vhost=on' : ''
  return [
    ...['-netdev', `tap,id=net,ifname=${tap},script=no,downscript=no${vhost}`],
    ...['-device', `virtio-net-pci,id=net0,netdev=net,mac=${mac},romfile=,addr=0x4`],
  ]
}

/** Behind a network of its own, with one port led in. */
function alone(
  { ip, port }: MachineRecord['address'],
  { restrict }: Pick<GuestNetwork, 'restrict'>,
): string[] {
  const options = [
    'user',
    'id=net',
    'ipv6=off',
    ...(restrict ? ['restrict=on'] : []),
    `hostfwd=tcp:${ip}:${port}-:22`,
  ]
  return [
    ...['-netdev', options.join(',')],
    ...['-device', 'virtio-net-pci,id=net0,netdev=net,romfile=,addr=0x4'],
  ]
}

/** Id of the channel on which the guest says that it is up. */
export const READY_CHANNEL = 'ready'
/** Id of the channel to the guest agent. */
export const AGENT_CHANNEL = 'agent'
/** The node of the root disk. */
export const ROOT_NODE = 'root'
/** Name of the node and of the device of the data volume on a port. */
export const volumeNode = (port: number): string => `volume${port}`

/**
 * The device by which a guest sees a data volume. What cannot be written makes the guest wait rather than fail: its
 * writes also pass through copies that are made of the disk, and must not fail with them.
 */
export const volumeDevice = (volumeId: string, port: number): Record<string, string> => ({
  driver: 'virtio-blk-pci',
  id: volumeNode(port),
  drive: volumeNode(port),
  serial: volumeId.slice(0, 20),
  bus: `port${port}`,
  werror: 'stop',
})

const deviceText = ({ driver, ...options }: Record<string, string>): string =>
  [driver, ...Object.entries(options).map(([name, value]) => `${name}=${value}`)].join(',')

export function acceleratorArgs(accelerator: Accelerator): string[] {
  if (accelerator.kind === 'KVM') return ['-accel', 'kvm', '-cpu', accelerator.cpu]
  // Translated code of large guests would otherwise grow to a quarter of the host's memory.
  return ['-accel', 'tcg,thread=multi,tb-size=128', '-cpu', accelerator.cpu]
}

/** Formats are always named: probing would let a guest turn its raw disk into something else. */
function disk(node: string, format: 'qcow2' | 'raw', path: string, readOnly: boolean): string[] {
  const options = {
    driver: format,
    'node-name': node,
    'read-only': readOnly,
    discard: readOnly ? 'ignore' : 'unmap',
    file: { driver: 'file', filename: path },
  }
  return ['-blockdev', JSON.stringify(options)]
}

/** A picture for all who look at it, and a pointer that needs no catching. QEMU manual, "VNC security". */
function screen(): string[] {
  return [
    ...['-device', 'VGA,id=screen0,addr=0x8', '-vnc', `unix:${fileNames.screen},share=force-shared`],
    ...['-device', 'qemu-xhci,id=usb,addr=0x9', '-device', 'usb-tablet,bus=usb.0'],
  ]
}

/** Eight ports to a slot; the last one is the seed's, so that data volumes follow the root disk. */
function ports(): string[] {
  return Array.from({ length: VOLUME_PORTS + 1 }, (_, index) => {
    const slot = 0x10 + Math.floor(index / 8)
    const first = index % 8 === 0 ? ',multifunction=on' : ''
    const place = `addr=0x${slot.toString(16)}.${index % 8}${first}`
    return ['-device', `pcie-root-port,id=port${index},chassis=${index + 1},${place}`]
  }).flat()
}
