import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readdir, readFile, stat } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  accountApi,
  activityApi,
  adminAccountApi,
  hostApi,
  projectApi,
  projectMemberApi,
  sshKeyApi,
  vmApi,
} from '@slipway/contract'
import ssh2, { type Client } from 'ssh2'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { lastMail, makeTestAppOver, tokenOf } from '../app.test-kit.ts'
import { type Engine, EngineError } from '../engine/engine.ts'
import { makeSimulatedEngine } from '../engine/simulated/simulated.ts'
import { directoryOfFile } from '../lib/directory.test-kit.ts'
import { makeHandClock } from '../lib/hand-clock.ts'
import { silentLog } from '../lib/log.ts'
import { newKey, open, optionsFor, runClient, startGuest } from './gateway.test-kit.ts'
import { startGateway } from './gateway.thread.ts'

const dir = directoryOfFile()
const settings = { dataDir: dir, listen: '127.0.0.1', localOnly: true, port: 0, host: null }
const gateway = await startGateway(settings, silentLog)
const clock = makeHandClock()
const simulated = makeSimulatedEngine({ clock, hostMemoryMb: 1024 * 1024 })
await simulated.open()
/** Where the guests of VMs are; these are made by this test. */
const ports = new Map<string, number>()
/** Whether the engine opens connections itself, as one does whose guests this host cannot reach. */
let opensItself = false
/** What happens while the engine looks for the way to a guest. */
let meanwhile = async () => {}
const engine: Engine = {
  ...simulated,
  async dial(machineId, port) {
    expect(port).toBe(22)
    await meanwhile()
    const { power } = await simulated.inspect(machineId)
    if (power !== 'ready') throw new EngineError('unreachable', 'It is not running.')
    const at = { ip: '127.0.0.1', port: ports.get(machineId) ?? 0 }
    return opensItself ? { stream: connect({ host: at.ip, port: at.port }) } : { at }
  },
}
const app = await makeTestAppOver(
  { clock, engine, passTime: () => clock.advance(60_000) },
  // Whoever signs up first.
  { gateway, dataDir: dir, admins: ['person-1@slipway.test'] },
)
const guest = await startGuest(gateway.publicKey)
afterAll(async () => {
  await app.close()
  await gateway.close()
  guest.close()
})

type Person = Awaited<ReturnType<typeof app.signedIn>>

/** A person with a key that is stored. */
async function person(name: string, ...type: string[]) {
  const who = await app.signedIn(name)
  const key = await newKey(dir, name, ...type)
  const stored = await storeKey(who, key.publicKey, name)
  return { ...who, key, keyId: stored, options: optionsFor(key.file) }
}

async function storeKey(who: Person, publicKey: string, name: string): Promise<string> {
  const answer = await who.call(sshKeyApi.create, { body: { key_name: name, ssh_public_key: publicKey } })
  expect(answer.status).toBe(201)
  return answer.body.id
}

/** A running VM whose SSH is the guest of this test. */
async function vm(who: Person & { keyId: string }, name: string, projectName: string, at = guest.port) {
  const projects = (await who.call(projectApi.list)).body
  const project =
    projects.find((one) => one.name === projectName) ??
    (await who.call(projectApi.create, { body: { name: projectName, description: '' } })).body
  const params = { projectId: project.id }
  const { body } = await who.call(vmApi.create, {
    params,
    body: { name, template_id: 'starter', ssh_key_id: who.keyId },
  })
  await clock.advance(30_000)
  await app.idle()
  ports.set(body.id, at)
  return { id: body.id, params: { ...params, vmId: body.id } }
}

/** What ssh is called with. */
const to = (options: string[], name: string, ...command: string[]) => [
  ...options,
  ...['-p', `${gateway.port}`, `${name}@127.0.0.1`, ...command],
]
const ssh = (options: string[], name: string, ...command: string[]) =>
  runClient('ssh', to(options, name, ...command))
/** What a VM that lets somebody in says. */
const greeting = async (options: string[], name: string) =>
  (await ssh(options, name, 'echo in')).stdout.toString()
const forwarded = (options: string[], target: string, name = 'jump') => ssh([...options, '-W', target], name)

