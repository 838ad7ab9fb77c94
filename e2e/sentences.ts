import { expect, type Locator, type Page } from '@playwright/test'
import { newPublicKey, type Person } from './person.ts'
import type { Server } from './server.ts'

/** What people do in the console, each as one sentence, by the words they see. */

export async function fillSignUp(page: Page, person: Person): Promise<void> {
  await page.getByLabel('First name').fill(person.firstName)
  await page.getByLabel('Last name').fill(person.lastName)
  await page.getByLabel('Email').fill(person.email)
  await page.getByLabel('Password', { exact: true }).fill(person.password)
  await page.getByLabel('Confirm password').fill(person.password)
  // The label holds links; its beginning does not.
  await page.getByRole('checkbox', { name: 'I agree to' }).check()
}

export async function signUp(page: Page, person: Person): Promise<void> {
  await page.goto('/signup')
  await fillSignUp(page, person)
  await page.getByRole('button', { name: 'Sign Up' }).click()
  await expect(page.getByRole('heading', { name: 'Check Your Email' })).toBeVisible()
}

export async function followMailedLink(page: Page, server: Server, person: Person): Promise<void> {
  await page.goto(await server.mailedLink(person.email, 'verify-email'))
}

/** Sends the form of the page that is shown, whatever comes of it. */
export async function trySignIn(
  page: Page,
  { email, password }: Pick<Person, 'email' | 'password'>,
): Promise<void> {
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Sign In' }).click()
}

export async function signIn(page: Page, person: Person): Promise<void> {
  await page.goto('/signin')
  await trySignIn(page, person)
  await expect(page).not.toHaveURL(/signin/)
}

export async function signOut(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'AL Ada Lovelace' }).click()
  await page.getByRole('menuitem', { name: 'Sign Out' }).click()
  await expect(page.getByRole('heading', { name: 'Instant dev environments' })).toBeVisible()
}

export async function signUpAndIn(page: Page, server: Server, person: Person): Promise<void> {
  await signUp(page, person)
  await followMailedLink(page, server, person)
  await expect(page.getByRole('heading', { name: 'Email verified' })).toBeVisible()
  await signIn(page, person)
}

/** Fills the form of the page a user without projects sees. */
export async function createFirstProject(page: Page, name: string): Promise<void> {
  await page.goto('/onboarding')
  await page.getByLabel('Project Name').fill(name)
  await page.getByRole('button', { name: 'Create Project' }).click()
  await expect(page.getByRole('heading', { name })).toBeVisible()
}

export async function addKey(page: Page, name: string): Promise<void> {
  await page.goto('/ssh-keys')
  await page.getByRole('button', { name: 'Add SSH Key' }).first().click()
  const dialog = page.getByRole('dialog', { name: 'Add SSH Key' })
  await dialog.getByLabel('Name').fill(name)
  await dialog.getByLabel('Public key').fill(newPublicKey())
  await dialog.getByRole('button', { name: 'Add SSH Key' }).click()
  await expect(dialog).toBeHidden()
  await expect(page.getByRole('heading', { name })).toBeVisible()
}

/** Creates a VM from a template, with the key and project that are preselected. */
export async function createVm(page: Page, name: string, templateId = 'starter'): Promise<void> {
  await page.goto(`/create?template=${templateId}`)
  await page.getByLabel('Name', { exact: true }).fill(name)
  await page.getByRole('button', { name: 'Create VM' }).click()
  await expect(page).toHaveURL('/')
  await expect(page.getByText(name).first()).toBeVisible()
}

/** Chooses an entry of a select by its label. */
export async function choose(page: Page, label: string, option: string): Promise<void> {
  await page.getByRole('combobox', { name: label }).click()
  await page.getByRole('option', { name: option }).click()
}

/** The stack of messages about what just happened, the newest first. */
export const toasts = (page: Page): Locator => page.getByRole('region', { name: 'Notifications' })
