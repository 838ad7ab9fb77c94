/** Event streams and revisions over HTTP. */
import { get, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  accountApi,
  diskApi,
  eventApi,
  fillPath,
  messages,
  projectApi,
  sshKeyApi,
  vmApi,
} from '@slipway/contract'
import { expect, it } from 'vitest'
import { newPublicKey, testApp } from '../app.test-kit.ts'

const app = await testApp()
await app.app.listen({ host: '127.0.0.1', port: 0 })
const { port } = app.app.server.address() as AddressInfo

type Person = Awaited<ReturnType<typeof app.signedIn>>
interface Heard {
  name: string | undefined
  id: string | undefined
  data: { id?: string; revision?: string; replayed?: boolean; name?: string; deleted?: boolean }
}

/** Opens a stream; `next` waits for so many events and takes them. */
async function listen(
  person: Person,
  path: string = eventApi.streamAll.path,
  more: Record<string, string> = {},
) {
  const request = get({ port, path, headers: { cookie: person.cookie ?? '', ...more } })
  const response = await new Promise<IncomingMessage>((resolve) => request.on('response', resolve))
  let text = ''
  response.setEncoding('utf8').on('data', (part: string) => {
    text += part
  })
  response.on('error', () => {})
  const events = (): Heard[] =>
    text
      .split('\n\n')
      .slice(0, -1)
      .filter((block) => block.includes('event: '))
      .map((block) => ({
        name: /^event: (.*)$/m.exec(block)?.[1],
        id: /^id: (.*)$/m.exec(block)?.[1],
        data: JSON.parse(/^data: (.*)$/m.exec(block)?.[1] ?? '{}'),
      }))
  async function until(found: (event: Heard) => boolean): Promise<Heard | undefined> {
    for (let i = 0; i < 500 && !events().some(found); i++) await sleep(10)
    return events().find(found)
  }

  let taken = 0
  return {
    status: response.statusCode,
    text: () => text,
    until,
    async next(count: number): Promise<Heard[]> {
      for (let i = 0; i < 500 && events().length < taken + count; i++) await sleep(10)
      const next = events().slice(taken)
      taken += next.length
      return next
    },
    stop: () => request.destroy(),
  }
}

const create = (person: Person, name: string) => person.call(projectApi.create, { body: { name } })
const revisionOf = (answer: { headers: Record<string, unknown> }) =>
  String(answer.headers['slipway-revision'])
const numberOf = (revision: string | undefined) => Number(revision?.split('-')[1])

it('every answer behind a session says which changes it includes at least', async () => {
  const ada = await app.signedIn('Ada')
  const before = revisionOf(await ada.raw('GET', accountApi.me.path))
  expect(before).toMatch(/^[0-9a-f]+-\d+$/)
  const { body } = await create(ada, 'Engines')
  const after = await ada.raw('GET', projectApi.list.path)
  expect(numberOf(revisionOf(after))).toBeGreaterThan(numberOf(before))
  const deletion = await ada.call(projectApi.delete, { params: { projectId: body.id } })
  expect([deletion.status, revisionOf(deletion)]).toEqual([204, revisionOf(after)])
  const open = await app.client().raw('POST', accountApi.signIn.path, { email: 'x', password: 'y' })
  expect(open.headers['slipway-revision']).toBeUndefined()
})

it('one stream tells of all projects of an account, also of those that come and go, and of no other', async () => {
  const ada = await app.signedIn('Ada')
  const bob = await app.signedIn('Bob')
  const stream = await listen(ada)
  expect(await stream.next(1)).toMatchObject([{ name: 'hello', data: { replayed: false } }])
  await create(bob, 'Not hers')
  const { body: project } = await create(ada, 'Engines')
  await ada.raw('POST', `/api/projects/${project.id}/disks`, { name: 'd', size: '1Gi', source: 'EMPTY' })
  const [first, disk] = await stream.next(2)
  expect(first).toMatchObject({ name: 'project', data: { id: project.id, name: 'Engines' } })
  expect(disk).toMatchObject({ name: 'disk', data: { name: 'd', project_id: project.id } })
  const { body: other } = await create(ada, 'Other')
  await ada.call(projectApi.delete, { params: { projectId: other.id } })
  const end = await stream.until(({ name, data }) => name === 'project' && data.deleted === true)
  expect(end?.data).toEqual({ id: other.id, project_id: other.id, deleted: true })
  expect(stream.text()).not.toContain('Not hers')
  stream.stop()
})