/** A visit that goes on until somebody ends it. */
async function enter(options: string[], name: string) {
  const visit = open('ssh', to(options, name, 'echo in; cat'))
  await expect.poll(visit.stdout).toBe('in\n')
  return visit
}
type Visit = Awaited<ReturnType<typeof enter>>
async function expectCutOff(visit: Visit, reason: string): Promise<void> {
  expect(await visit.ended).toMatchObject({ code: 255 })
  expect(visit.stderr()).toContain(reason)
}
async function expectLeftAlone(visit: Visit): Promise<void> {
  visit.child.stdin.end('still here\n')
  expect((await visit.ended).stdout.toString()).toBe('in\nstill here\n')
}

/** Invites somebody into a project, as one who may use its VMs. */
async function invite(owner: Person, projectId: string, guest: Person) {
  const body = { email: guest.email, role: 'operator' as const }
  await owner.call(projectMemberApi.invite, { params: { projectId }, body })
  await guest.call(projectMemberApi.accept, { body: { token: tokenOf(lastMail(app.mails, guest.email)) } })
  const { id: memberId } = (await guest.call(accountApi.me)).body
  return { params: { projectId, memberId } }
}

const codeOf = async (who: Person, sshKeyId: string): Promise<string> => {
  const { status, body } = await who.call(sshKeyApi.prove, { params: { sshKeyId } })
  expect(status).toBe(200)
  return body.user_name
}
const prove = (options: string[], userName: string) => ssh(options, userName)
/** What is written to somebody who proves nothing by a code. */
const unproven = { stderr: expect.stringContaining('does not prove this SSH key') }

let ada: Awaited<ReturnType<typeof person>>
let bob: Awaited<ReturnType<typeof person>>
let web: Awaited<ReturnType<typeof vm>>

beforeAll(async () => {
  ada = await person('ada')
  bob = await person('bob')
  web = await vm(ada, 'Web', 'Shop')
})

