import { accountApi, projectApi } from '@slipway/contract'
import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { testApp } from '../app.test-kit.ts'

const app = await testApp()
const ada = await app.signedIn('Ada')

/** From here on the database cannot grow, as on a disk that is full. */
async function fillUp(): Promise<void> {
  await sql`pragma max_page_count=1`.execute(app.db)
}
async function makeRoom(): Promise<void> {
  await sql`pragma max_page_count=1000000`.execute(app.db)
}

it('a full disk answers 503 with a sentence to whatever has to be stored, and what is stored can be read', async () => {
  const description = 'x'.repeat(1000)
  await fillUp()
  let answer = await ada.call(projectApi.create, { body: { name: 'full', description } })
  for (let i = 0; i < 200 && answer.status === 201; i++)
    answer = await ada.call(projectApi.create, { body: { name: 'full', description } })
  expect(answer.status).toBe(503)
  expect(answer.body).toMatchObject({
    message: 'The server has no disk space left. Nothing was changed. Free some space and try again.',
  })
  const { email, password } = ada
  const signIns = []
  for (let i = 0; i < 30; i++)
    signIns.push((await app.client().call(accountApi.signIn, { body: { email, password } })).status)
  expect(signIns.at(-1)).toBe(503)
  expect(signIns.filter((status) => status !== 200 && status !== 503)).toEqual([])
  expect((await ada.call(projectApi.list)).status).toBe(200)
  await makeRoom()
  expect((await app.client().call(accountApi.signIn, { body: { email, password } })).status).toBe(200)
})
