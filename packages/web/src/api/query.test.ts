import { QueryObserver } from '@tanstack/react-query'
import { afterEach, expect, test, vi } from 'vitest'
import { queryClient } from './query.ts'

afterEach(() => queryClient.clear())

/** A shown query; what the server answers, request by request, is up to the test. */
function show(queryKey: string[]) {
  const requests: PromiseWithResolvers<string>[] = []
  const queryFn = () => {
    const request = Promise.withResolvers<string>()
    requests.push(request)
    return request.promise
  }
  const observer = new QueryObserver(queryClient, { queryKey, queryFn })
  const hide = observer.subscribe(() => {})
  return { requests, hide, shown: () => observer.getCurrentResult().data }
}

test('a first answer that something overtook is asked for again', async () => {
  const log = show(['log', 'p1'])
  const other = show(['log', 'p2'])
  void queryClient.invalidateQueries({ queryKey: ['log', 'p1'] })
  expect(log.requests).toHaveLength(1)
  log.requests[0]?.resolve('old')
  other.requests[0]?.resolve('of another project')
  await vi.waitFor(() => expect(log.requests).toHaveLength(2))
  log.requests[1]?.resolve('new')
  await vi.waitFor(() => expect(log.shown()).toBe('new'))
  expect(log.requests).toHaveLength(2)
  expect(other.requests).toHaveLength(1)
  log.hide()
  other.hide()
})

test('a first answer that fails is not asked for again, nor is one that nobody looks at any more', async () => {
  const failed = show(['log', 'p1'])
  const left = show(['log', 'p2'])
  void queryClient.invalidateQueries()
  failed.requests[0]?.reject(new Error('The server is away'))
  left.hide()
  left.requests[0]?.resolve('old')
  await vi.waitFor(() => expect(queryClient.isFetching()).toBe(0))
  await Promise.resolve()
  expect(failed.requests).toHaveLength(1)
  expect(left.requests).toHaveLength(1)
  failed.hide()
})

test('an answer that was there before is replaced by one of now', async () => {
  const log = show(['log', 'p1'])
  log.requests[0]?.resolve('first')
  await vi.waitFor(() => expect(log.shown()).toBe('first'))
  void queryClient.invalidateQueries({ queryKey: ['log'] })
  void queryClient.invalidateQueries({ queryKey: ['log'] })
  expect(log.requests).toHaveLength(3)
  log.requests[2]?.resolve('third')
  log.requests[1]?.resolve('second')
  await vi.waitFor(() => expect(log.shown()).toBe('third'))
  log.hide()
})
