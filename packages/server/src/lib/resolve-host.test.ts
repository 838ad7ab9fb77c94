import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { rm, utimes, writeFile } from 'node:fs/promises'
import { expect, onTestFinished, test } from 'vitest'
import { directoryOfFile } from './directory.test-kit.ts'
import { makeResolve } from './resolve-host.ts'

const settings = `${directoryOfFile()}/resolv.conf`

/** A name server that knows no name and counts who asks. */
async function nameServer() {
  const socket = createSocket('udp4')
  let asked = 0
  socket.on('message', (question, from) => {
    asked++
    const answer = Buffer.from(question)
    // A response: there is no such name.
    answer.writeUInt16BE(0x8183, 2)
    socket.send(answer, from.port, from.address)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  onTestFinished(() => void socket.close())
  return { address: `127.0.0.1:${socket.address().port}`, asked: () => asked }
}

test('names are asked for at the name servers that this host has now', async () => {
  await writeFile(settings, '')
  const [before, after] = [await nameServer(), await nameServer()]
  let servers = [before.address]
  const resolve = makeResolve({ settings, servers: () => servers })
  const ask = () => expect(resolve('nobody.example.com')).rejects.toMatchObject({ code: 'ENOTFOUND' })
  await ask()
  await ask()
  expect([before.asked(), after.asked()]).toEqual([4, 0])
  servers = [after.address]
  await utimes(settings, 1, 1)
  await ask()
  expect([before.asked(), after.asked()]).toEqual([4, 2])
  await rm(settings)
  await ask()
  expect([before.asked(), after.asked()]).toEqual([4, 4])
})
