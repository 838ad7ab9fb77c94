/** Event streams and revisions over HTTP. */
import { get, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { accountApi, eventApi, fillPath, messages, projectApi, sshKeyApi } from '@slipway/contract'
import { expect, it, onTestFinished } from 'vitest'
import { newPublicKey, testApp } from '../app.test-kit.ts'
import { openDeskAt } from '../desk.test-kit.ts'

const app = await testApp()
await app.app.listen({ host: '127.0.0.1', port: 0 })
const { port } = app.app.server.address() as AddressInfo

type Person = Awaited<ReturnType<typeof app.signedIn>>
interface Heard {
  name: string | undefined
  id: string | undefined
  data: { id?: string; revision?: string; replayed?: boolean; name?: string; deleted?: boolean }
}

/** Opens a stream, at most until the test is done; `next` waits for so many events and takes them. */
async function listen(
  person: Person,
  path: string = eventApi.streamAll.path,
  more: Record<string, string> = {},
) {
  const request = get({ port, path, headers: { cookie: person.cookie ?? '', ...more } })
  onTestFinished(() => void request.destroy())
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
  const its = fillPath(eventApi.stream.path, { projectId: one.id })
  const ofProject = await listen(ada, `${its}?after=${start}`)
  expect((await ofProject.next(2)).map(({ data }) => data.id ?? data.replayed)).toEqual([true, one.id])
})

it('a stream that comes back after a project was deleted for good is told to fetch its lists', async () => {
  const ada = await app.signedIn('Ada')
  const { body: project } = await create(ada, 'Ends')
  const last = revisionOf(await ada.raw('GET', accountApi.me.path))
  const deletion = await ada.raw('DELETE', `${projectApi.list.path}/${project.id}?for_good=true`)
  expect(deletion.status).toBe(204)
  const stream = await listen(ada, eventApi.streamAll.path, { 'last-event-id': last })
  // It is no member of what is gone, so of its end nothing can be said.
  expect(await stream.next(1)).toMatchObject([{ name: 'hello', data: { replayed: false } }])
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
})

it('a VM is told of again when a disk on it has become larger, as it shows the size', async () => {
  const desk = await openDeskAt(app, (ms) => app.clock.advance(ms))
  const diskId = await desk.readyDisk({ size: '2Gi' })
  await desk.runningVm('web', { disks: [{ disk_id: diskId }] })
  const stream = await listen(desk.ada, fillPath(eventApi.stream.path, desk.params))
  await desk.changeDisk(diskId, { size: '5Gi' })
  await desk.pass()
  for (const object of ['disk', 'vm']) {
    const grown = await stream.until(
      ({ name, data }) => name === object && JSON.stringify(data).includes('"size":"5Gi"'),
    )
    expect(grown, object).toBeDefined()
  }
})
