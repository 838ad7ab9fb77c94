import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newPublicKey } from '../app.test-kit.ts'
import { describeCopies } from './copies.suite.ts'
import {
  BOOT_ID,
  buildOnEachOther,
  type EngineHarness,
  machineSpec,
  makeMoves,
  opened,
  PATIENCE_MS,
  SIZE,
  volumeSpec,
  work,
} from './engine.test-kit.ts'
import type { Engine, MachineConsole } from './engine.ts'
import { describeNetworks } from './network.suite.ts'
import { describeRootDisks } from './root-disk.suite.ts'
import { describeStartScripts } from './start-script.suite.ts'
import { describeStorage } from './storage.suite.ts'
import { describeSuspend } from './suspend.suite.ts'

/**
 * The promises of the engine port, as tests. Every engine passes them; parts that take a real guest are skipped
 * where the harness has none, and say so.
 */
export function describeEngine(name: string, makeHarness: () => Promise<EngineHarness>): void {
  describe(`${name} as an engine`, () => {
    buildOnEachOther()
    let harness: EngineHarness
    let engine: Engine
    const volumeId = randomUUID()
    const disk = `/dev/disk/by-id/virtio-${volumeId.slice(0, 20)}`
    const keeper = machineSpec('keeper-1', { cpu: 2, memoryMb: 512, volumeIds: [volumeId] })
    const forgetter = machineSpec('forgetter-1', { memoryMb: 512, persistent: false })

    const moves = makeMoves(name, () => ({ harness, engine }))
    const { done, until, code, real, inGuest } = moves
    const start = (id: string, freshRoot = false) => {
      const { volumeIds } = id === keeper.id ? keeper : forgetter
      return done(engine.startMachine(id, { freshRoot, volumeIds }))
    }

    const inKeeper = (command: string) => inGuest(keeper.id, command)
    const sizeOf = async () => (await inKeeper(SIZE)).split('\n').map(Number)
    const openConsole = async (id: string): Promise<MachineConsole> => {
      const terminal = await engine.openConsole(id)
      if (!terminal) throw new Error('There is no console')
      return terminal
    }
    /** Everything a console has, once a text is in it. */
    async function printed(terminal: MachineConsole, text: string): Promise<string> {
      for (let look = 0; look < 600; look++) {
        const { first, end } = terminal.extent()
        const all = (await terminal.read(first, end - first)).toString('latin1')
        if (all.includes(text)) return all
        await harness.pass(100)
      }
      throw new Error(`The console never showed ${JSON.stringify(text)}`)
    }

    beforeAll(async () => {
      ;({ harness, engine } = await opened(makeHarness, keeper, forgetter))
    })
    afterAll(async () => {
      await Promise.all([keeper.id, forgetter.id].map((id) => done(engine.deleteMachine(id))))
      for (const { id } of [keeper, forgetter]) await until(id, 'absent')
      await done(engine.deleteVolume(volumeId))
      await moves.removeProject()
      await engine.close()
      await harness.cleanUp()
    })

    test('it says what runs guest code and what guests can reach', () => {
      expect(engine.capabilities.network).toMatch(/\w{3,}.*\.$/)
      if (engine.capabilities.accelerator)
        expect(engine.capabilities.acceleratorReason).toMatch(/\w{3,}.*\.$/)
    })

    test('it says in a sentence what it cannot do', () => {
      const sentences = Object.values(engine.capabilities.cannot).filter((limit) => limit !== null)
      for (const sentence of sentences) expect(sentence).toMatch(/^[A-Z].{20,}\.$/)
    })

    test('an image comes when it is asked for', async () => {
      await moves.imageIsReady()
    }, 600_000)

    test('a machine that does not exist is absent, and ending or deleting it succeeds', async () => {
      const id = randomUUID()
      await done(engine.powerDown(id))
      await done(engine.powerOff(id))
      await done(engine.deleteMachine(id))
      expect(await engine.inspect(id)).toEqual({ power: 'absent' })
      expect(await code(engine.startMachine(id, { freshRoot: false, volumeIds: [] }))).toBe('machine-missing')
    })

    test('making a machine twice at once makes one, and it is off', async () => {
      await done(engine.createVolume(volumeSpec(volumeId, { from: 'nothing' }, 64 * 1024 * 1024), work()))
      await done(Promise.all([engine.createMachine(keeper), engine.createMachine(keeper)]))
      await done(engine.createMachine(forgetter))
      expect(await engine.inspect(keeper.id)).toEqual({ power: 'off', run: null, exit: null })
      expect([...(await engine.list()).keys()].sort()).toEqual([keeper.id, forgetter.id].sort())
    })

    test('two starts at once make one guest, which gets ready and tells so', async () => {
      const told = new Set<string>()
      const stopListening = engine.onChange((id) => told.add(id))
      await done(Promise.all([start(keeper.id), start(keeper.id)]))
      const booting = await engine.inspect(keeper.id)
      if (!('run' in booting)) throw new Error(`The machine is ${booting.power}`)
      const ready = await until(keeper.id, 'ready')
      stopListening()
      expect(ready.run).toBe(booting.run)
      expect(told).toContain(keeper.id)
      if (harness.traces) expect((await harness.traces(keeper.id)).processes).toHaveLength(1)
    })

    test('starting a living machine leaves it alone', async () => {
      const before = await until(keeper.id, 'ready')
      await start(keeper.id, true)
      expect(await engine.inspect(keeper.id)).toEqual(before)
    })

    test('the guest has the host name, processors and memory it was given', async ({ skip }) => {
      real('ssh', skip)
      expect(await inKeeper('hostname')).toBe('keeper-1\n')
      const [cpus, memoryMb] = await sizeOf()
      expect(cpus).toBe(2)
      expect(memoryMb).toBeGreaterThan(keeper.memoryMb * 0.85)
      expect(memoryMb).toBeLessThanOrEqual(keeper.memoryMb)
    })

    test('there is a way to the SSH server of a living guest, and to no other one', async ({ skip }) => {
      expect(await code(engine.dial(forgetter.id, 22))).toBe('unreachable')
      expect(await code(engine.dial(randomUUID(), 22))).toBe('unreachable')
      const greets = harness.ssh || harness.greets ? null : `${name} has no guest that could answer`
      if (greets) {
        expect(await code(engine.dial(keeper.id, 22))).toBe('unreachable')
        skip(greets)
      }
      const line = await done(engine.dial(keeper.id, 22))
      const stream = 'at' in line ? connect({ host: line.at.ip, port: line.at.port }) : line.stream
      const [greeting] = await once(stream, 'data', { signal: AbortSignal.timeout(PATIENCE_MS) })
      expect(String(greeting)).toMatch(/^SSH-2\.0-/)
      stream.destroy()
    })

    test('nobody gets in without the key', async ({ skip }) => {
      const signIn = real('sshWithoutKey', skip)
      const { address } = await until(keeper.id, 'ready')
      expect(await signIn(address)).toContain('Permission denied (publickey)')
    })

    test('a living guest is given other keys, and the former ones let nobody in', async ({ skip }) => {
      if (engine.capabilities.cannot.changeKeys !== null) skip(`${name} cannot change keys`)
      const mine = harness.sshPublicKey
      const other = newPublicKey()
      const give = (sshPublicKeys: string[], formerSshPublicKeys: string[]) =>
        engine.changeKeys(keeper.id, { sshPublicKeys, formerSshPublicKeys })
      expect(await engine.changeKeys(forgetter.id, { sshPublicKeys: [mine] })).toBe('next-start')
      const { address } = await until(keeper.id, 'ready')
      // Its agent may come a moment later.
      await expect.poll(() => give([other], [mine]).catch(String)).toBe('taken')
      if (harness.ssh) await expect(harness.ssh(address, 'true')).rejects.toThrow()
      expect(await give([mine], [other])).toBe('taken')
      if (harness.ssh) expect((await inKeeper('cat /root/.ssh/authorized_keys')).trim()).toBe(mine.trim())
      expect(await give([mine], [other])).toBe('taken')
    })

    test('a guest does not reach what this host keeps to itself', async ({ skip }) => {
      real('ssh', skip)
      if (!harness.onThisHost) skip(`${name} runs guests elsewhere`)
      const visitors: string[] = []
      const server = createServer((socket) => {
        visitors.push('somebody')
        socket.on('error', () => {}).end('secret\n')
      })
      await new Promise<void>((resolve) => server.listen(0, resolve))
      const at = server.address()
      if (typeof at !== 'object' || at === null) throw new Error('The service of the host does not listen')
      // Under user networking the host is the gateway, else whoever signs in to the guest.
      for (const host of [
        '$(ip route | grep default | cut -d" " -f3)',
        '$(echo $SSH_CLIENT | cut -d" " -f1)',
        '10.0.2.2',
      ])
        expect(await inKeeper(`nc -w 3 ${host} ${at.port} </dev/null || echo refused`)).toBe('refused\n')
      server.close()
      expect(visitors).toEqual([])
    })

    test('a data volume is found under its serial', async ({ skip }) => {
      real('ssh', skip)
      expect(await inKeeper(`blockdev --getsize64 ${disk}`)).toBe(`${64 * 1024 * 1024}\n`)
      await inKeeper(`echo volume-content | dd of=${disk} conv=fsync 2>/dev/null`)
      await inKeeper('echo root-content > /root/kept && sync')
    })

    test('a guest outlives the engine, and a new engine finds it', async () => {
      const before = await until(keeper.id, 'ready')
      const boot = await harness.ssh?.(before.address, BOOT_ID)
      await engine.close()
      engine = await harness.open()
      const after = await until(keeper.id, 'ready')
      expect(after).toEqual(before)
      expect(await harness.ssh?.(after.address, BOOT_ID)).toBe(boot)
    })

    test('CPU time is told of living machines alone, and grows while a guest works', async ({ skip }) => {
      const busy = real('work', skip)
      const { run, address } = await until(keeper.id, 'ready')
      const spentWhile = async (time: () => Promise<void>) => {
        const before = (await engine.usage('everything')).get(keeper.id)
        await time()
        const after = (await engine.usage('everything')).get(keeper.id)
        expect([before?.run, after?.run]).toEqual([run, run])
        return (after?.cpuMs ?? 0) - (before?.cpuMs ?? 0)
      }
      const idle = await spentWhile(() => harness.pass(3000))
      expect(idle).toBeGreaterThanOrEqual(0)
      expect(await spentWhile(() => busy(keeper.id, 3, address))).toBeGreaterThan(3 * idle)
      expect([...(await engine.usage('everything')).keys()]).toEqual([keeper.id])
    })

    test('its console shows what is typed and what the guest answers, and forgets nothing', async () => {
      await until(keeper.id, 'ready')
      const terminal = await openConsole(keeper.id)
      expect(terminal.notes()).toMatchObject([{ what: 'started', offset: 0 }])
      const talk = harness.console ?? {
        signIn: '\r',
        prompt: 'root@keeper-1',
        command: 'seq 3000\r',
        output: Array.from({ length: 3000 }, (_, i) => `${i + 1}\r\n`).join(''),
      }
      expect(await terminal.write(Buffer.from(talk.signIn))).toBe(true)
      await printed(terminal, talk.prompt)
      await terminal.write(Buffer.from(talk.command))
      const text = await printed(terminal, talk.output)
      terminal.close()
      await engine.close()
      engine = await harness.open()
      const again = await openConsole(keeper.id)
      expect((await again.read(0, text.length)).toString('latin1')).toBe(text)
      again.close()
      expect(await engine.openConsole(randomUUID())).toBeNull()
    })

    test('a living guest keeps what it was given when it boots once more by itself', async ({ skip }) => {
      await until(keeper.id, 'ready')
      const wished = { cpu: keeper.cpu + 1, memoryMb: keeper.memoryMb + 256 }
      const grow = () => engine.growMachine(keeper.id, wished)
      if ((await grow().catch(() => wished)) === null) skip(`${name} gives nothing to guests that run`)
      // Its agent may come a moment later.
      await expect.poll(() => grow().catch(String)).toEqual(wished)
      real('ssh', skip)
      const before = await inKeeper(BOOT_ID)
      await inKeeper('(sleep 0.5; reboot) > /dev/null 2>&1 &')
      await expect.poll(() => inKeeper(BOOT_ID).catch(() => before), { interval: 500 }).not.toBe(before)
      const hasMemory = async () => ((await sizeOf())[1] ?? 0) > wished.memoryMb * 0.85
      await expect.poll(hasMemory, { interval: 500 }).toBe(true)
      expect((await sizeOf())[0]).toBe(wished.cpu)
    })

    test('the power button ends it cleanly, and that counts as asked', async () => {
      const { run } = await until(keeper.id, 'ready')
      await done(engine.powerDown(keeper.id))
      expect(await until(keeper.id, 'off')).toEqual({ power: 'off', run, exit: { how: 'asked' } })
      await done(engine.powerDown(keeper.id))
      if (harness.traces) expect((await harness.traces(keeper.id)).processes).toEqual([])
      const terminal = await openConsole(keeper.id)
      const { end } = terminal.extent()
      expect(terminal.notes().at(-1)).toMatchObject({ what: 'ended', offset: end })
      expect(await terminal.write(Buffer.from('nobody\r'))).toBe(false)
      terminal.close()
    })

    test('it starts again at the same address with what it kept', async () => {
      await start(keeper.id)
      await until(keeper.id, 'ready')
      if (!harness.ssh) return
      expect(await inKeeper(`cat /root/kept; head -n1 ${disk}`)).toBe('root-content\nvolume-content\n')
      expect(await inKeeper('dmesg | grep -ci "recovery complete" || true')).toBe('0\n')
    })

    test('a guest that powers itself off ends cleanly', async () => {
      const { run, address } = await until(keeper.id, 'ready')
      await harness.happen(keeper.id, 'powers itself off', address)
      expect(await until(keeper.id, 'off')).toEqual({ power: 'off', run, exit: { how: 'clean' } })
    })

    test('how a run ended is still known to a new engine', async () => {
      const before = await engine.inspect(keeper.id)
      await engine.close()
      engine = await harness.open()
      expect(await engine.inspect(keeper.id)).toEqual(before)
    })

    test('a guest that dies has crashed, with the evidence', async () => {
      await start(keeper.id)
      const state = await engine.inspect(keeper.id)
      if (state.power !== 'booting' && state.power !== 'ready') throw new Error(`It is ${state.power}`)
      await harness.happen(keeper.id, 'is killed', state.address ?? { ip: '', port: 0 })
      const { exit } = await until(keeper.id, 'off')
      expect(exit).toEqual({ how: 'crashed', reason: expect.stringMatching(/\w+ .*\.?$/) })
    })

    test('a start can give it another name and size, which stay, and its address stays', async () => {
      const before = await until(keeper.id, 'off')
      const { volumeIds, sshPublicKeys } = keeper
      const like = { hostname: 'renamed-1', cpu: 1, memoryMb: 640, persistent: true, sshPublicKeys }
      await done(engine.startMachine(keeper.id, { freshRoot: false, volumeIds, like }))
      expect((await until(keeper.id, 'ready')).run).not.toBe(before.run)
      if (!harness.ssh) return
      expect(await inKeeper('hostname; cat /etc/hostname; cat /root/kept')).toBe(
        'renamed-1\nrenamed-1\nroot-content\n',
      )
      const [cpus, memoryMb] = await sizeOf()
      expect(cpus).toBe(1)
      expect(memoryMb).toBeGreaterThan(keeper.memoryMb)
      expect(memoryMb).toBeLessThanOrEqual(like.memoryMb)
    })

    test('machines do not share an address', async () => {
      await start(keeper.id)
      await start(forgetter.id, true)
      const one = await until(keeper.id, 'ready')
      const other = await until(forgetter.id, 'ready')
      expect(one.address).not.toEqual(other.address)
    })

    test('machines have host keys of their own', async ({ skip }) => {
      real('ssh', skip)
      const keyOf = (id: string) => inGuest(id, 'dropbearkey -y -f /etc/dropbear/dropbear_ed25519_host_key')
      expect(await keyOf(keeper.id)).not.toBe(await keyOf(forgetter.id))
    })

    test('powering off ends a guest at once', async () => {
      const { run } = await until(keeper.id, 'ready')
      await done(engine.powerOff(keeper.id))
      expect(await until(keeper.id, 'off')).toEqual({ power: 'off', run, exit: { how: 'asked' } })
    })

    test('a reboot ends the run of a machine without a lasting root', async () => {
      const { run, address } = await until(forgetter.id, 'ready')
      await harness.ssh?.(address, 'echo root-content > /root/kept && sync')
      await harness.happen(forgetter.id, 'reboots', address)
      expect(await until(forgetter.id, 'off')).toEqual({ power: 'off', run, exit: { how: 'reboot' } })
    })

    test('a fresh root has nothing of the run before', async () => {
      await start(forgetter.id, true)
      await until(forgetter.id, 'ready')
      if (harness.ssh) expect(await inGuest(forgetter.id, 'ls -A /root')).toBe('.ssh\n')
    })

    test('deleting leaves nothing, even of a living guest', async () => {
      await done(Promise.all([engine.deleteMachine(forgetter.id), engine.deleteMachine(forgetter.id)]))
      await done(engine.deleteMachine(keeper.id))
      for (const { id } of [keeper, forgetter]) await until(id, 'absent')
      expect(await engine.list()).toEqual(new Map())
      for (const { id } of [keeper, forgetter])
        if (harness.traces) expect(await harness.traces(id)).toEqual({ processes: [], files: [] })
    })

    test('a deleted machine can be made again', async () => {
      await done(engine.createMachine(keeper))
      expect(await engine.inspect(keeper.id)).toEqual({ power: 'off', run: null, exit: null })
    })

    test('a machine that cannot be read is neither absent nor made anew, and comes back', async ({
      skip,
    }) => {
      const hide = real('hide', skip)
      const unreadable = { power: 'unreadable', reason: expect.stringMatching(/^[A-Z].*\.$/) }
      await hide({ machineId: keeper.id }, true)
      expect(await engine.inspect(keeper.id)).toEqual(unreadable)
      expect(await engine.list()).toEqual(new Map([[keeper.id, unreadable]]))
      expect(await code(engine.createMachine(keeper))).toBe('internal')
      expect(await code(start(keeper.id))).toBe('internal')
      await hide({ machineId: keeper.id }, false)
      expect(await engine.inspect(keeper.id)).toEqual({ power: 'off', run: null, exit: null })
    })

    test('a machine that cannot be read is deleted when that is asked for', async ({ skip }) => {
      const hide = real('hide', skip)
      await hide({ machineId: keeper.id }, true)
      await done(engine.deleteMachine(keeper.id))
      await until(keeper.id, 'absent')
      expect((await harness.traces?.(keeper.id))?.files ?? []).toEqual([])
      await done(engine.deleteVolume(volumeId))
      await done(engine.deleteVolume(volumeId))
    })
  })
  describeStorage(name, makeHarness)
  describeSuspend(name, makeHarness)
  describeRootDisks(name, makeHarness)
  describeStartScripts(name, makeHarness)
  describeCopies(name, makeHarness)
  describeNetworks(name, makeHarness)
}
