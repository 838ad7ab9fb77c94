import { createElement } from 'react'
import { flushSync } from 'react-dom'
import { createRoot } from 'react-dom/client'
import { createMemoryRouter, RouterProvider } from 'react-router'
import { expect, onTestFinished, test } from 'vitest'
import { passTime, stopClock } from '../screen/clock.test-kit.ts'
import { useLeadOn } from './use-lead-on.ts'

/** A page that leads on to `/next` after a second, beside another that loads until it is told to be there. */
async function openPages() {
  await stopClock()
  const { promise: loading, resolve: load } = Promise.withResolvers<null>()
  function Leading() {
    useLeadOn('/next', 1_000)
    return null
  }
  const router = createMemoryRouter([
    { path: '/', Component: Leading },
    { path: '/next', element: 'next' },
    { path: '/other', element: 'other', loader: () => loading },
  ])
  const place = document.body.appendChild(document.createElement('div'))
  const root = createRoot(place)
  flushSync(() => root.render(createElement(RouterProvider, { router })))
  onTestFinished(() => {
    root.unmount()
    router.dispose()
    place.remove()
  })
  await passTime(0)
  return { router, place, load: () => load(null) }
}

test('a page leads on to the next one once its time has passed', async () => {
  const { router, place } = await openPages()
  await passTime(900)
  expect(router.state.location.pathname).toBe('/')
  await passTime(200)
  await expect.poll(() => place.textContent).toBe('next')
})

test('a page leads nowhere while another one that its user went to is still loading', async () => {
  const { router, place, load } = await openPages()
  void router.navigate('/other')
  await passTime(0)
  await passTime(5_000)
  load()
  await expect.poll(() => place.textContent).toBe('other')
  await passTime(5_000)
  expect(router.state.location.pathname).toBe('/other')
})
