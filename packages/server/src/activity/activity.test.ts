import {
  Activity,
  type ActivityPage,
  accountApi,
  activityTexts,
  projectApi,
  sshKeyApi,
} from '@slipway/contract'
import { afterAll, describe, expect, vi } from 'vitest'
import { newPublicKey, type TestApp } from '../app.test-kit.ts'
import { type Desk, deskWith, it } from '../desk.test-kit.ts'
import { idFloor, newId } from '../lib/id.ts'

// Ids never go back. Files before this one may have made some of years to come, and so does this one.
vi.hoisted(() => vi.resetModules())
afterAll(() => void vi.resetModules())

const ofProject = ({ params: { projectId } }: Desk, query = '') =>
  `/api/projects/${projectId}/activity${query}`

type Person = Pick<Desk['ada'], 'raw'>

async function pageAt(person: Person, url: string): Promise<ActivityPage> {
  const { status, body } = await person.raw('GET', url)
  expect(status).toBe(200)
  return body as ActivityPage
}

const actionsAt = async (person: Person, url: string) =>
  (await pageAt(person, url)).entries.map(({ action }) => action)

/** Every entry behind an address, page by page. */
async function walk(person: Person, url: string, limit: number): Promise<Activity[]> {
  const seen: Activity[] = []
  for (let before: string | null = ''; before !== null; ) {
    const { entries, next }: ActivityPage = await pageAt(
      person,
      `${url}?limit=${limit}${before && `&before=${before}`}`,
    )
    expect(entries.length).toBe(next === null ? Math.min(entries.length, limit) : limit)
    seen.push(...entries)
    before = next
  }
  return seen
}

describe('the activity of a project', () => {
  it('200 has the newest first, with exactly the fields of the contract', async ({ desk }) => {
    await desk.runningVm('web')
    const { entries, next } = await pageAt(desk.ada, ofProject(desk))
    expect(next).toBeNull()
    expect(entries.map(({ action }) => action)).toEqual(['vm.running', 'vm.create', 'project.create'])
    for (const entry of entries) expect(Object.keys(entry).sort()).toEqual(Object.keys(Activity.shape).sort())
    const me = (await desk.ada.call(accountApi.me)).body
    expect(entries[1]).toMatchObject({
      kind: 'wish',
      actor: { id: me.id, name: me.name },
      reason: null,
      object: { type: 'vm', name: 'web' },
      project_id: desk.params.projectId,
      message: 'Create VM web requested',
    })
    expect(entries[0]).toMatchObject({ kind: 'change', actor: null })
  })

  it('pages have no gaps and no doubles, also while more happens', async ({ desk }) => {
    for (let i = 0; i < 12; i++) await desk.createVm(`vm-${i}`)
    const first = await pageAt(desk.ada, ofProject(desk, '?limit=5'))
    await desk.createVm('later')
    const rest = await pageAt(desk.ada, ofProject(desk, `?limit=5&before=${first.next}`))
    expect([...first.entries, ...rest.entries].map(({ object }) => object.name)).toEqual(
      Array.from({ length: 10 }, (_, i) => `vm-${11 - i}`),
    )
    await desk.pass()
    const everything = (await pageAt(desk.ada, ofProject(desk, '?limit=200'))).entries
    expect(everything).toHaveLength(27)
    for (const limit of [1, 3, 9, 27, 28]) {
      expect(await walk(desk.ada, ofProject(desk), limit)).toEqual(everything)
    }
  })

  it('can be asked for by kind, by object and by who did it', async ({ desk }) => {
    const vmId = await desk.runningVm('web')
    const diskId = await desk.readyDisk()
    await desk.attach(diskId, vmId)
    await desk.pass()
    const ask = (query: string) => actionsAt(desk.ada, ofProject(desk, query))
    expect(await ask('?kind=change')).toEqual(['disk.available', 'vm.running'])
    expect(await ask('?object_type=disk')).toEqual(['disk.attach', 'disk.available', 'disk.create'])
    expect(await ask(`?object_id=${vmId}`)).toEqual(['vm.running', 'vm.create'])
    expect(await ask('?actor=system')).toEqual(['disk.available', 'vm.running'])
    expect(await ask('?actor=user&object_type=disk&limit=1')).toEqual(['disk.attach'])
    expect(await ask('?kind=failure')).toEqual([])
  })

  it('400 for what cannot be asked for', async ({ desk }) => {
    for (const query of [
      'kind=bang',
      'object_type=house',
      'actor=robot',
      'before=',
      'limit=201',
      'limit=many',
    ])
      expect((await desk.ada.raw('GET', ofProject(desk, `?${query}`))).status, query).toBe(400)
    expect((await desk.ada.raw('GET', '/api/user/activity?limit=0')).status).toBe(400)
  })

  it('200 without an entry of somebody else in any list of mine', async ({ desk }) => {
    await desk.runningVm('web')
    const bob = await desk.app.signedIn('Bob')
    const theirs = `/api/projects/${await bob.make('/api/projects', { name: 'bobs' })}/activity`
    expect(await actionsAt(bob, theirs)).toEqual(['project.create'])
    const bobs = await walk(bob, '/api/user/activity', 50)
    const adas = await walk(desk.ada, '/api/user/activity', 50)
    expect(bobs.map(({ action }) => action)).toEqual([
      ...['project.create', 'account.signIn', 'account.verifyEmail', 'account.signUp'],
    ])
    expect(bobs.filter(({ id }) => adas.some((entry) => entry.id === id))).toEqual([])
    const vm = (await pageAt(desk.ada, ofProject(desk))).entries.find(({ object }) => object.type === 'vm')
    expect(await actionsAt(bob, `${theirs}?object_id=${vm?.object.id}`)).toEqual([])
  })
})

