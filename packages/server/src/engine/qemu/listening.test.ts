import { expect, test } from 'vitest'
import { agentOf } from './agent.test-kit.ts'
import { askForPorts, portsIn } from './listening.ts'

const line = (local: string, state = '0A') =>
  `   0: ${local} 00000000:0000 ${state} 00000000:00000000 00:00000000 00000000     0        0 1234 1`

test('ports that others reach are found, each once and in order', () => {
  const table = [
    '  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode',
    line('00000000:0BB8'),
    line('00000000:0016'),
    line('0202500A:1538'),
    line(`${'0'.repeat(32)}:0BB8`),
  ]
  expect(portsIn(table.join('\n'))).toEqual([22, 3000, 5432])
})

test.each([
  ['of the loopback network', line('0100007F:0BB8')],
  ['of the loopback network in IPv6', line('00000000000000000000000001000000:0BB8')],
  ['of the loopback network, written as IPv6', line('0000000000000000FFFF00000100007F:0BB8')],
  ['of a connection', line('00000000:0BB8', '01')],
  ['nonsense', line('zzz:0BB8')],
  ['nothing', ''],
  ['the port 0', line('00000000:0000')],
])('a socket %s is none', (_, table) => {
  expect(portsIn(table)).toEqual([])
})

test('both tables are read and closed again', async () => {
  const agent = agentOf({
    '/proc/net/tcp': line('00000000:0016'),
    '/proc/net/tcp6': line(`${'0'.repeat(32)}:0050`),
  })
  expect(await askForPorts(agent)).toEqual([22, 80])
  expect(agent.closed).toEqual([0, 1])
})

test('a guest without IPv6 tells what it has, one that lets nobody read tells nothing', async () => {
  expect(await askForPorts(agentOf({ '/proc/net/tcp': line('00000000:0016') }))).toEqual([22])
  expect(await askForPorts(agentOf({}))).toBeNull()
})

test('what is no answer is nothing', async () => {
  const agent = { close() {}, execute: async () => 7 }
  expect(await askForPorts(agent)).toBeNull()
})
