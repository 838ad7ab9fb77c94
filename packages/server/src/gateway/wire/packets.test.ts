import { expect, it } from 'vitest'
import { goodbye, limitPackets, refusal, tellsHostKeys, tunnelRequest } from './packets.ts'

const uint32 = (value: number) => Buffer.from([value >>> 24, value >>> 16, value >>> 8, value])
const text = (value: string) => Buffer.concat([uint32(value.length), Buffer.from(value)])
const message = (type: number, ...parts: Buffer[]) => Buffer.concat([Buffer.from([type]), ...parts])

const channelOpen = (type: string, maxBytes: number, ...more: Buffer[]) =>
  message(90, text(type), uint32(7), uint32(2 ** 21), uint32(maxBytes), ...more)
const confirmation = (maxBytes: number) =>
  message(91, uint32(7), uint32(8), uint32(2 ** 21), uint32(maxBytes))

it('lowers the size of packets that either side asks for to 32 KiB, and leaves all else', () => {
  for (const make of [(bytes: number) => channelOpen('session', bytes), confirmation]) {
    for (const [asked, left] of [
      [1024, 1024],
      [32 * 1024, 32 * 1024],
      [32 * 1024 + 1, 32 * 1024],
      [2 ** 32 - 1, 32 * 1024],
    ] as const) {
      const payload = make(asked)
      limitPackets(payload)
      expect(payload).toEqual(make(left))
    }
  }
  const data = message(94, uint32(7), text('x'.repeat(40)))
  const before = Buffer.from(data)
  limitPackets(data)
  expect(data).toEqual(before)
})

it('knows a guest that tells of its host keys', () => {
  expect(tellsHostKeys(message(80, text('hostkeys-00@openssh.com'), Buffer.from([0])))).toBe(true)
  expect(tellsHostKeys(message(80, text('keepalive@openssh.com'), Buffer.from([1])))).toBe(false)
})

it('reads where a tunnel is to go', () => {
  const way = [text('web.shop'), uint32(22), text('127.0.0.1'), uint32(4)]
  const request = channelOpen('direct-tcpip', 32768, ...way)
  expect(tunnelRequest(request)).toEqual({ sender: 7, host: 'web.shop', port: 22 })
  expect(tunnelRequest(channelOpen('session', 32768))).toBeNull()
})

it('survives whatever is cut off or lies about its length', () => {
  const whole = [
    channelOpen('direct-tcpip', 2 ** 31, text('web.shop'), uint32(22)),
    confirmation(2 ** 31),
    message(80, text('hostkeys-00@openssh.com')),
    message(90, uint32(2 ** 32 - 1), text('x')),
  ]
  for (const payload of whole) {
    for (let length = 0; length < payload.length; length++) {
      const part = Buffer.from(payload.subarray(0, length))
      limitPackets(part)
      expect(part.length).toBe(length)
      expect([true, false]).toContain(tellsHostKeys(part))
      const request = tunnelRequest(part)
      expect(request === null || request.host === 'web.shop').toBe(true)
    }
  }
})

it('says why in a refusal and in a goodbye, in any script', () => {
  const why = 'VM Größe ist weg'
  expect(refusal(7, why).toString()).toContain(why)
  expect(goodbye(why).toString()).toContain(why)
})
