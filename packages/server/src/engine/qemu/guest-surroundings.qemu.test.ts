import { readdir, readFile, readlink } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { run } from '../../lib/command.ts'
import { directoryOfTest } from '../../lib/directory.test-kit.ts'
import { makeHandClock } from '../../lib/hand-clock.ts'
import { blankEngine, blankEngineForEach, blankMachine } from './blank-images.test-kit.ts'
import { withStorageDaemon } from './block-host.ts'
import { findHostFacts } from './host-facts.ts'
import { missing } from './qemu-engine.test-kit.ts'

/** Processes that work in a directory, by the names of their programs, with the names of what is in their environment. */
async function environmentsIn(directory: string): Promise<Map<string, string[]>> {
  const found = new Map<string, string[]>()
  for (const pid of await readdir('/proc')) {
    if ((await readlink(`/proc/${pid}/cwd`).catch(() => '')) !== directory) continue
    const [program, environment] = await Promise.all(
      ['comm', 'environ'].map((file) => readFile(`/proc/${pid}/${file}`, 'utf8')),
    )
    const entries = (environment ?? '').split('\0').filter((entry) => entry !== '')
    found.set(`${program}`.trim(), entries.map((entry) => entry.replace(/=.*/s, '')).sort())
  }
  return found
}

/** The process of a guest that runs in a directory, and its user. */
async function processIn(directory: string): Promise<{ pid: number; user: number }> {
  const pid = Number(await readFile(join(directory, 'pid'), 'utf8'))
  const [, user] = /^Uid:\s+(\d+)/m.exec(await readFile(`/proc/${pid}/status`, 'utf8')) ?? []
  return { pid, user: Number(user) }
}

describe.skipIf(missing !== undefined)('What surrounds a running guest', () => {
  /** How often the rules that keep guests from this host were looked at. */
  let looks: number
  beforeEach(() => {
    looks = 0
    // Time goes by by hand for what is done every few seconds, and for nothing else.
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  })
  const [spec, other] = [blankMachine('surrounded-1'), blankMachine('surrounded-2')]
  const { dataDir, engine, reopen } = blankEngineForEach([spec, other], () => ({
    async findHost(deps) {
      const facts = await findHostFacts(deps)
      const protect = async () => {
        looks += 1
        return 'stood' as const
      }
      return { ...facts, network: { ...facts.network, protect } }
    },
  }))
  beforeEach(() => engine().createMachine(spec))
  afterEach(() => {
    vi.useRealTimers()
    vi.unstubAllEnvs()
  })
  const start = ({ id } = spec) => engine().startMachine(id, { freshRoot: false, volumeIds: [] })

  test('has nothing of the settings of the server, nor of what else is in its environment', async () => {
    vi.stubEnv('SLIPWAY_SMTP_URL', 'smtp://user:secret@mail.example')
    vi.stubEnv('PASSWORD_OF_SOMETHING_ELSE', 'secret')
    await start()
    const allowed = ['LC_ALL', 'PATH']
    expect(await environmentsIn(join(dataDir(), 'machines', spec.id))).toEqual(
      new Map([
        ['qemu-system-x86', allowed],
        ['tail', allowed],
      ]),
    )
    // Reads what a guest wrote, too.
    const daemons = join(dataDir(), 'daemons')
    expect(await withStorageDaemon(daemons, () => environmentsIn(daemons))).toEqual(
      new Map([['qemu-storage-da', allowed]]),
    )
  })

  test.skipIf(process.getuid?.() !== 0)(
    'are users: each guest is one of its own, and reaches no process of another',
    async () => {
      await engine().createMachine(other)
      for (const one of [spec, other]) await start(one)
      const mine = await processIn(join(dataDir(), 'machines', spec.id))
      const theirs = await processIn(join(dataDir(), 'machines', other.id))
      expect(mine.user).not.toBe(theirs.user)
      for (const { user } of [mine, theirs]) expect(user).toBeGreaterThan(1_879_048_191)
      // What somebody who broke out of QEMU is.
      const as = ['--reuid', mine.user, '--regid', mine.user, '--clear-groups'].map(String)
      const tries = (pid: number) =>
        run('setpriv', [...as, 'sh', '-c', `kill -0 ${pid} && echo signals; cat /proc/${pid}/maps; true`])
      expect(await tries(mine.pid)).toContain('signals')
      expect(await tries(theirs.pid)).toBe('')
    },
  )

  test('is looked at again and again while there is a guest, and neither before nor after', async () => {
    const pass = () => vi.advanceTimersByTimeAsync(10_000)
    await pass()
    expect(looks).toBe(0)
    await start()
    const atTheStart = looks
    expect(atTheStart).toBeGreaterThan(0)
    await pass()
    const later = looks
    expect(later).toBeGreaterThan(atTheStart + 1)
    await pass()
    expect(looks).toBeGreaterThan(later + 1)
    await engine().powerOff(spec.id)
    const afterwards = looks
    await pass()
    expect(looks).toBe(afterwards)

    await start()
    await reopen(async () => expect(vi.getTimerCount()).toBe(0))
  })
})

test.skipIf(missing !== undefined)(
  'a host that was too busy to be tried out is found out about later',
  async () => {
    const clock = makeHandClock()
    const engine = await blankEngine(directoryOfTest(), {
      clock,
      async findHost(deps) {
        const facts = await findHostFacts(deps)
        const network = { ...facts.network, apart: null, again: null, sentence: 'Tried out.' }
        const apart = 'VMs are apart, because the host is busy.'
        const undecided = { ...network, apart, again: async () => network, sentence: 'Not tried out.' }
        return { ...facts, network: undecided }
      },
    })
    try {
      await engine.open()
      expect(engine.capabilities).toMatchObject({
        network: 'Not tried out.',
        undecided: expect.stringMatching(/\.$/),
        cannot: { networks: expect.stringContaining('busy'), ports: expect.stringMatching(/\.$/) },
      })
      await clock.advance(20_000)
      await expect
        .poll(() => engine.capabilities)
        .toMatchObject({ network: 'Tried out.', undecided: null, cannot: { networks: null, ports: null } })
    } finally {
      await engine.close()
    }
  },
)
