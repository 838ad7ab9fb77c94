import { projectApi } from '@slipway/contract'
import { expect, test } from './fixtures.ts'

test('a person is signed in after the mailed link was followed', async ({ user, page, call }) => {
  await page.request.get('/api/auth/me').then(async (r) => expect((await r.json()).email).toBe(user.email))
  expect(await call(projectApi.list, {})).toEqual([])
})
