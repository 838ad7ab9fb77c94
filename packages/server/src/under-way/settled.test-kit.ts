/** What has to hold of VMs, their disks and their snapshots once everything has settled, whatever was requested. */
import type { Case, World } from './walk.test-kit.ts'

/** All rows there are, by the case that they belong to. */
async function rowsByCase({ app, caseOf }: World) {
  const vms = await app.db.selectFrom('vm').selectAll().execute()
  const owners = new Map(vms.map((vm) => [vm.id, caseOf(vm.id) ?? caseOf(vm.copy_of ?? '')]))
  const [disks, vmSnapshots, diskSnapshots] = [
    await app.db.selectFrom('disk').selectAll().execute(),
    await app.db.selectFrom('vm_snapshot').selectAll().execute(),
    await app.db.selectFrom('disk_snapshot').selectAll().execute(),
  ]
  return {
    vms: Map.groupBy(vms, ({ id }) => owners.get(id)),
    disks: Map.groupBy(disks, ({ id, owner_vm_id }) => caseOf(id) ?? owners.get(owner_vm_id ?? '')),
    vmSnapshots: Map.groupBy(vmSnapshots, ({ vm_id }) => caseOf(vm_id)),
    diskSnapshots: Map.groupBy(diskSnapshots, ({ disk_id }) => caseOf(disk_id)),
  }
}