describe('the activity of an account', () => {
  it('200 has what happened to the account, its keys and its projects, and nothing inside projects', async ({
    desk,
  }) => {
    await desk.runningVm('web')
    const key = { key_name: 'laptop', ssh_public_key: newPublicKey() }
    const sshKeyId = await desk.ada.make('/api/user/ssh-keys', key)
    await desk.ada.call(sshKeyApi.delete, { params: { sshKeyId } })
    expect(await actionsAt(desk.ada, '/api/user/activity')).toEqual([
      ...['sshKey.delete', 'sshKey.create', 'sshKey.create', 'project.create'],
      ...['account.signIn', 'account.verifyEmail', 'account.signUp'],
    ])
    const whole = (await pageAt(desk.ada, '/api/user/activity')).entries
    expect(await walk(desk.ada, '/api/user/activity', 2)).toEqual(whole)
  })
})

/** Ids never go back: after other tests those of a new app run ahead of its clock, until that is there, too. */
async function catchUp({ clock }: TestApp): Promise<void> {
  const ahead = Number.parseInt(newId(clock.now()).replace('-', '').slice(0, 12), 16)
  await clock.advance(ahead - clock.now() + 1)
}

const linesOf = (text: string): Activity[] =>
  text
    .split('\n')
    .slice(0, -1)
    .map((line) => Activity.parse(JSON.parse(line)))

const exportFor = (app: TestApp, person: Desk['ada'], query = '') =>
  app.app.inject({ url: `/api/admin/activity${query}`, headers: { cookie: person.cookie ?? '' } })

