import parsePrometheus from 'parse-prometheus-text-format'
import { expect } from 'vitest'
import type { TestApp } from '../app.test-kit.ts'

/** What an operator gets of `/metrics`: the text, and the metrics by the name of their family. */
export async function scrape({ app }: Pick<TestApp, 'app'>) {
  const headers = { authorization: 'Bearer operator-token' }
  const { statusCode, body } = await app.inject({ method: 'GET', url: '/metrics', headers })
  expect(statusCode).toBe(200)
  return { text: body, families: new Map(parsePrometheus(body).map(({ name, metrics }) => [name, metrics])) }
}
