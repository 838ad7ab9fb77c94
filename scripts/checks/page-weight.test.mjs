import { expect, test } from 'vitest'
import { filesOf } from './page-weight.mjs'

test('a page weighs its scripts and styles and all that these import, each once', () => {
  const manifest = {
    'index.html': { isEntry: true, file: 'main.js', css: ['main.css'], imports: ['_react'] },
    _react: { file: 'react.js' },
    'src/Page.tsx': { file: 'page.js', imports: ['index.html', '_shared'] },
    _shared: { file: 'shared.js', css: ['shared.css'], imports: ['_react'] },
    'src/Other.tsx': { file: 'other.js' },
  }
  expect([...filesOf(manifest, ['index.html', 'src/Page.tsx'])].sort()).toEqual([
    'main.css',
    'main.js',
    'page.js',
    'react.js',
    'shared.css',
    'shared.js',
  ])
})
