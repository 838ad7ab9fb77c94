/** New passwords against the list of those that were in breaches, at each place where one is chosen. */
import { accountApi, accountSettingsApi, accountTexts } from '@slipway/contract'
import { describe, expect, it } from 'vitest'
import { testApp } from '../app.test-kit.ts'
import { requireUnbreached } from './breached.ts'

const app = await testApp()
const refused = {
  status: 400,
  body: { message: accountTexts.breachedPassword, fields: { password: accountTexts.breachedPassword } },
}

describe('what is looked up', () => {
  it.each(['Password1', 'Qwerty123', 'P@ssw0rd', 'TRUSTNO1', 'Iloveyou1', 'Ｐａｓｓｗｏｒｄ１'])(
    'refuses %s',
    async (password) => {
      await expect(requireUnbreached(password)).rejects.toMatchObject({ status: 400 })
    },
  )

  it.each(['Correct-horse-1', 'wort","password', '"', '[Aa1]', 'Qz4!vT0p#ew', '\\u0070assword-Aa1'])(
    'lets %s pass',
    async (password) => {
      await requireUnbreached(password)
    },
  )
})

describe('a password from a breach', () => {
  const password = 'Dragon123'

  it('400 at sign-up, and no account is made', async () => {
    const body = { name: 'Ada', email: 'breached@slipway.test', password }
    expect(await app.client().call(accountApi.signUp, { body })).toMatchObject(refused)
    const better = { ...body, password: 'Brand-new-horse-2' }
    expect((await app.client().call(accountApi.signUp, { body: better })).status).toBe(201)
  })

  it('400 at a change of the password, which stays as it is', async () => {
    const ada = await app.signedIn('Ada')
    const body = { password }
    expect(await ada.call(accountSettingsApi.changePassword, { body })).toMatchObject(refused)
    expect((await app.signIn(ada)).status).toBe(200)
  })

  it('400 at a reset, and the link still works afterwards', async () => {
    const token = await app.resetToken((await app.signedIn('Ada')).email)
    const reset = (word: string) =>
      app.client().call(accountApi.resetPassword, { body: { token, password: word } })
    expect(await reset(password)).toMatchObject(refused)
    expect((await reset('Brand-new-horse-2')).status).toBe(200)
  })
})
