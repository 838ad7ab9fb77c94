import { describe, expect, test } from 'vitest'

/** Every source of the console by its path from here, such as `./ui/Form.tsx`. */
const sources = import.meta.glob<string>(['./**/*.{ts,tsx}', '!./**/*.test.ts'], {
  query: '?raw',
  import: 'default',
  eager: true,
})
const filesWith = (pattern: RegExp) =>
  Object.keys(sources).filter((file) => pattern.test(sources[file] ?? ''))
const exportedBy = (file: string, name: string) =>
  [...(sources[file] ?? '').matchAll(new RegExp(`export function (${name})`, 'g'))].map(([, found]) => found)

/** Those who call `useFormShell`, or a hook that does. */
function shellUsers(): Set<string> {
  const users = new Set<string>()
  const hooks = ['useFormShell']
  for (const hook of hooks)
    for (const file of filesWith(new RegExp(`\\b${hook}\\(`))) {
      users.add(file)
      for (const own of exportedBy(file, 'use\\w+')) if (own && !hooks.includes(own)) hooks.push(own)
    }
  return users
}

/** Those who send what is typed in `file`: itself, else whoever renders its components. */
function sendersOf(file: string, users: Set<string>): string[] {
  if (users.has(file)) return []
  const rendering = exportedBy(file, '[A-Z]\\w+').flatMap((name) => filesWith(new RegExp(`<${name}\\b`)))
  const elsewhere = rendering.filter((other) => other !== file)
  return elsewhere.length > 0 ? elsewhere.flatMap((other) => sendersOf(other, users)) : [file]
}

describe('every form', () => {
  test('is the one of the kit, which knows compositions and has no complaints of the browser', () => {
    expect(filesWith(/<form\b/)).toEqual(['./ui/Form.tsx'])
  })

  test('is sent by the form shell, here or where it is rendered', () => {
    const users = shellUsers()
    const forms = filesWith(/<(Form|FormSheet|FormDialog)\b/).filter((file) => file.startsWith('./features/'))
    expect(forms.length).toBeGreaterThan(8)
    expect(forms.flatMap((file) => sendersOf(file, users))).toEqual([])
  })
})