describe('SSH by name', () => {
  it('is told of by the host, with the fingerprint that ssh-keygen prints', async () => {
    const { body } = await ada.call(hostApi.get)
    expect(body.ssh_gateway).toEqual({
      host: null,
      port: gateway.port,
      local_only: true,
      fingerprint: gateway.fingerprint,
    })
    const scan = await ssh([...ada.options, '-v'], 'web.shop', 'true')
    expect(scan.stderr).toContain(`Server host key: ssh-ed25519 ${gateway.fingerprint}`)
  })

  it('runs a command in the VM that is named, and hands on its exit status and both outputs', async () => {
    const outcome = await ssh(ada.options, 'web.shop', 'echo out; echo err >&2; exit 7')
    expect(outcome.code).toBe(7)
    expect(outcome.stderr).toMatch(/^err\n/m)
    expect(outcome.stdout.toString()).toBe('out\n')
    expect((await ssh(ada.options, 'web.shop', 'kill -TERM $$')).code).not.toBe(0)
  })

  it('does the same over connections that the engine opens, with tunnels too', async () => {
    opensItself = true
    const input = randomBytes(3_000_000)
    const there = await runClient('ssh', to(ada.options, 'web.shop', 'cat; exit 3'), input)
    expect(there.stdout.equals(input)).toBe(true)
    expect(there.code).toBe(3)
    expect((await forwarded(ada.options, 'web.shop:22')).stdout.toString()).toMatch(/^SSH-2\.0-/)
    opensItself = false
    // Nobody sees where doors are, and none is left.
    const doors = join(dir, 'doors')
    expect((await stat(doors)).mode & 0o777).toBe(0o700)
    expect(await readdir(doors)).toEqual([])
  })

  it('records who came in with which key', async () => {
    const { body } = await ada.call(activityApi.ofProject, { params: { projectId: web.params.projectId } })
    expect(body.entries[0]).toMatchObject({
      kind: 'access',
      action: 'vm.ssh',
      message: 'Connected to VM Web by SSH',
      actor: { name: 'ada' },
      object: { type: 'vm', id: web.id, name: 'Web' },
      reason: expect.stringMatching(/^SSH key ada, SHA256:/),
    })
  })

  it('is clean for bytes in both directions, beside much on the error output, and hands on the end of input', async () => {
    const bytes = randomBytes(3 * 1024 * 1024 + 17)
    const command = 'yes 0123456789 | head -c 300000 >&2 & cat; wait'
    const { stdout, stderr, code } = await runClient('ssh', to(ada.options, 'web.shop', command), bytes)
    expect(code).toBe(0)
    expect(stdout.equals(bytes)).toBe(true)
    expect(stderr.match(/0123456789/g)?.length).toBe(27272)
  })

  it('lets the guest know that nobody reads any more', async () => {
    const endless = open('ssh', to([...ada.options, '-vv'], 'web.shop', 'cat /dev/zero'))
    await expect.poll(() => endless.child.stdout.readableFlowing).toBe(true)
    endless.child.stdout.destroy()
    await expect.poll(endless.stderr).toContain('send eow')
    endless.child.kill()
    await endless.ended
  })

  it('keeps on while keys are exchanged anew', async () => {
    const bytes = randomBytes(2 * 1024 * 1024)
    const often = [...ada.options, '-o', 'RekeyLimit=200K']
    const { stdout } = await runClient('ssh', to(often, 'web.shop', 'cat'), bytes)
    expect(stdout.equals(bytes)).toBe(true)
  })

  it('opens a shell with a terminal of the size that was asked for', async () => {
    const typed = 'echo shell-of-$((6*7))\nexit\n'
    const { stdout } = await runClient('ssh', to([...ada.options, '-tt'], 'web.shop'), typed)
    expect(stdout.toString()).toContain('shell-of-42')
    expect(guest.seen.asked.some((one) => one.startsWith('pty '))).toBe(true)
  })

  it.each([
    [['-t', 'rsa', '-b', '2048']],
    [['-t', 'ecdsa', '-b', '256']],
    [['-t', 'ecdsa', '-b', '384']],
    [['-t', 'ecdsa', '-b', '521']],
  ])('lets in a key of the kind %j', async (type) => {
    const name = `key${type.join('')}`
    const key = await newKey(dir, name, ...type)
    await storeKey(ada, key.publicKey, name)
    expect(await greeting(optionsFor(key.file), 'web.shop')).toBe('in\n')
  })

  it('goes on to other places as the guest sees them, and hands on its refusal', async () => {
    const there = await forwarded(ada.options, `127.0.0.1:${guest.port}`, 'web.shop')
    expect(there.stdout.toString()).toMatch(/^SSH-2\.0-/)
    expect(guest.seen.asked).toContain(`tunnel 127.0.0.1:${guest.port}`)
    const nowhere = await forwarded(ada.options, '127.0.0.1:1', 'web.shop')
    expect(nowhere).toMatchObject({ code: 255, stderr: expect.stringContaining('open failed') })
  })

  it('uses one connection to the guest for many sessions, and hands on that there are too many', async () => {
    const socket = `${dir}/mux`
    const before = guest.seen.connections
    const shared = [...ada.options, '-o', `ControlPath=${socket}`]
    const first = open('ssh', to([...shared, '-M', '-N'], 'web.shop'))
    await expect.poll(() => existsSync(socket)).toBe(true)
    const sessions = Array.from({ length: 10 }, () => open('ssh', to(shared, 'web.shop', 'read x')))
    await expect.poll(() => guest.seen.connections).toBe(before + 1)
    await sleep(500)
    const eleventh = await ssh([...shared, '-v'], 'web.shop', 'echo in')
    // OpenSSH opens a connection of its own when the shared one has no room.
    expect(eleventh.stderr).toMatch(/Session open refused by peer|open failed/)
    for (const { child } of sessions) child.stdin.end('x\n')
    await Promise.all(sessions.map(({ ended }) => ended))
    first.child.kill()
    await first.ended
  })

  it('leads on to the SSH of a VM by the name jump, and nowhere else', async () => {
    for (const name of ['web.shop', web.id])
      expect((await forwarded(ada.options, `${name}:22`)).stdout.toString()).toMatch(/^SSH-2\.0-/)
    for (const [target, options, reason] of [
      ['web.shop:80', ada.options, 'Only port 22 of a VM can be reached through this gateway.'],
      ['127.0.0.1:22', ada.options, 'No VM named 127.0.0.1 is available to this SSH key.'],
      ['web.shop:22', bob.options, 'No VM named web.shop is available to this SSH key.'],
    ] as const)
      expect((await forwarded(options, target)).stderr).toContain(reason)
    const shell = await ssh(ada.options, 'jump', 'true')
    expect(shell.code).toBe(255)
    expect(shell.stderr).toContain(`ssh -J jump@127.0.0.1:${gateway.port} root@<vm>.<project>`)
  })
})

