import { expect, test, vi } from 'vitest'
import { eventKinds } from './live.ts'
import { bringIn, takenKinds, watchProjects } from './live-events.ts'

// All there is, so that a resource that is added is looked at as well.
await Promise.all(
  Object.values(import.meta.glob(['./*.ts', '!./*.test.ts', '!./*.worker.ts'])).map((load) => load()),
)

test('every kind of event has a place to go once all code is loaded', () => {
  expect(takenKinds().toSorted()).toEqual(eventKinds.toSorted())
})

test('what happens in a project is told to those who watch it, also where nobody shows the object', () => {
  const watch = vi.fn()
  watchProjects(watch)
  bringIn('disk', 'p', [])
  expect(watch).toHaveBeenCalledWith('p')
})
