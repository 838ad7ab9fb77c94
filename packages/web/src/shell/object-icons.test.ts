import { expect, test } from 'vitest'
import { objectIcons } from './object-icons.ts'

const sources = import.meta.glob<string>(['../**/*.tsx', '!../gallery/**'], {
  query: '?raw',
  import: 'default',
  eager: true,
})

test('each kind of object has an icon of its own', () => {
  const icons = Object.values(objectIcons)
  expect(new Set(icons).size).toBe(icons.length)
})

test('nobody chooses the icon of a kind a second time', () => {
  // Copying a text has the icon of sets, and always stands beside that text.
  const names = ['FolderKanban', 'LayoutTemplate', 'Server', 'Scaling', 'HardDrive', 'Camera', 'Disc']
  const again = Object.entries(sources).flatMap(([file, text]) => {
    const [, imported = ''] = text.match(/import \{([^}]*)\} from 'lucide-react'/) ?? []
    const found = imported.split(',').map((name) => name.trim())
    return names.filter((name) => found.includes(name)).map((name) => `${file}: ${name}`)
  })
  expect(again).toEqual([])
})