const denied = { code: 255, stderr: expect.stringContaining('Permission denied (publickey)') }

describe('who is not let in', () => {
  it('a key that nobody stored', async () => {
    const { file } = await newKey(dir, 'stranger')
    expect(await ssh(optionsFor(file), 'web.shop', 'true')).toMatchObject(denied)
  })

  it('the key of somebody else, whose answer is the same as for a VM that is not there', async () => {
    expect(await ssh(bob.options, 'web.shop', 'true')).toMatchObject(denied)
    expect(await ssh(bob.options, web.id, 'true')).toMatchObject(denied)
    const nowhere = await ssh(bob.options, 'nothing.nowhere', 'true')
    const there = await ssh(bob.options, 'web.shop', 'true')
    expect(there.stderr.replace('web.shop', '')).toBe(nowhere.stderr.replace('nothing.nowhere', ''))
  })

  it('a password, and whoever has none of the keys', async () => {
    const bare = ['PubkeyAuthentication', 'StrictHostKeyChecking'].flatMap((name) => ['-o', `${name}=no`])
    const options = [...bare, '-o', 'UserKnownHostsFile=/dev/null', '-o', 'NumberOfPasswordPrompts=0']
    expect(await ssh(options, 'web.shop', 'true')).toMatchObject(denied)
  })
})

describe('what owners are told', () => {
  it('of VMs with one name, each with a command that leads to it', async () => {
    const one = await vm(ada, 'Twin', 'Shop')
    const other = await vm(ada, 'twin', 'Shop')
    const outcome = await ssh(ada.options, 'twin.shop', 'true')
    expect(outcome.code).toBe(255)
    expect(outcome.stderr).toContain('2 VMs are called twin.shop. Use one of these:')
    for (const { id } of [one, other]) {
      expect(outcome.stderr).toContain(`\nssh ${id}@127.0.0.1 -p ${gateway.port}  # VM`)
      expect(await greeting(ada.options, id)).toBe('in\n')
    }
    const tunnel = await forwarded(ada.options, 'localhost:1', 'twin.shop')
    expect(tunnel.stderr).toContain('2 VMs are called twin.shop')
    const args = ['-P', `${gateway.port}`, '-b', '-', 'twin.shop@127.0.0.1']
    const files = await runClient('sftp', [...ada.options, ...args])
    expect(files.stderr).toContain('2 VMs are called twin.shop')
  })

  it('nothing of a VM that is suspended: it is started, and all who connect wait for it', async () => {
    const asleep = await vm(ada, 'Dozing', 'Shop')
    await ada.call(vmApi.suspend, { params: asleep.params })
    await clock.advance(60_000)
    expect((await ada.call(vmApi.get, { params: asleep.params })).body.status).toBe('suspended')
    let isOver = false
    const both = Promise.all(
      ['one', 'two'].map((word) => ssh(ada.options, 'dozing.shop', 'echo', word)),
    ).finally(() => {
      isOver = true
    })
    while (!isOver) {
      await clock.advance(100)
      await sleep(20)
    }
    const outcomes = await both
    expect(outcomes.map(({ code, stdout }) => [code, stdout.toString()])).toEqual([
      [0, 'one\n'],
      [0, 'two\n'],
    ])
    expect((await ada.call(vmApi.get, { params: asleep.params })).body.status).toBe('running')
    const { body } = await ada.call(activityApi.ofProject, { params: { projectId: asleep.params.projectId } })
    const told = body.entries.filter(
      ({ message }) => message === 'VM Dozing was started by a connection to it',
    )
    expect(told).toHaveLength(1)
  })

  it('that nobody answers in a VM', async () => {
    const unused = await startGuest(gateway.publicKey)
    unused.close()
    await vm(ada, 'Deaf', 'Shop', unused.port)
    const outcome = await ssh(ada.options, 'deaf.shop', 'true')
    expect(outcome.code).toBe(255)
    expect(outcome.stderr).toContain('VM Deaf is running, but its SSH server does not respond')
  })

  it('that a VM does not have the key of the gateway, with the line it needs', async () => {
    const other = await newKey(dir, 'older')
    const old = await startGuest(other.publicKey)
    await vm(ada, 'Old', 'Shop', old.port)
    const outcome = await ssh(ada.options, 'old.shop', 'true')
    old.close()
    expect(outcome.code).toBe(255)
    expect(outcome.stderr).toContain('/root/.ssh/authorized_keys')
    expect(outcome.stderr).toContain(`\n${gateway.publicKey}\n`)
    expect(gateway.publicKey).toMatch(/^ssh-ed25519 \S+ slipway-gateway$/)
  })
})

