import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { expect, test } from 'vitest'
import { pickIp, pickPort } from './loopback-address.ts'

test('a thousand machines get a thousand addresses of the loopback network', () => {
  const taken = new Set<string>()
  for (let count = 0; count < 1000; count += 1) taken.add(pickIp(randomUUID(), taken))
  expect(taken.size).toBe(1000)
  for (const ip of taken) expect(ip).toMatch(/^127\.100\.\d{1,3}\.\d{1,3}$/)
  expect(taken).not.toContain('127.100.0.0')
  expect(taken).not.toContain('127.100.255.255')
})

test('the same machine gets the same address while it is free', () => {
  const id = randomUUID()
  expect(pickIp(id, new Set())).toBe(pickIp(id, new Set(['127.100.0.0'])))
  expect(pickIp(id, new Set([pickIp(id, new Set())]))).not.toBe(pickIp(id, new Set()))
})

test('a full network is told as such', () => {
  const taken = new Set(Array.from({ length: 65_536 }, (_, n) => `127.100.${n >> 8}.${n & 255}`))
  expect(() => pickIp(randomUUID(), taken)).toThrow('in use')
})

test('a port in use is passed over, and one that was had before is kept', async () => {
  const ip = pickIp(randomUUID(), new Set())
  const port = await pickPort(ip, null)
  const server = createServer().listen(port, ip)
  await once(server, 'listening')
  const other = await pickPort(ip, port)
  expect(other).not.toBe(port)
  server.close()
  await once(server, 'close')
  expect(await pickPort(ip, other)).toBe(other)
  expect(await pickPort(ip, port)).toBe(port)
})
