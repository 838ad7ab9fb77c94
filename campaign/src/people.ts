import { accountApi } from '@slipway/contract'
import { type Client, makeClient, requestOf } from './client.ts'
import { type Host, operator } from './host.ts'

export interface Person {
  name: string
  email: string
  client: Client
  /** Signs in, again if need be; false when the server refused or did not answer. */
  signIn: () => Promise<boolean>
}

const password = 'Analytical-Engine-1843'

/**
 * A new user with a verified account, signed in. Each comes from an address of their own, so that limits per address
 * do not stand in the way.
 */
export async function makePerson(host: Host, number: number, name = `user-${number}`): Promise<Person> {
  const client = makeClient(() => host.url, `10.9.${Math.floor(number / 250)}.${(number % 250) + 1}`)
  const email = number === 0 ? operator.email : `${name}@campaign.example`
  async function need(endpoint: (typeof accountApi)['signUp' | 'verifyEmail'], body: object): Promise<void> {
    const answer = await client.send(requestOf(endpoint, { body }))
    if (answer?.status !== endpoint.status)
      throw new Error(`${endpoint.id} for ${email} answered ${answer?.status}: ${answer?.text}`)
  }
  async function signIn(): Promise<boolean> {
    const body = { email, password, remember_me: true }
    const answer = await client.send(requestOf(accountApi.signIn, { body }))
    const cookie = answer?.headers['set-cookie']?.[0]?.split(';')[0]
    if (answer?.status !== 200 || !cookie) return false
    client.cookie = cookie
    return true
  }
  await need(accountApi.signUp, { name, email, password })
  const link = await host.mailedLink(email, 'verify-email')
  await need(accountApi.verifyEmail, { token: link.split('token=')[1] ?? '' })
  if (!(await signIn())) throw new Error(`${email} could not sign in`)
  return { name, email, client, signIn }
}