describe('a key that several accounts stored', () => {
  const proofsOf = async (who: Person) => (await who.call(sshKeyApi.list)).body.map(({ proof }) => proof)

  it('leads into the VMs of nobody until it is proven, and then of those who proved it, whoever stored it first', async () => {
    for (const order of ['first', 'last'] as const) {
      const victim = await app.signedIn(`Victim ${order}`)
      const mallory = await app.signedIn(`Mallory ${order}`)
      const key = await newKey(dir, `both-${order}`)
      const options = optionsFor(key.file)
      const theirs = async () => storeKey(mallory, key.publicKey, 'stolen')
      let mallorysKey = order === 'first' ? await theirs() : ''
      const own = await storeKey(victim, key.publicKey, 'own')
      if (order === 'last') mallorysKey = await theirs()
      await vm({ ...victim, keyId: own }, 'home', `Home ${order}`)
      await vm({ ...mallory, keyId: mallorysKey }, 'trap', `Trap ${order}`)

      for (const name of [`home.home-${order}`, `trap.trap-${order}`, 'jump']) {
        const { code, stderr, stdout } = await ssh(options, name, 'echo in')
        expect([code, stdout.toString()]).toEqual([255, ''])
        expect(stderr).toContain('This SSH key is stored in more than one account')
      }

      const code = await codeOf(victim, own)
      const proven = await prove(options, code)
      expect(proven.code).toBe(0)
      expect(proven.stderr).toContain('SSH key own is proven for the account')
      expect(await proofsOf(victim)).toEqual(['proven'])
      expect(await proofsOf(mallory)).toEqual(['needed'])
      expect(await greeting(options, `home.home-${order}`)).toBe('in\n')
      expect(await ssh(options, `trap.trap-${order}`, 'true')).toMatchObject(denied)
      // A code is used up; and there is nothing left to prove.
      expect(await prove(options, code)).toMatchObject(unproven)
      expect(await victim.call(sshKeyApi.prove, { params: { sshKeyId: own } })).toMatchObject({
        status: 409,
        body: { message: 'This SSH key has already been proven.' },
      })
      const { body } = await victim.call(activityApi.ofAccount)
      expect(body.entries.map(({ action }) => action)).toContain('sshKey.proven')
    }
  })

  it('is proven by the key only, in time, and by the latest code', async () => {
    const judy = await person('judy')
    const ken = await person('ken')
    const code = await codeOf(judy, judy.keyId)
    // The code without the key, by somebody who is known here.
    expect(await prove(ken.options, code)).toMatchObject(unproven)
    const later = await codeOf(judy, judy.keyId)
    expect(await prove(judy.options, code)).toMatchObject(unproven)
    await clock.advance(15 * 60_000)
    expect(await prove(judy.options, later)).toMatchObject(unproven)
    expect(await proofsOf(judy)).toEqual(['not_needed'])
    expect((await prove(judy.options, await codeOf(judy, judy.keyId))).code).toBe(0)
    expect([await proofsOf(judy), await proofsOf(ken)]).toEqual([['proven'], ['not_needed']])
  })

  it('ends nothing by being stored again; a proof ends what others came in by it', async () => {
    const lena = await person('lena')
    await vm(lena, 'work', 'Lena')
    const visit = await enter(lena.options, 'work.lena')
    const mallory = await app.signedIn('Mallory')
    const stolen = await storeKey(mallory, lena.key.publicKey, 'stolen')
    await clock.advance(60_000)
    visit.child.stdin.write('still here\n')
    await expect.poll(visit.stdout).toBe('in\nstill here\n')
    // Whoever has the private key decides whose it is.
    expect((await prove(lena.options, await codeOf(mallory, stolen))).code).toBe(0)
    await clock.advance(60_000)
    await expectCutOff(visit, 'This SSH key is no longer authorized.')
  })
})