it('a stream sends what came after the revision it is opened with, by the query or by the last event', async () => {
  const ada = await app.signedIn('Ada')
  const start = revisionOf(await ada.raw('GET', accountApi.me.path))
  const { body: one } = await create(ada, 'One')
  const middle = revisionOf(await ada.raw('GET', accountApi.me.path))
  const { body: two } = await create(ada, 'Two')
  const path = `${eventApi.streamAll.path}?after=${start}`
  const byQuery = await listen(ada, path)
  expect((await byQuery.next(3)).map(({ data }) => data.id ?? data.replayed)).toEqual([true, one.id, two.id])
  const byHeader = await listen(ada, path, { 'last-event-id': middle })
  const [hello, event] = await byHeader.next(2)
  expect([hello?.data.replayed, event?.data.id]).toEqual([true, two.id])
  expect(numberOf(event?.id)).toBeGreaterThan(numberOf(middle))
  const ofProject = await listen(
    ada,
    `${fillPath(eventApi.stream.path, { projectId: one.id })}?after=${start}`,
  )
  expect((await ofProject.next(2)).map(({ data }) => data.id ?? data.replayed)).toEqual([true, one.id])
  for (const stream of [byQuery, byHeader, ofProject]) stream.stop()
})

it('a stream that comes back to another server is told to fetch its lists', async () => {
  const other = await testApp()
  const ada = await app.signedIn('Ada')
  const eve = await other.signedIn('Eve')
  const foreign = revisionOf(await eve.raw('GET', accountApi.me.path))
  const stream = await listen(ada, eventApi.streamAll.path, { 'last-event-id': foreign })
  const [hello] = await stream.next(1)
  expect(hello).toMatchObject({ name: 'hello', data: { replayed: false } })
  expect(hello?.id).toBe(hello?.data.revision)
  stream.stop()
})

it('a page that shows another user than the one who is signed in is refused, and changes nothing', async () => {
  const ada = await app.signedIn('Ada')
  const bob = await app.signedIn('Bob')
  const { body: adaUser } = await ada.call(accountApi.me)
  const { body: bobUser } = await bob.call(accountApi.me)
  // The cookie is Bob's, and the page still shows Ada.
  const page = { 'slipway-account': adaUser.id }
  const key = { key_name: 'k', ssh_public_key: newPublicKey() }
  const refused = await bob.raw('POST', sshKeyApi.create.path, key, page)
  expect([refused.status, refused.body]).toEqual([401, { message: messages.otherAccount }])
  expect((await bob.raw('GET', sshKeyApi.list.path)).body).toEqual([])
  const stream = await listen(bob, `${eventApi.streamAll.path}?account=${adaUser.id}`)
  expect(stream.status).toBe(401)
  expect((await bob.raw('POST', accountApi.signOut.path, undefined, page)).status).toBe(401)
  const own = await bob.raw('GET', accountApi.me.path, undefined, { 'slipway-account': bobUser.id })
  expect(own.status).toBe(200)
  const ownStream = await listen(bob, `${eventApi.streamAll.path}?account=${bobUser.id}`)
  expect(ownStream.status).toBe(200)
  ownStream.stop()
})

it('a VM is told of again when a disk on it has become larger, as it shows the size', async () => {
  const ada = await app.signedIn('Ada')
  const { body: project } = await create(ada, 'Growing')
  const params = { projectId: project.id }
  const { body: key } = await ada.call(sshKeyApi.create, {
    body: { key_name: 'k', ssh_public_key: newPublicKey() },
  })
  const { body: disk } = await ada.call(diskApi.create, {
    params,
    body: { name: 'data', size: '2Gi', source: 'EMPTY' },
  })
  await app.clock.advance(30_000)
  const body = { name: 'web', template_id: 'starter', ssh_key_id: key.id, disks: [{ disk_id: disk.id }] }
  await ada.call(vmApi.create, { params, body })
  await app.clock.advance(60_000)
  const stream = await listen(ada, fillPath(eventApi.stream.path, params))
  await ada.call(diskApi.update, { params: { ...params, diskId: disk.id }, body: { size: '5Gi' } })
  await app.clock.advance(30_000)
  const grown = JSON.stringify({ size: '5Gi' }).slice(1, -1)
  await stream.until(({ name, data }) => name === 'disk' && JSON.stringify(data).includes(grown))
  const vm = await stream.until(({ name, data }) => name === 'vm' && JSON.stringify(data).includes(grown))
  expect(vm).toBeDefined()
  stream.stop()
})