describe('the export', () => {
  it.override('desk', () => deskWith({ admins: ['person-1@slipway.test'] }))

  it('200 is everything of everybody, oldest first, one JSON object a line, as a file', async ({
    desk: { app, ada, ...desk },
  }) => {
    const bob = await app.signedIn('Bob')
    await desk.runningVm('web')
    await bob.call(projectApi.create, { body: { name: 'bobs' } })
    const { statusCode, headers, body } = await exportFor(app, ada)
    expect(statusCode).toBe(200)
    expect(headers['content-type']).toBe('application/x-ndjson; charset=utf-8')
    expect(headers['content-disposition']).toBe('attachment; filename="slipway-activity.ndjson"')
    expect(headers['cache-control']).toBe('no-store')
    const entries = linesOf(body)
    expect(entries.map(({ id }) => id)).toEqual(entries.map(({ id }) => id).toSorted())
    expect(entries).toHaveLength(Number((await countOf(app)).n))
    expect(new Set(entries.map(({ actor }) => actor?.name))).toEqual(
      new Set(['Ada Lovelace', 'Bob', undefined]),
    )
  })

  it('is cut by time, and what follows on a part begins where it ended', async ({
    desk: { app, ada, pass, createDisk },
  }) => {
    await catchUp(app)
    const cuts: string[] = []
    for (let i = 0; i < 4; i++) {
      await createDisk({ name: `disk-${i}` })
      await pass(60_000)
      cuts.push(new Date(app.clock.now()).toISOString())
      await pass(60_000)
    }
    const all = linesOf((await exportFor(app, ada)).body)
    const parts: Activity[][] = []
    for (const [i, until] of [...cuts, undefined].entries()) {
      const query = [i > 0 && `since=${cuts[i - 1]}`, until && `until=${until}`].filter(Boolean).join('&')
      parts.push(linesOf((await exportFor(app, ada, `?${query}`)).body))
    }
    expect(parts.flat()).toEqual(all)
    expect(parts.slice(0, 4).every((part) => part.length > 0)).toBe(true)
  })

  it('200 is a table on request, in which no name is a formula', async ({ desk: { app, ada } }) => {
    await ada.call(projectApi.create, { body: { name: '=1+1' } })
    const { headers, body } = await exportFor(app, ada, '?format=csv')
    expect(headers['content-type']).toBe('text/csv; charset=utf-8')
    expect(headers['content-disposition']).toBe('attachment; filename="slipway-activity.csv"')
    const lines = body.trimEnd().split('\r\n')
    expect(lines).toHaveLength(Number((await countOf(app)).n) + 1)
    expect(lines.at(-1)).toContain(`,"project",`)
    expect(lines.at(-1)).toContain(`,"'=1+1",`)
    expect((await exportFor(app, ada, '?format=xlsx')).statusCode).toBe(400)
  })

  it('takes a log that is larger than what it reads at once', async ({
    desk: {
      app,
      ada,
      params: { projectId },
    },
  }) => {
    const rows = Array.from({ length: 2500 }, (_, i) => ({
      ...{ id: newId(app.clock.now()), at: new Date(app.clock.now()).toISOString() },
      ...{ kind: 'change', action: 'vm.running', message: 'VM web is running', reason: null },
      ...{ actor_id: null, actor_name: null, account_id: null, project_id: projectId },
      ...{ object_type: 'vm', object_id: `${i}`, object_name: 'web' },
    }))
    for (let i = 0; i < rows.length; i += 500) {
      await app.db
        .insertInto('activity')
        .values(rows.slice(i, i + 500))
        .execute()
    }
    const ids = linesOf((await exportFor(app, ada)).body).map(({ object }) => object.id)
    expect(ids.slice(-2500)).toEqual(rows.map(({ object_id }) => object_id))
  })

  it('403 for everybody who is not named, and 400 for what is no time', async ({ desk: { app, ada } }) => {
    const bob = await app.signedIn('Bob')
    const refused = await exportFor(app, bob)
    expect(refused.statusCode).toBe(403)
    expect(refused.json()).toEqual({ message: activityTexts.exportRefused })
    expect((await exportFor(app, ada, '?since=yesterday')).statusCode).toBe(400)
    // The console need not try it to find out.
    expect((await bob.call(accountApi.me)).body.is_admin).toBe(false)
    expect((await ada.call(accountApi.me)).body.is_admin).toBe(true)
  })

  it('403 for everybody when nobody is named', async () => {
    const { app, ada } = await deskWith()
    expect((await exportFor(app, ada)).statusCode).toBe(403)
  })
})

const countOf = (app: TestApp) =>
  app.db
    .selectFrom('activity')
    .select((e) => e.fn.countAll<number>().as('n'))
    .executeTakeFirstOrThrow()

describe('keeping', () => {
  it.override('desk', () => deskWith({ activityDays: 3 }))

  it('entries are forgotten after the days they are kept, and not before', async ({
    desk: { app, ada, createDisk },
  }) => {
    const day = 24 * 60 * 60_000
    await catchUp(app)
    await createDisk({ name: 'data' })
    await app.clock.advance(60_000)
    await app.clock.suspend(2 * day)
    expect(await actionsAt(await app.again(ada), '/api/user/activity')).toContain('project.create')
    expect((await countOf(app)).n).toBeGreaterThan(6)
    await app.clock.suspend(day + day / 4)
    await app.clock.advance(1)
    expect(await app.db.selectFrom('activity').select('action').execute()).toEqual([
      { action: 'account.signIn' },
    ])
  })

  it('a clock that jumps forward has nothing forgotten, neither entries nor sessions, and then it is put right', async ({
    desk: { app, ada, createDisk },
  }) => {
    const day = 24 * 60 * 60_000
    const hour = 60 * 60_000
    await createDisk({ name: 'data' })
    const before = await countOf(app)
    const right = app.clock.now()
    app.clock.set(right + 400 * day)
    await app.clock.advance(3 * hour)
    expect((await countOf(app)).n).toBeGreaterThanOrEqual(before.n)
    app.clock.set(right + 3 * hour)
    await app.clock.advance(2 * hour)
    expect((await countOf(app)).n).toBeGreaterThanOrEqual(before.n)
    expect(await actionsAt(ada, '/api/user/activity')).toContain('project.create')
  })

  it('ids begin as those of their time do, so that they can be cut by it', () => {
    const id = newId(Date.UTC(2040, 0, 1))
    expect(id > idFloor(Date.UTC(2040, 0, 1))).toBe(true)
    expect(id < idFloor(Date.UTC(2040, 0, 1) + 1)).toBe(true)
  })
})