describe('the end of a visit', () => {
  it('comes at once when the key is removed, for the VMs of those who removed it', async () => {
    const carol = await person('carol')
    const dave = await app.signedIn('Dave')
    const daveKeyId = await storeKey(dave, carol.key.publicKey, 'shared')
    // One person with two accounts.
    for (const [who, keyId] of [
      [carol, carol.keyId],
      [dave, daveKeyId],
    ] as const)
      expect(await prove(carol.options, await codeOf(who, keyId))).toMatchObject({ code: 0 })
    await vm(carol, 'one', 'Carol')
    await vm({ ...dave, keyId: daveKeyId }, 'two', 'Dave')
    const [one, two] = [await enter(carol.options, 'one.carol'), await enter(carol.options, 'two.dave')]
    expect((await carol.call(sshKeyApi.delete, { params: { sshKeyId: carol.keyId } })).status).toBe(204)
    await expectCutOff(one, 'The SSH key of this connection was removed.')
    expect(await ssh(carol.options, 'one.carol', 'true')).toMatchObject(denied)
    await expectLeftAlone(two)
    expect(await greeting(carol.options, 'two.dave')).toBe('in\n')
  })

  it('comes at once when an operator disables the account', async () => {
    const gwen = await person('gwen')
    await vm(gwen, 'five', 'Gwen')
    const inside = await enter(gwen.options, 'five.gwen')
    const accountId = (await gwen.call(accountApi.me)).body.id
    expect((await ada.call(adminAccountApi.disable, { params: { accountId } })).status).toBe(200)
    await expectCutOff(inside, 'The account of this connection was disabled.')
    expect(await ssh(gwen.options, 'five.gwen', 'true')).toMatchObject(denied)
  })

  it('comes at once for a member whose role falls or who is removed, and leaves other projects alone', async () => {
    const erin = await person('erin')
    const finn = await person('finn')
    const { params } = await vm(erin, 'three', 'Erin')
    await vm(finn, 'four', 'Finn')
    expect(await ssh(finn.options, 'three.erin', 'true')).toMatchObject(denied)
    const member = await invite(erin, params.projectId, finn)
    const [three, four] = [await enter(finn.options, 'three.erin'), await enter(finn.options, 'four.finn')]
    await erin.call(projectMemberApi.update, { ...member, body: { role: 'viewer' } })
    await expectCutOff(three, 'Your role in the project of this VM has changed.')
    expect(await ssh(finn.options, 'three.erin', 'true')).toMatchObject(denied)

    await erin.call(projectMemberApi.update, { ...member, body: { role: 'operator' } })
    const again = await enter(finn.options, 'three.erin')
    await erin.call(projectMemberApi.remove, member)
    expect(await again.ended).toMatchObject({ code: 255 })
    expect(await ssh(finn.options, 'three.erin', 'true')).toMatchObject(denied)
    await expectLeftAlone(four)
  })

  it.each([
    ['a visit', 'three.greta', (options: string[], name: string) => to(options, name, 'echo in; cat')],
    [
      'a tunnel',
      'three.hugo',
      (options: string[], name: string) => to([...options, '-W', `${name}:22`], 'jump'),
    ],
  ])('comes also where %s was just being opened when its member was removed', async (_, name, into) => {
    const owner = await person(name)
    const guest = await person(`guest-${name}`)
    const { params } = await vm(owner, 'three', name.slice('three.'.length))
    const member = await invite(owner, params.projectId, guest)
    let removed = 0
    meanwhile = async () => {
      removed = (await owner.call(projectMemberApi.remove, member)).status
    }
    await open('ssh', into(guest.options, name)).ended
    meanwhile = async () => {}
    expect(removed).toBe(204)
  })

  it('comes with the end of the guest', async () => {
    const own = await startGuest(gateway.publicKey)
    await vm(ada, 'Short', 'Shop', own.port)
    const inside = await enter(ada.options, 'short.shop')
    own.close()
    expect(await inside.ended).toMatchObject({ code: 255 })
  })

  it('ends what was left in the guest when the client goes', async () => {
    const mark = `${dir}/left`
    const trap = `trap 'echo gone > ${mark}' EXIT TERM HUP; echo in; cat`
    const inside = open('ssh', to(ada.options, 'web.shop', trap))
    await expect.poll(inside.stdout).toBe('in\n')
    inside.child.kill('SIGKILL')
    await expect.poll(() => readFile(mark, 'utf8').catch(() => '')).toBe('gone\n')
  })
})

