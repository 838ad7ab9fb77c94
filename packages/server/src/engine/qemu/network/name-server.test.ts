/** What keeps a dnsmasq running, with processes in its place that only look like one. */
import { spawn } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import { CommandError } from '../../../lib/command.ts'
import { directoryForAll } from '../../../lib/directory.test-kit.ts'
import { makeNameServer } from './name-server.ts'
import { fileNamesIn } from './names.ts'

const texts = { settings: 'port=53\n', names: '', leases: '' }
const inUse = () => new CommandError('dnsmasq', 'dnsmasq: failed to create: Address already in use\n', '')

describe('a name server', () => {
  const dir = directoryForAll()

  /** A process that lives and has the settings among its arguments. */
  function another(settings: string) {
    const child = spawn('sh', ['-c', 'while :; do sleep 1; done', `--conf-file=${settings}`])
    onTestFinished(() => void child.kill('SIGKILL'))
    return { pid: child.pid ?? 0, ended: new Promise((resolve) => child.once('exit', resolve)) }
  }

  it('takes the place of one that a killed server was starting, which told its process late', async () => {
    const file = fileNamesIn(dir(), 'late')
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

  it.each([
    ['says why it cannot serve where another program does', inUse(), 'Address already in use', true],
    [
      'does not try again what fails for another reason',
      new CommandError('dnsmasq', 'dnsmasq: bad option\n', ''),
      'bad option',
      false,
    ],
  ])('%s', async (_, failure, said, again) => {
    let tries = 0
    const server = makeNameServer(fileNamesIn(dir(), String(again)), async () => {
      tries += 1
      throw failure
    })
    await expect(server.ensure(texts)).rejects.toThrow(said)
    expect(tries > 1).toBe(again)
  })
})
