/** SSH by name into a real guest, with the programs that people use. */
import { randomBytes } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { binApi, projectBinApi, sshKeyApi } from '@slipway/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makeTestAppOver } from '../app.test-kit.ts'
import { openDeskAt } from '../desk.test-kit.ts'
import { missing, testEngine } from '../engine/qemu/qemu-engine.test-kit.ts'
import { systemClock } from '../lib/clock.ts'
import { directoryOfFile } from '../lib/directory.test-kit.ts'
import { silentLog } from '../lib/log.ts'
import { newKey, open, optionsFor, runClient } from './gateway.test-kit.ts'
import { type Gateway, startGateway } from './gateway.thread.ts'

describe.skipIf(missing !== undefined && process.env.SLIPWAY_REQUIRE_QEMU === undefined)(
  'a real guest',
  () => {
    const dir = directoryOfFile()
    let gateway: Gateway
    let app: Awaited<ReturnType<typeof makeTestAppOver>>
    let desk: Awaited<ReturnType<typeof openDeskAt>>
    let vmId: string
    let options: string[]
    let host: string

    beforeAll(async () => {
      const key = await newKey(dir, 'ada')
      gateway = await startGateway(
        { dataDir: dir, listen: '127.0.0.1', localOnly: true, port: 0, host: null },
        silentLog,
      )
      const engine = await testEngine(dir)
      await engine.open()
      app = await makeTestAppOver({ clock: systemClock, engine, passTime: async () => {} }, { gateway })
      desk = await openDeskAt(app, () => sleep(100), key.publicKey)
      const { body } = await desk.createVm('Web')
      vmId = body.id
      while ((await desk.vm(vmId)).status !== 'running') await sleep(100)
      options = [...optionsFor(key.file), '-o', `Port=${gateway.port}`]
      host = 'web.p@127.0.0.1'
    })
    afterAll(async () => {
      await desk.ada.raw('DELETE', `/api/projects/${desk.params.projectId}/vms/${vmId}?for_good=true`)
      while ((await app.engine.list()).size > 0) await sleep(100)
      await app.close()
      await gateway.close()
    })

    const ssh = (...command: string[]) => runClient('ssh', [...options, host, ...command])

    test('commands end with their own status, and signals and both outputs come through', async () => {
      const outcome = await ssh('hostname; echo err >&2; exit 42')
      expect([outcome.code, outcome.stdout.toString()]).toEqual([42, 'web\n'])
      expect(outcome.stderr).toMatch(/^err\r?$/m)
      expect((await ssh('kill -TERM $$')).code).not.toBe(0)
    })

    test('bytes stay what they are, in both directions at once and beside much on the error output', async () => {
      const bytes = randomBytes(1024 * 1024 + 3)
      const outcome = await runClient(
        'ssh',
        [...options, host, 'yes 0123456789 | head -c 300000 >&2 & cat; wait'],
        bytes,
      )
      expect(outcome.code).toBe(0)
      expect(outcome.stdout.equals(bytes)).toBe(true)
      expect(outcome.stderr.match(/0123456789/g)?.length).toBe(27272)
    })

    test('a shell has a terminal and learns of its size', async () => {
      // script(1) gives ssh a terminal of its own to ask for.
      const shell = open('script', [
        '-qec',
        `stty rows 33 cols 111; ssh ${options.join(' ')} -tt ${host}`,
        '/dev/null',
      ])
      await expect.poll(shell.stdout).toContain('# ')
      shell.child.stdin.write('stty size; tty; exit 5\n')
      const { code, stdout } = await shell.ended
      expect(stdout.toString()).toMatch(/^33 111\r$/m)
      expect(stdout.toString()).toMatch(/^\/dev\/pts\/\d+\r$/m)
      expect(code).toBe(5)
    })

    test('files go in and out by scp and sftp', async () => {
      const file = path.join(dir, 'file')
      const bytes = randomBytes(2 * 1024 * 1024)
      await writeFile(file, bytes)
      const there = `${host}:/root/file`
      expect(await runClient('scp', ['-q', ...options, file, there])).toMatchObject({ code: 0 })
      expect(await runClient('scp', ['-q', ...options, there, `${file}.scp`])).toMatchObject({ code: 0 })
      expect((await readFile(`${file}.scp`)).equals(bytes)).toBe(true)
      const batch = `rename /root/file /root/renamed\nget /root/renamed ${file}.back\n`
      expect(await runClient('sftp', [...options, '-b', '-', host], batch)).toMatchObject({ code: 0 })
      expect((await readFile(`${file}.back`)).equals(bytes)).toBe(true)
    })

    test('-L and -W lead to what the guest reaches, -R leads back', async () => {
      const tunnel = await runClient('ssh', [...options, '-W', '127.0.0.1:22', host])
      expect(tunnel.stdout.toString()).toMatch(/^SSH-2\.0-/)
      const closed = await runClient('ssh', [...options, '-W', '127.0.0.1:9', host])
      expect(closed).toMatchObject({ code: 255, stderr: expect.stringContaining('open failed') })
      const own = createServer((socket) => socket.end('from outside'))
      await new Promise<void>((resolve) => own.listen(0, '127.0.0.1', resolve))
      const at = own.address()
      const port = typeof at === 'object' && at ? at.port : 0
      const back = await runClient('ssh', [
        ...options,
        '-R',
        `7777:127.0.0.1:${port}`,
        host,
        'nc 127.0.0.1 7777',
      ])
      own.close()
      expect(back.stdout.toString()).toBe('from outside')
    })

    test('-J goes through the guest, and by the name jump to the SSH of the guest itself', async () => {
      const config = path.join(dir, 'config')
      const lines = optionsFor(path.join(dir, 'ada')).filter((option) => option.includes('='))
      await writeFile(config, lines.join('\n'))
      const jump = (name: string, target: string) =>
        runClient('ssh', [
          '-F',
          config,
          '-J',
          `${name}@127.0.0.1:${gateway.port}`,
          `root@${target}`,
          'hostname',
        ])
      for (const [name, target] of [
        ['web.p', '127.0.0.1'],
        ['jump', 'web.p'],
        ['jump', vmId],
      ] as const) {
        expect((await jump(name, target)).stdout.toString()).toBe('web\n')
      }
    })

    test('a guest that was deleted and restored counts on where it was', async () => {
      await ssh(
        '(i=0; while :; do i=$((i+1)); echo $i > /dev/count; sleep 0.1; done) > /dev/null 2>&1 < /dev/null &',
      )
      const count = async () => Number((await ssh('cat /dev/count')).stdout.toString())
      const bootId = async () => (await ssh('cat /proc/sys/kernel/random/boot_id')).stdout.toString()
      await expect.poll(count).toBeGreaterThan(5)
      const [before, boot] = [await count(), await bootId()]
      expect((await desk.deleteVm(vmId)).status).toBe(204)
      expect((await ssh('true')).code).toBe(255)
      await expect.poll(async () => (await app.engine.inspect(vmId)).power).toBe('suspended')
      const restored = await desk.ada.call(binApi.restore, { params: { ...desk.params, itemId: vmId } })
      expect(restored).toMatchObject({ status: 200, body: { name: 'Web', notes: [] } })
      await expect.poll(async () => (await desk.vm(vmId)).status).toBe('running')
      await expect.poll(bootId).toBe(boot)
      await expect.poll(count).toBeGreaterThan(before)
    })

    test('a guest whose project was deleted and restored counts on where it was', async () => {
      const count = async () => Number((await ssh('cat /dev/count')).stdout.toString())
      const bootId = async () => (await ssh('cat /proc/sys/kernel/random/boot_id')).stdout.toString()
      const [before, boot] = [await count(), await bootId()]
      const { projectId } = desk.params
      expect((await desk.ada.raw('DELETE', `/api/projects/${projectId}?with_vms=true`)).status).toBe(204)
      expect((await ssh('true')).code).toBe(255)
      await expect.poll(async () => (await app.engine.inspect(vmId)).power).toBe('suspended')
      const restored = await desk.ada.call(projectBinApi.restore, { params: { itemId: projectId } })
      expect(restored).toMatchObject({ status: 200, body: { name: 'p' } })
      await expect.poll(async () => (await desk.vm(vmId)).status).toBe('running')
      await expect.poll(bootId).toBe(boot)
      await expect.poll(count).toBeGreaterThan(before)
    })

    test('fifty sessions come in at once', async () => {
      const outcomes = await Promise.all(Array.from({ length: 50 }, (_, i) => ssh(`echo ${i}`)))
      expect(outcomes.map(({ stdout }) => stdout.toString().trim())).toEqual(
        Array.from({ length: 50 }, (_, i) => `${i}`),
      )
    })

    test('the key of somebody else is refused, and a removed one is cut off within two seconds', async () => {
      const bob = await app.signedIn('Bob')
      const key = await newKey(dir, 'bob')
      await bob.call(sshKeyApi.create, { body: { key_name: 'b', ssh_public_key: key.publicKey } })
      const denied = { code: 255, stderr: expect.stringContaining('Permission denied (publickey)') }
      expect(
        await runClient('ssh', [...optionsFor(key.file), '-p', `${gateway.port}`, host, 'true']),
      ).toMatchObject(denied)

      const inside = open('ssh', [...options, host, 'echo in; cat'])
      await expect.poll(inside.stdout).toBe('in\n')
      await desk.ada.call(sshKeyApi.delete, { params: { sshKeyId: desk.keyId } })
      await expect.poll(() => inside.child.exitCode).toBe(255)
      expect(await ssh('true')).toMatchObject(denied)
    })
  },
)