describe('the gateway as a part of the server', () => {
  it('keeps its keys in files that nobody else may read, over restarts', async () => {
    for (const name of ['ssh_host_key', 'ssh_gateway_key'])
      expect((await stat(`${dir}/${name}`)).mode & 0o777).toBe(0o600)
    const again = await startGateway(settings, silentLog)
    expect([again.fingerprint, again.publicKey]).toEqual([gateway.fingerprint, gateway.publicKey])
    await again.close()
  })

  it('says what to set when its port is in use', async () => {
    await expect(startGateway({ ...settings, port: gateway.port }, silentLog)).rejects.toThrow(
      `Port ${gateway.port} on 127.0.0.1 is already in use, so SSH by name cannot listen on it. Set SLIPWAY_SSH_PORT`,
    )
  })

  it('goes on after whatever else than SSH comes to its port', async () => {
    for (const bytes of [
      Buffer.from('GET / HTTP/1.1\r\n\r\n'),
      randomBytes(100_000),
      Buffer.from('SSH-2.0-x\r\n'),
      Buffer.concat([Buffer.from('SSH-2.0-x\r\n'), randomBytes(50_000)]),
    ]) {
      const socket = connect({ host: '127.0.0.1', port: gateway.port })
      socket.on('error', () => {})
      await new Promise<void>((resolve) => {
        socket.once('close', () => resolve())
        socket.once('connect', () => socket.end(bytes))
        socket.resume()
      })
    }
    expect(await greeting(ada.options, 'web.shop')).toBe('in\n')
  })

  it('serves fifty sessions at once', async () => {
    const outcomes = await Promise.all(
      Array.from({ length: 50 }, (_, i) => ssh(ada.options, 'web.shop', `echo ${i}`)),
    )
    expect(outcomes.map(({ stdout }) => stdout.toString().trim())).toEqual(
      Array.from({ length: 50 }, (_, i) => `${i}`),
    )
  })
})

describe('the limits of the gateway', () => {
  /** A connection by the name jump, made in this process. */
  async function jumper(who: { key: { file: string } }): Promise<Client> {
    const client = new ssh2.Client()
    const privateKey = await readFile(who.key.file, 'utf8')
    await new Promise<void>((resolve, reject) => {
      client.once('ready', resolve).once('error', reject)
      client.connect({ host: '127.0.0.1', port: gateway.port, username: 'jump', privateKey })
    })
    return client
  }

  const tunnel = (client: Client) =>
    new Promise<string>((resolve) =>
      client.forwardOut('127.0.0.1', 1, 'web.shop', 22, (error) => resolve(error?.message ?? 'open')),
    )

  it('refuse more tunnels on one connection than the limit, with the reason, and leave the others open', async () => {
    const client = await jumper(ada)
    const outcomes = await Promise.all(Array.from({ length: 200 }, () => tunnel(client)))
    expect(outcomes.filter((outcome) => outcome === 'open')).toHaveLength(64)
    expect(outcomes.at(-1)).toContain('This connection has 64 tunnels, which is the limit.')
    const other = await jumper(ada)
    expect(await tunnel(other)).toBe('open')
    client.end()
    other.end()
  })

  it('let people in while others hold connections without signing in, from several addresses', async () => {
    const sockets: Socket[] = []
    for (const localAddress of ['127.0.0.2', '127.0.0.3', '127.0.0.4', '127.0.0.5']) {
      for (let i = 0; i < 100; i++) {
        const socket = connect({ host: '127.0.0.1', port: gateway.port, localAddress })
        socket.on('error', () => {})
        sockets.push(socket)
      }
    }
    await Promise.all(
      sockets.map((socket) => new Promise((resolve) => socket.once('data', resolve).once('close', resolve))),
    )
    expect(await greeting(ada.options, 'web.shop')).toBe('in\n')
    for (const socket of sockets) socket.destroy()
  })
})
