import { accountApi } from '@slipway/contract'
import { type Answer, type Client, makeClient, requestOf } from './client.ts'
import { type Host, operator } from './host.ts'

export interface Person {
  name: string
  email: string
  client: Client
  /** Signs in, again if need be; false when the server refused or did not answer. */
  signIn: () => Promise<boolean>
  /** The same, with the answer. */
  askToSignIn: () => Promise<Answer | null>
}

export const emailOf = (name: string): string => `${name}@campaign.example`

export const password = 'Analytical-Engine-1843'

/**
 * A new user with a verified account, signed in. Each comes from an address of their own, so that limits per address
 * do not stand in the way.
 */
export async function makePerson(
  host: Pick<Host, 'url' | 'mailedLink'>,
  number: number,
  name = `user-${number}`,
): Promise<Person> {
  const client = makeClient(() => host.url, `10.9.${Math.floor(number / 250)}.${(number % 250) + 1}`)
  const email = number === 0 ? operator.email : emailOf(name)
  async function need(endpoint: (typeof accountApi)['signUp' | 'verifyEmail'], body: object): Promise<void> {
    const answer = await client.send(requestOf(endpoint, { body }))
    if (answer?.status !== endpoint.status)
      throw new Error(`${endpoint.id} for ${email} answered ${answer?.status}: ${answer?.text}`)
  }
  async function askToSignIn(): Promise<Answer | null> {
    const body = { email, password, remember_me: true }
    const answer = await client.send(requestOf(accountApi.signIn, { body }))
    const cookie = answer?.headers['set-cookie']?.[0]?.split(';')[0]
    if (answer?.status === 200 && cookie) client.cookie = cookie
    return answer
  }
  const signIn = async () => (await askToSignIn())?.status === 200
  await need(accountApi.signUp, { name, email, password })
  const link = await host.mailedLink(email, 'verify-email')
  await need(accountApi.verifyEmail, { token: link.split('token=')[1] ?? '' })
  if (!(await signIn())) throw new Error(`${email} could not sign in`)
  return { name, email, client, signIn, askToSignIn }
}
