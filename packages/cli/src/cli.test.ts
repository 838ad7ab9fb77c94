import { createHash } from 'node:crypto'
import { chmod, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { Disk, Vm } from '@slipway/contract'
import { afterAll, describe, expect, it } from 'vitest'
import { type Outcome, startWorld, succeeding } from './cli.test-kit.ts'
import { exitCodes } from './failure.ts'

const world = await startWorld()
afterAll(() => world.stop())

const outcomes: Outcome[] = []
const run = async (...input: Parameters<typeof world.run>) => {
  const outcome = await world.run(...input)
  outcomes.push(outcome)
  return outcome
}
const { ok, json } = succeeding(run)
const vms = () => json<Vm[]>('vm', 'list')
const kept = join(world.home, 'slipway', 'cli.json')

describe('signing in', () => {
  it('is asked for by whatever needs it, with exit code 3', async () => {
    expect(await run(['vm', 'list'])).toMatchObject({
      code: exitCodes.notAllowed,
      stderr: 'Not signed in. Run `slipway login --server URL`, or set SLIPWAY_SERVER and SLIPWAY_TOKEN.\n',
    })
  })

  it('keeps no token that the server refuses', async () => {
    const outcome = await run(['login', '--server', world.server.url], {}, 'slipway_wrong\n')
    expect(outcome).toMatchObject({ code: exitCodes.notAllowed, stdout: '' })
    expect(outcome.stderr).toContain('The API token is not valid.')
    expect(outcome.stderr).not.toContain('slipway_wrong')
    await expect(stat(kept)).rejects.toThrow()
  })

  it('takes the token from standard input and keeps it for its owner alone', async () => {
    const outcome = await run(['login', '--server', `${world.server.url}/`], {}, `${world.token}\n`)
    expect(outcome).toMatchObject({ code: exitCodes.done, stderr: '' })
    expect(outcome.stdout).toBe(
      `Signed in to ${world.server.url} as ${world.person.email}.\nYou have no project. Create one with \`slipway project create NAME\`.\n`,
    )
    expect((await stat(kept)).mode & 0o777).toBe(0o600)
    expect((await stat(join(world.home, 'slipway'))).mode & 0o777).toBe(0o700)
  })

  it('asks for the token in a terminal and does not show it', async () => {
    const opened = world.start(['login', '--server', world.server.url], {}, true)
    await expect.poll(opened.output).toContain('Token: ')
    opened.child.stdin.write(`${world.token}\r`)
    const outcome = await opened.ended
    outcomes.push(outcome)
    expect(outcome.stdout).toContain(`Signed in to ${world.server.url}`)
    expect(outcome.code).toBe(exitCodes.done)
  })

  it('selects the only project, and says how to select one of several', async () => {
    const login = async () =>
      (await run(['login', '--server', world.server.url], {}, `${world.token}\n`)).stdout.split('\n')[1]
    const newProject = async (name: string) =>
      (await world.person.call('project.create', { body: { name } })).id
    const ids = [await newProject('first')]
    expect(await login()).toBe('Selected project first.')
    ids.push(await newProject('second'))
    expect(await login()).toBe('Select a project with `slipway use PROJECT`.')
    for (const projectId of ids)
      await world.person.call('project.delete', { params: { projectId }, query: { for_good: 'true' } })
    expect(await login()).toBe('You have no project. Create one with `slipway project create NAME`.')
  })

  it('never sends the kept token to another server', async () => {
    let asked = 0
    const other = createServer((request, response) => {
      asked++
      expect(request.headers.authorization).toBeUndefined()
      response.end('[]')
    }).listen(0, '127.0.0.1')
    await new Promise((resolve) => other.once('listening', resolve))
    const { port } = other.address() as AddressInfo
    const env = { SLIPWAY_SERVER: `http://127.0.0.1:${port}` }
    expect(await run(['project', 'list'], env)).toMatchObject({ code: exitCodes.notAllowed })
    expect(asked).toBe(0)
    expect(await run(['host', 'health'], env)).toMatchObject({ code: exitCodes.done })
    expect(asked).toBe(1)
    other.close()
  })
})

describe('the main job', () => {
  it('creates a project, selects it, and creates a VM with names in place of ids', async () => {
    expect(await ok('project', 'create', 'shop')).toMatch(/^NAME +ROLE.*\nshop +owner/)
    expect(await ok('use', 'shop')).toBe('Selected project shop.\n')
    expect(await ok('ssh-key', 'list')).toContain('laptop')
    const what = ['--name', 'web', '--template_id', 'starter', '--ssh-key', 'laptop']
    expect(await ok('vm', 'create', ...what, '--wait')).toMatch(/^NAME +STATUS.*\nweb +running/)
  })

  it('prints the answer of the API unchanged with --json', async () => {
    const { id: projectId = '' } = (await world.person.call('project.list'))[0] ?? {}
    expect(await vms()).toEqual(await world.person.call('vm.list', { params: { projectId } }))
  })

  it('stops a VM, waits for it, and starts it again', async () => {
    expect(await ok('vm', 'stop', 'web', '--force', '--wait')).toMatch(/web +stopped/)
    expect(await ok('vm', 'start', 'web')).toMatch(/web +(starting|provisioning|running)/)
    expect(await ok('vm', 'wait', 'web', '--for', 'running')).toMatch(/web +running/)
  })

  it('creates a disk, attaches it by name, and detaches it', async () => {
    expect(await ok('disk', 'create', 'data', '1Gi', 'EMPTY', '--wait')).toMatch(/data +available/)
    expect(await ok('disk', 'attach', 'data', '--vm', 'web')).toMatch(/data +attached +1Gi +web/)
    expect(await ok('disk', 'detach', 'data')).toMatch(/data +available/)
  })

  it('creates a disk from a file, goes on with one that was interrupted, and saves a disk as a file', async () => {
    const bytes = Buffer.alloc(3 * 1024 ** 2, 'slipway ')
    const file = join(world.home, 'tiles.img')
    await writeFile(file, bytes)
    expect(await ok('disk', 'upload', file)).toMatch(/^Disk tiles is available: /)
    const sha256 = createHash('sha256').update(bytes).digest('hex')
    const [tiles] = (await json<Disk[]>('disk', 'list')).filter(({ name }) => name === 'tiles')
    expect(tiles).toMatchObject({ source: 'upload', image_sha256: sha256, size: '1Gi' })

    // As a command does that is ended after a piece.
    const { id: projectId = '' } = (await world.person.call('project.list'))[0] ?? {}
    const { mtime } = await stat(file)
    const upload = await world.person.call('upload.create', {
      params: { projectId },
      body: {
        ...{ name: 'again', size: '1Gi', file_name: 'tiles.img', file_bytes: bytes.length },
        file_modified_at: mtime.toISOString(),
      },
    })
    await world.person.call('upload.send', {
      params: { projectId, uploadId: upload.id },
      query: { offset: 0 },
      bytes: new Uint8Array(bytes.subarray(0, 1024 ** 2)),
    })
    expect(await run(['disk', 'upload', file, '--name', 'again'])).toMatchObject({
      code: exitCodes.done,
      stdout: `Disk again is available: ${upload.id}\n`,
      stderr: 'Continuing at 33%.\n',
    })

    const saved = join(world.home, 'tiles.qcow2')
    expect(await ok('disk', 'download', 'tiles', saved)).toBe(`Saved ${saved}\n`)
    expect((await readFile(saved)).subarray(0, 4).toString('latin1')).toBe('QFI\xfb')
    expect(await run(['disk', 'upload', join(world.home, 'none.img')])).toMatchObject({
      code: exitCodes.usage,
      stderr: expect.stringContaining('could not be opened: ENOENT.') as string,
    })
  })

  it('sets, shows and deletes the snapshot schedule of a VM', async () => {
    const daily = { time: '03:00', keep: 7 }
    const set = ['--daily', JSON.stringify(daily), '--time-zone', 'Europe/Berlin']
    expect(await ok('vm-snapshot-schedule', 'set', 'web', ...set)).toMatch(/Europe\/Berlin/)
    expect(await json('vm-snapshot-schedule', 'get', 'web')).toMatchObject({ daily, paused: false })
    expect(await json('vm-snapshot-schedule', 'list')).toMatchObject([{ daily }])
    expect(await ok('vm-snapshot-schedule', 'list')).toMatch(/time=03:00 keep=7/)
    await ok('vm-snapshot-schedule', 'delete', 'web')
    expect(await json('vm-snapshot-schedule', 'get', 'web')).toMatchObject({ daily: null })
  })

  it('creates a webhook, shows its secret once, and deletes it', async () => {
    const where = ['--url', 'https://hooks.invalid/', '--description', 'chat']
    const created = await ok('webhook', 'create', ...where, '--kinds', 'failure', '--paused')
    expect(created).toMatch(/whsec_/)
    const [{ id = '' } = {}] = await json<{ id?: string }[]>('webhook', 'list')
    expect(await ok('webhook', 'list')).not.toMatch(/whsec_/)
    const has = { kinds: ['failure'], objects: null, paused: true }
    expect(await json('webhook', 'get', id)).toMatchObject(has)
    await ok('webhook', 'update', id, '--kinds', 'null')
    expect(await json('webhook', 'get', id)).toMatchObject({ kinds: null, description: 'chat' })
    expect(await json('webhook', 'deliveries', id)).toMatchObject({ deliveries: [] })
    await ok('webhook', 'delete', id)
    expect(await json('webhook', 'list')).toEqual([])
  })

  it('prints what the console has kept', async () => {
    expect(await ok('vm', 'console-log', 'web')).toContain('root (automatic login)')
  })

  it('asks for an id where a name is not unique', async () => {
    await ok('vm', 'create', 'web', 'starter', 'laptop', '--wait')
    const outcome = await run(['vm', 'stop', 'web'])
    expect(outcome.code).toBe(exitCodes.usage)
    const ids = (await vms()).map(({ id }) => id)
    expect(outcome.stderr).toBe(
      `The name "web" is not unique. Use an id:\n${ids.map((id) => `  ${id}\n`).join('')}`,
    )
    expect(await ok('vm', 'delete', ids[1] ?? '', '--wait')).toBe(`Done: vm delete ${ids[1]}\n`)
  })

  it('deletes the VM and waits until it is gone', async () => {
    await ok('vm', 'delete', 'web', '--wait')
    expect(await ok('vm', 'list')).toBe('None.\n')
    expect(await vms()).toEqual([])
  })
})

describe('exit codes', () => {
  it.each([
    ['usage', ['nonsense'], 'Unknown command: "nonsense". `slipway help` lists all commands.'],
    ['usage', ['vm', 'explode'], 'Unknown command: "vm explode".'],
    ['usage', ['vm', 'list', '--colour'], 'Unknown flag: --colour'],
    ['usage', ['vm', 'stop'], 'The VM is missing. Usage: slipway vm stop VM'],
    ['usage', ['vm', 'create', '--name', 'x'], 'Required: --template_id, --ssh_key_id.'],
    ['usage', ['vm', 'list', 'web'], 'Unexpected argument: "web".'],
    ['notFound', ['vm', 'get', 'nobody'], 'There is no VM with the name or id "nobody".'],
    ['notFound', ['vm', 'get', '01a21862-d8d6-7000-a496-1fbe4011ea52'], 'VM not found'],
    ['notFound', ['vm', 'list', '--project', 'nobody'], 'There is no project with the name or id "nobody".'],
    ['failed', ['vm', 'create', '', 'starter', 'laptop'], 'Please enter a VM name\n  --name\n'],
    ['notAllowed', ['api-token', 'list'], 'API tokens cannot be used for this.'],
  ] as const)('%s: %j', async (exit, args, message) => {
    const outcome = await run(args)
    expect(outcome.stdout).toBe('')
    expect(outcome.stderr).toContain(message)
    expect(outcome.code).toBe(exitCodes[exit])
  })

  it('a token that may only read is refused with 3', async () => {
    const token = await world.newToken('read')
    const outcome = await run(['project', 'create', 'x'], { ...world.env, SLIPWAY_TOKEN: token })
    expect(outcome).toMatchObject({ code: exitCodes.notAllowed, stdout: '' })
    expect(outcome.stderr).not.toContain(token)
  })

  it('a server that is not there is 1, and says so', async () => {
    const env = { SLIPWAY_SERVER: 'http://127.0.0.1:1', SLIPWAY_TOKEN: 'x' }
    expect(await run(['project', 'list'], env)).toEqual({
      code: exitCodes.failed,
      stdout: '',
      stderr: 'http://127.0.0.1:1 could not be reached: ECONNREFUSED.\n',
    })
  })

  it('a wait that takes too long is 5, and one for what failed is 1 with the reason', async () => {
    const args = ['starter', 'laptop', '--wait']
    const late = await run(['vm', 'create', 'fault-never-ready', ...args, '--timeout', '1'])
    expect(late).toMatchObject({ code: exitCodes.timedOut, stdout: '' })
    expect(late.stderr).toMatch(/^fault-never-ready is still \w+ after 1 seconds\.\n$/)
    const crashed = await run(['vm', 'create', 'fault-crash', ...args])
    expect(crashed.code).toBe(exitCodes.failed)
    expect(crashed.stderr).toMatch(/^fault-crash is (failed|error): \S/)
  })
})

describe('SSH', () => {
  it('becomes ssh and scp with the way that the server names, and ends as they do', async () => {
    await ok('vm', 'create', 'box', 'starter', 'laptop', '--wait')
    const bin = await mkdtemp(join(world.home, 'bin-'))
    for (const name of ['ssh', 'scp']) {
      await writeFile(join(bin, name), '#!/bin/sh\necho "$0" "$@"\nexit 7\n')
      await chmod(join(bin, name), 0o755)
    }
    const env = { PATH: `${bin}:${process.env.PATH}` }
    const shell = await run(['ssh', 'box', '-i', 'key', '--', 'ls', '-l'], env)
    expect(shell.code).toBe(7)
    expect(shell.stdout).toMatch(/\/ssh -i key -p \d+ root@127\.\d+\.\d+\.\d+ -- ls -l\n$/)
    const copied = await run(['cp', 'a:b', 'box:/root/'], env)
    expect(copied.stderr).toContain('one of the two is VM:PATH')
    const copy = await run(['cp', '-r', 'dir', 'box:/root/'], env)
    expect(copy.code).toBe(7)
    expect(copy.stdout).toMatch(/\/scp -r -P \d+ -- \.\/dir root@127\.\d+\.\d+\.\d+:\/root\/\n$/)
    await ok('vm', 'suspend', 'box', '--wait')
    const byName = await run(['ssh', 'box'], env)
    expect(byName.stdout).toMatch(/\/ssh -p \d+ box\.shop@127\.0\.0\.1\n$/)
    await ok('vm', 'start', 'box', '--wait')
    await rm(bin, { recursive: true })
  })
})

describe('the console', () => {
  it('passes on what is typed and printed', async () => {
    const opened = world.start(['console', 'box'])
    await expect.poll(opened.output).toContain('root@box')
    opened.child.stdin.write('echo hello there\r')
    await expect.poll(opened.output).toContain('\nhello there\r\n')
    await ok('vm', 'stop', 'box', '--force', '--wait')
    const outcome = await opened.ended
    outcomes.push(outcome)
    expect(outcome.code).toBe(exitCodes.done)
  })

  it('is left with Ctrl-] in a terminal, and the VM goes on', async () => {
    await ok('vm', 'start', 'box', '--wait')
    const opened = world.start(['console', 'box'], {}, true)
    await expect.poll(opened.output).toContain('Ctrl-] leaves.')
    opened.child.stdin.write('echo there you are\r')
    await expect.poll(opened.output).toMatch(/\nthere you are\r+\n/)
    opened.child.stdin.write('\u001d')
    expect(await opened.ended).toMatchObject({ code: exitCodes.done })
    expect(await ok('vm', 'list')).toMatch(/box +running/)
    await ok('vm', 'stop', 'box', '--force', '--wait')
  })

  it('says why it cannot be opened', async () => {
    expect(await run(['console', 'box'])).toMatchObject({
      code: exitCodes.failed,
      stderr: 'VM is not running\n',
    })
  })
})

describe('completion', () => {
  const complete = async (...words: string[]) =>
    (await ok('__complete', '--', ...words)).split('\n').filter(Boolean)

  it('knows nouns, verbs, flags, choices and names', async () => {
    expect((await complete('vm-s')).sort()).toEqual(['vm-set', 'vm-snapshot', 'vm-snapshot-schedule'])
    expect(await complete('vm', 'st')).toEqual(['start', 'stop'])
    expect(await complete('vm', 'stop', 'bo')).toEqual(['box'])
    expect(await complete('vm', 'create', '--te')).toEqual(['--template_id'])
    expect(await complete('vm', 'create', '--ssh_key_id', '')).toEqual(['laptop'])
    expect(await complete('disk', 'create', '--source', 'H')).toEqual(['HTTP'])
    expect(await complete('ssh', '')).toContain('box')
    expect(await complete('use', '')).toEqual(['shop'])
  })

  it('has a script for each shell', async () => {
    for (const shell of ['bash', 'zsh']) expect(await ok('completion', shell)).toContain('slipway __complete')
  })
})

describe('signing out', () => {
  it('removes the token', async () => {
    expect(await ok('logout')).toContain('Removed the token')
    await expect(readFile(kept)).rejects.toThrow()
    expect(await run(['vm', 'list'])).toMatchObject({ code: exitCodes.notAllowed })
  })

  it('the token was never printed', () => {
    expect(outcomes.length).toBeGreaterThan(40)
    for (const { stdout, stderr } of outcomes) expect(stdout + stderr).not.toContain(world.token)
  })
})
