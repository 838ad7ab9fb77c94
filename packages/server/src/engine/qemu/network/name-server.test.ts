/** What keeps a dnsmasq running, with processes in its place that only look like one. */
import { spawn } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { CommandError } from '../../../lib/command.ts'
import { makeNameServer } from './name-server.ts'
import { fileNamesIn } from './names.ts'

const texts = { settings: 'port=53\n', names: '', leases: '' }
const inUse = () => new CommandError('dnsmasq', 'dnsmasq: failed to create: Address already in use\n', '')

describe('a name server', () => {
  let dir: string
  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'slipway-names-'))
  })
  afterAll(() => rm(dir, { recursive: true, force: true }))

  /** A process that lives and has the settings among its arguments. */
  function another(settings: string) {
    const child = spawn('sh', ['-c', 'while :; do sleep 1; done', `--conf-file=${settings}`])
    onTestFinished(() => void child.kill('SIGKILL'))
    return { pid: child.pid ?? 0, ended: new Promise((resolve) => child.once('exit', resolve)) }
  }

  it('takes the place of one that a killed server was starting, which told its process late', async () => {
    const file = fileNamesIn(dir, 'late')
    const early = another(file.settings)
    const tries: string[][] = []
    const server = makeNameServer(file, async (_command, args) => {
      tries.push(args)
      if (tries.length > 1) return ''
      await writeFile(file.pid, `${early.pid}\n`)
      throw inUse()
    })
    expect(await server.ensure(texts)).toBe('stood')
    await early.ended
    expect(tries).toEqual([[`--conf-file=${file.settings}`], [`--conf-file=${file.settings}`]])
  })

  it('says why it cannot serve where another program does', async () => {
    let tries = 0
    const server = makeNameServer(fileNamesIn(dir, 'taken'), async () => {
      tries += 1
      throw inUse()
    })
    await expect(server.ensure(texts)).rejects.toThrow('Address already in use')
    expect(tries).toBeGreaterThan(1)
  })

  it('does not try again what fails for another reason', async () => {
    let tries = 0
    const server = makeNameServer(fileNamesIn(dir, 'odd'), async () => {
      tries += 1
      throw new CommandError('dnsmasq', 'dnsmasq: bad option\n', '')
    })
    await expect(server.ensure(texts)).rejects.toThrow('bad option')
    expect(tries).toBe(1)
  })
})