/** What is not as it has to be of one VM and all that belongs to it. */
async function wrongOf(
  { engine }: World,
  rows: Awaited<ReturnType<typeof rowsByCase>>,
  one: Case,
  isRestored: boolean,
): Promise<string[]> {
  const said: string[] = []
  const check = (isSo: boolean, what: string) => void (isSo || said.push(what))
  const vms = rows.vms.get(one) ?? []
  const disks = rows.disks.get(one) ?? []
  const vmSnapshots = rows.vmSnapshots.get(one) ?? []
  const diskSnapshots = rows.diskSnapshots.get(one) ?? []

  // A copy says so when the VM that it is made of was ended meanwhile, or the server.
  const isUncopied = ({ copy_of, fault }: (typeof vms)[number]) =>
    fault === 'failed' && !vmSnapshots.some(({ id, status }) => id === copy_of && status === 'ready')
  const uncopied = new Set(vms.filter(isUncopied).map(({ id }) => id))
  for (const vm of vms) {
    const isKept = vm.bin_id !== null
    if (uncopied.has(vm.id)) continue
    check(vm.wanted_deleted === 0 || isKept, 'a VM is deleted and still there')
    check(
      ['running', 'stopped', 'suspended'].includes(vm.status) || isKept,
      `a VM is ${vm.status}: ${vm.status_message}`,
    )
    check(vm.fault === null, `a VM has the fault ${vm.fault}: ${vm.status_message}`)
    check(vm.restore_from === null && vm.restore_prepared === 0, 'a restore is stuck')
    check(vm.next_cpu === null || vm.status !== 'running', 'a size is not given')
    check(vm.next_root_bytes === null || vm.status === 'suspended' || isKept, 'a root disk is not enlarged')
    check(!engine.hasPrepared(vm.id), 'copies of a restore are left')
    const machine = await engine.inspect(vm.id)
    const power = { running: 'ready', stopped: 'off', suspended: 'suspended' }[vm.status]
    check(isKept || machine.power === power, `a VM is ${vm.status} and its machine ${machine.power}`)
    check(!isKept || ['off', 'suspended'].includes(machine.power), `a VM in the bin is ${machine.power}`)
    if (machine.power === 'absent') continue
    const attached = disks.filter(({ vm_id, status }) => vm_id === vm.id && status === 'attached')
    const ids = (list: readonly string[]) => [...list].sort().join()
    if (machine.power === 'ready')
      check(
        ids(engine.volumesOf(vm.id)) === ids(attached.map(({ id }) => id)),
        `the guest has other disks than its VM: ${engine.volumesOf(vm.id).length}, not ${attached.length}`,
      )
  }
  for (const disk of disks) {
    if (uncopied.has(disk.owner_vm_id ?? '')) continue
    const volume = await engine.inspectVolume(disk.id)
    const isKept = disk.bin_id !== null
    check(['available', 'attached'].includes(disk.status) || isKept, `a disk is ${disk.status}`)
    check(disk.detaching === 0, 'a disk is being detached for ever')
    check(disk.status !== 'attached' || disk.plugged === 1, 'a disk is being attached for ever')
    const suspended = vms.some(({ id, status }) => id === disk.vm_id && status === 'suspended')
    check(
      disk.next_size_bytes === null || suspended || isKept,
      `a disk is not enlarged: ${disk.status_message}`,
    )
    check(volume.state === 'whole', `the volume of a disk is ${volume.state}`)
    check(
      volume.state !== 'whole' || disk.next_size_bytes !== null || volume.sizeBytes === disk.size_bytes,
      'a disk has another size than its volume',
    )
  }
  for (const snapshot of vmSnapshots) {
    check(
      ['ready', 'failed'].includes(snapshot.status) || snapshot.bin_id !== null,
      `a snapshot is ${snapshot.status}`,
    )
    if (snapshot.status !== 'ready') continue
    const listed = (JSON.parse(snapshot.disks) as { disk_id: string }[]).map(({ disk_id }) => disk_id)
    const held = Object.keys(engine.heldBy(snapshot.id)?.volumes ?? {})
    check(held.sort().join() === listed.sort().join(), 'a snapshot lists other disks than it holds')
  }
  for (const { status } of diskSnapshots)
    check(['ready', 'failed'].includes(status), `a disk snapshot is ${status}`)

  // What was restored has the words of then, and its safety point those of now; all else is as it was.
  const safety = vmSnapshots.find(({ name }) => name.startsWith('Before restoring'))
  const rewound = safety ? Object.keys(engine.heldBy(safety.id)?.volumes ?? {}) : []
  const vm = vms.find(({ id }) => id === one.vmId)
  if (vm)
    check(engine.peek({ machineId: vm.id }) === (safety ? 'then' : 'now'), 'the root disk has other bytes')
  // Of a VM that is deleted for good while its disks change, nobody is told how far that came.
  const isOpen = isRestored && !vm
  for (const id of isOpen ? [] : [one.diskId, one.freeId]) {
    if (!disks.some((disk) => disk.id === id)) continue
    check(engine.peek({ volumeId: id }) === (rewound.includes(id) ? 'then' : 'now'), 'a disk has other bytes')
    const saved = safety && engine.heldBy(safety.id)?.volumes[id]
    check(saved === undefined || saved === 'now', 'the safety point has other bytes')
  }
  return said
}

/** What the engine has and nobody knows. */
export async function leftovers({ app, engine }: World): Promise<string[]> {
  const left: string[] = []
  for (const [table, word, list] of [
    ['vm', 'machine', async () => [...(await engine.list()).keys()]],
    ['disk', 'volume', () => engine.listVolumes()],
    ['vm_snapshot', 'snapshot', () => engine.listSnapshots('machine')],
    ['disk_snapshot', 'copy', () => engine.listSnapshots('volume')],
  ] as const) {
    const known = new Set((await app.db.selectFrom(table).select('id').execute()).map(({ id }) => id))
    left.push(...(await list()).filter((id) => !known.has(id)).map((id) => `${word} ${id}`))
  }
  return left
}

/** What is wrong with each of these VMs, by its title. */
export async function wrongIn(
  world: World,
  cases: readonly { title: string; one: Case; isRestored: boolean }[],
): Promise<string[]> {
  const wrong: string[] = []
  const rows = await rowsByCase(world)
  for (const { title, one, isRestored } of cases)
    for (const what of await wrongOf(world, rows, one, isRestored)) wrong.push(`${title}: ${what}`)
  return wrong
}
