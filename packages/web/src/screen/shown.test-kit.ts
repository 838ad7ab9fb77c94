/** What stands on a screen, and what tests expect of it again and again. */
import type { Endpoint } from '@slipway/contract'
import { expect } from 'vitest'
import { type Locator, page } from 'vitest/browser'
import { answer, hold } from './network.test-kit.ts'
import { press } from './screen.test-kit.ts'

/** The texts of all that a locator finds, each as it is read. */
export const texts = (locator: Locator): string[] =>
  locator.elements().map((element) => (element.textContent ?? '').replaceAll(/\s+/g, ' ').trim())

/** A text wherever it stands within another. */
export const said = (text: string | RegExp): Locator => page.getByText(text, { exact: false })

/** Expects what a locator finds to have each of these texts somewhere. */
export async function expectText(locator: Locator, ...parts: (string | RegExp)[]): Promise<void> {
  for (const text of parts) await expect.element(locator).toMatchTextContent(text)
}

/** Expects what a locator finds to do nothing now, and to say why. */
export async function expectDisabled(locator: Locator, why: string | RegExp): Promise<void> {
  await expect.element(locator).toBeDisabled()
  await expect.element(locator).toHaveAccessibleDescription(why)
}

/** Expects a locator to find so many. */
export async function expectCount(locator: Locator, count: number): Promise<void> {
  await expect.poll(() => locator.elements()).toHaveLength(count)
}

/** Expects all that a locator finds to read so, in this order. */
export async function expectTexts(locator: Locator, wanted: readonly unknown[]): Promise<void> {
  await expect.poll(() => texts(locator)).toEqual(wanted)
}

/** The stack of messages about what just happened, the newest first. */
export const toasts = (): Locator => page.getByRole('region', { name: 'Notifications' })

/** Waves all messages away, so that the next one is not taken for the last, which may read the same. */
export async function dismissToasts(): Promise<void> {
  const buttons = toasts().getByRole('button', { name: 'Dismiss' })
  for (const button of buttons.elements()) (button as HTMLElement).click()
  await expectCount(buttons, 0)
}

/** Expects the only message of a success to read so. */
export async function expectToast(text: string): Promise<void> {
  await expect.element(toasts().getByRole('status')).toHaveTextContent(text)
}

/** The newest message of a failure. */
export const newestAlert = (): Locator => toasts().getByRole('alert').first()

/** Sends what is not answered before a button says that it is on its way. */
export async function expectBusy(endpoint: Endpoint, send: () => Promise<void>, busy: string): Promise<void> {
  const { letGo } = hold(endpoint)
  await send()
  await expect.element(page.getByRole('button', { name: busy })).toBeDisabled()
  letGo()
}

const reason = 'The server says why'

/** The server refuses a call once: a message says what was not done and why, and the reason stands in `also`, too. */
export async function expectRefused(
  endpoint: Endpoint,
  send: () => Promise<void>,
  text: string,
  also?: Locator,
): Promise<void> {
  const { end } = answer(endpoint, 409, { message: reason })
  await send()
  await expectTexts(newestAlert().getByRole('paragraph'), [text, reason])
  if (also) await expectText(also, reason)
  await dismissToasts()
  await end()
}

/** A call fails with a reason, and once more without: the first is said, and then a text of the page's own. */
export async function expectFailures(
  endpoint: Endpoint,
  send: () => Promise<void>,
  text: string,
  says: (text: string) => Promise<unknown>,
): Promise<void> {
  for (const [status, body, said] of [
    [409, { message: reason }, reason],
    [500, {}, text],
  ] as const) {
    const { end } = answer(endpoint, status, body)
    await send()
    await says(said)
    await end()
  }
}

/** The form says a broken rule beside its button, which does nothing; Enter in a field says it in a message. */
export async function expectRule(submit: Locator, field: Locator, text: string): Promise<void> {
  await expect.element(page.getByRole('form').getByRole('status')).toHaveTextContent(text)
  await expectDisabled(submit, text)
  await press(field, '{Enter}')
  await expect.element(newestAlert()).toHaveTextContent(text)
}
