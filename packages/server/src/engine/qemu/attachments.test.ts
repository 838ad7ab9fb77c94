import { randomUUID } from 'node:crypto'
import { expect, test, vi } from 'vitest'
import { silentLog } from '../../lib/log.ts'
import { makeAttachments } from './attachments.ts'
import type { Guest } from './guest.ts'
import { makeGuestVolumes } from './guest-volumes.ts'
import type { Guests } from './guests.ts'
import type { MachineDirs } from './machine-dir.ts'
import { type Qmp, QmpError, type QmpEvent } from './qmp.ts'
import type { MachineRecord, VolumePlace } from './records.ts'
import { makeReturns } from './returns.ts'
import { makeTurns } from './turns.ts'
import type { Volumes } from './volumes.ts'

const machineId = randomUUID()
const volumeId = randomUUID()

/**
 * A machine with one volume, and a guest that has it and lets go of it when it is told to. `copies`: how often the file
 * of the volume is still in use when it is to be closed.
 */
function openMachine({ copies = 0 } = {}) {
  const asked: string[] = []
  let tell = (_: QmpEvent): void => {}
  // What is played of a guest, and of the files of its machine, is all that attaching and detaching use.
  const qmp = {
    async execute(command: string) {
      asked.push(command)
      if (command === 'blockdev-del' && copies-- > 0) throw new QmpError('GenericError', 'Node is in use')
    },
    onEvent(_: unknown, listener: typeof tell) {
      tell = listener
      return () => {}
    },
  } as unknown as Qmp
  const inTurn = makeTurns()
  const inDiskTurn = makeTurns()
  let record = { volumes: [{ id: volumeId, port: 0 }], restored: null } as unknown as MachineRecord
  const dirs = {
    readRecord: async () => structuredClone(record),
    requireRecord: async () => structuredClone(record),
    async writeRecord(_: string, next: MachineRecord) {
      record = structuredClone(next)
    },
    async forgetVolume(_: string, id: string) {
      record = { ...record, volumes: record.volumes.filter((place) => place.id !== id) }
    },
  } as unknown as MachineDirs
  const onVolumeBack = (id: string) => void giveBack(machineId, id)
  const held = makeGuestVolumes({ machineId, qmp, log: silentLog, onVolumeBack })
  held.add({ id: volumeId, port: 0 })
  const guest = {
    qmp,
    host: { lend: (path: string, use: (name: string) => unknown) => use(path) },
    volumes: held.list,
    hasVolume: (place: VolumePlace) => held.add(place),
    givesBack: (port: number, ms: number) => held.givesBack(port, ms, new Promise(() => {})),
  } as unknown as Guest
  let isClosed = false
  const guests = {
    of: async () => guest,
    requireFree() {},
    isClosed: () => isClosed,
  } as unknown as Guests
  const volumes = { pathOf: (id: string) => id, requireThere: async () => {} } as unknown as Volumes
  const giveBack = makeReturns({ dirs, volumes, guests, inTurn, inDiskTurn, log: silentLog, pauseMs: 1 })
  const restore = { complete: async () => false }
  return {
    ...makeAttachments({ dirs, volumes, restore, guests, inTurn, inDiskTurn }),
    inDiskTurn,
    asked,
    guestHas: () => held.list().map(({ id }) => id),
    recorded: () => record.volumes.map(({ id }) => id),
    closeEngine() {
      isClosed = true
    },
    letGo: () => tell({ event: 'DEVICE_DELETED', data: { device: 'volume0' }, at: 0 }),
  }
}

const endable = () => {
  const ending = new AbortController()
  return { end: () => ending.abort(), work: { signal: ending.signal, onProgress() {} } }
}

test('a guest is not asked for a volume by a detach that ended while it waited for its turn', async () => {
  const machine = openMachine()
  const { end, work } = endable()
  const { promise: copied, resolve: ends } = Promise.withResolvers<void>()
  const copy = machine.inDiskTurn(machineId, () => copied)
  const detaching = machine.detachVolume(machineId, volumeId, work)
  end()
  ends()
  await copy
  await expect(detaching).rejects.toMatchObject({ code: 'aborted' })
  expect(machine.asked).toEqual([])
  expect(machine.recorded()).toEqual([volumeId])
})

test('a guest that lets go of a volume after the detach has ended gets it again', async () => {
  const machine = openMachine()
  const { end, work } = endable()
  const detaching = machine.detachVolume(machineId, volumeId, work)
  await vi.waitFor(() => expect(machine.asked).toEqual(['device_del']))
  end()
  await expect(detaching).rejects.toMatchObject({ code: 'aborted' })
  machine.letGo()
  await vi.waitFor(() =>
    expect(machine.asked.slice(1)).toEqual(['blockdev-del', 'blockdev-add', 'device_add']),
  )
  await machine.inDiskTurn(machineId, async () => {})
  expect(machine.guestHas()).toEqual([volumeId])
  expect(machine.recorded()).toEqual([volumeId])
})

test('a guest that lets go of a volume as the engine closes is left to the next engine', async () => {
  const machine = openMachine()
  machine.letGo()
  machine.closeEngine()
  await new Promise((resolve) => setTimeout(resolve, 10))
  await machine.inDiskTurn(machineId, async () => {})
  expect(machine.asked).toEqual(['blockdev-del'])
  expect(machine.recorded()).toEqual([volumeId])
})

test('a guest that lets go of a volume in time does not get it again', async () => {
  const machine = openMachine()
  const detaching = machine.detachVolume(machineId, volumeId, endable().work)
  await vi.waitFor(() => expect(machine.asked).toEqual(['device_del']))
  machine.letGo()
  expect(await detaching).toBe('released')
  // Behind whatever was to give it back.
  await new Promise((resolve) => setTimeout(resolve, 10))
  await machine.inDiskTurn(machineId, async () => {})
  expect(machine.asked).toEqual(['device_del', 'blockdev-del'])
  expect(machine.recorded()).toEqual([])
})

test('a volume that its guest gave back while a copy of it was made is closed after the copy', async () => {
  const machine = openMachine({ copies: 1 })
  const detaching = machine.detachVolume(machineId, volumeId, endable().work)
  await vi.waitFor(() => expect(machine.asked).toEqual(['device_del']))
  machine.letGo()
  expect(await detaching).toBe('released')
  expect(machine.asked).toEqual(['device_del', 'blockdev-del', 'blockdev-del'])
  expect(machine.guestHas()).toEqual([])
})
