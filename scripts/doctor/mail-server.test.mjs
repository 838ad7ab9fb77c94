import { createServer } from 'node:net'
import { afterAll, expect, it } from 'vitest'
import { askMailServer } from './mail-server.mjs'

let greeting = '220 mail.example ready\r\n'
const server = createServer((socket) => {
  socket.on('error', () => {})
  socket.end(greeting)
})
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
afterAll(() => server.close())
const { port } = server.address()
const ask = (url) => askMailServer({ SLIPWAY_SMTP_URL: url })

it('asks the mail server that is set, and none where none is', async () => {
  expect(await askMailServer({})).toBeNull()
  expect(await ask(`smtp://user:secret@127.0.0.1:${port}`)).toEqual({
    host: `127.0.0.1:${port}`,
    problem: null,
  })
})

it('says what is wrong with it, without the password', async () => {
  greeting = '554 go away\r\n'
  const { problem } = await ask(`smtp://user:secret@127.0.0.1:${port}`)
  expect(problem).toContain('greets with "554 go away"')
  expect(problem).not.toContain('secret')
  expect((await ask('smtp://127.0.0.1:1')).problem).toContain('does not respond')
})
