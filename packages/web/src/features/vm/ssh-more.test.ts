import { sshWays } from '@slipway/contract'
import { expect, test } from 'vitest'
import { moreOf } from './ssh-more.ts'

const local = { status: 'running' as const, ip_address: '127.0.3.7', ssh_port: 22 }
const gateway = { user: 'engine.works', host: 'console.example.org', port: 2222 }
const from = { addresses: 'this-host', consoleHost: 'console.example.org' } as const
const commandsOf = (...input: Parameters<typeof sshWays>) =>
  sshWays(...input)
    .slice(0, 1)
    .flatMap(moreOf)
    .map(({ command }) => command)

test('the commands name user, host and port the way each program wants them', () => {
  expect(commandsOf(local, gateway, from)).toEqual([
    'scp -P 2222 FILE engine.works@console.example.org:',
    'scp -P 2222 engine.works@console.example.org:FILE .',
    'sftp -P 2222 engine.works@console.example.org',
    'ssh -L 8080:localhost:8080 engine.works@console.example.org -p 2222',
    'ssh -J jump@console.example.org:2222 root@engine.works',
  ])
  expect(commandsOf({ ...local, ip_address: 'fd00::7' }, null, from)).toEqual([
    'scp FILE root@[fd00::7]:',
    'scp root@[fd00::7]:FILE .',
    'sftp root@[fd00::7]',
    'ssh -L 8080:localhost:8080 root@fd00::7',
  ])
})
