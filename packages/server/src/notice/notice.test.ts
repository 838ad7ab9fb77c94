/** What the operator tells everybody. */
import { setTimeout as sleep } from 'node:timers/promises'
import { hostApi, type Notice, noticeApi, noticeLimit, noticeTexts } from '@slipway/contract'
import { expect, it } from 'vitest'
import { testApp } from '../app.test-kit.ts'
import { systemClock } from '../lib/clock.ts'
import { silentLog } from '../lib/log.ts'
import type { NoticeRepo } from './notice.repo.ts'
import { makeNoticeService } from './notice.service.ts'

const app = await testApp({ admins: ['person-1@slipway.test'] })
const grace = await app.signedIn('Grace Hopper')

const set = (body: object) => grace.raw('PUT', '/api/admin/notice', body)
/** As anybody reads it. */
const shown = async () => (await app.client().call(hostApi.get)).body.notice

const tonight = { tone: 'warn', text: 'Down from 22:00 to 23:00 UTC' } as const

it('200 shown to everybody until another one takes its place or it is removed, and the activity has the text', async () => {
  expect(await shown()).toBeNull()
  const first = await grace.call(noticeApi.set, { body: { ...tonight, text: ` ${tonight.text} ` } })
  expect(first).toMatchObject({ status: 200, body: { ...tonight, set_at: expect.any(String) } })
  expect(await shown()).toEqual(first.body)
  const second = { tone: 'info', text: 'All is well 🛳' }
  expect((await set(second)).status).toBe(200)
  expect(await shown()).toMatchObject(second)
  expect((await grace.call(noticeApi.remove)).status).toBe(204)
  expect(await shown()).toBeNull()
  expect(await grace.call(noticeApi.remove)).toMatchObject({
    status: 404,
    body: { message: noticeTexts.none },
  })
  const told = app.db.selectFrom('activity').select('reason').where('action', '=', 'notice.set').orderBy('id')
  expect((await told.execute()).map(({ reason }) => reason)).toEqual([tonight.text, second.text])
})

it.each([
  [{ tone: 'warn' }, 'text', noticeTexts.missing],
  [{ tone: 'warn', text: '  ' }, 'text', noticeTexts.missing],
  [{ tone: 'warn', text: 'x'.repeat(noticeLimit + 1) }, 'text', noticeTexts.tooLong],
  [{ tone: 'warn', text: 'one\ntwo' }, 'text', noticeTexts.hidden],
  [{ tone: 'loud', text: 'x' }, 'tone', noticeTexts.tone],
])('400 for %j', async (body, field, sentence) => {
  expect(await set(body)).toMatchObject({ status: 400, body: { fields: { [field]: sentence } } })
  expect(await shown()).toBeNull()
})

it('is the same at every server, also at one that did not hear of it', async () => {
  const beside = (await app.serverBeside()).client()
  const there = async () => (await beside.call(hostApi.get)).body.notice?.text
  await set(tonight)
  await expect.poll(there).toBe(tonight.text)
  await app.quietly(() => set({ tone: 'info', text: 'Nobody heard' }))
  await expect.poll(there).toBe('Nobody heard')
  await grace.call(noticeApi.remove)
  await expect.poll(there).toBeUndefined()
})

it('is what was stored last, however long each reading takes, and stays while it cannot be read', async () => {
  const at = (set_at: string): Notice => ({ ...tonight, set_at })
  const readings: (() => Promise<Notice | null>)[] = [
    async () => {
      await sleep(20)
      return at('1')
    },
    async () => at('2'),
    () => Promise.reject(new Error('no disk')),
    async () => at('2'),
  ]
  const repo = { find: () => readings.shift()?.() } as unknown as NoticeRepo
  const notices = makeNoticeService({ repo, tell() {}, clock: systemClock, log: silentLog })
  expect(await Promise.all([notices.reload(), notices.reload()])).toEqual([true, true])
  expect(notices.latest()?.set_at).toBe('2')
  expect([await notices.reload(), await notices.reload()]).toEqual([false, false])
  expect(notices.latest()?.set_at).toBe('2')
})
