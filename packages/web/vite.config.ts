import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import tailwind from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { type BuildEnvironmentOptions, build, defineConfig, type Plugin, type Rolldown } from 'vite'
import { chunksOf } from './build/chunks.ts'
import first from './build/first-pages.json' with { type: 'json' }

/** Only the style sheet refers to fonts; named in the page they load beside it. */
function preloadFonts(): Plugin {
  return {
    name: 'preload-fonts',
    transformIndexHtml: (_, { bundle }) =>
      Object.keys(bundle ?? {})
        .filter((file) => file.endsWith('.woff2'))
        .map((file) => ({
          tag: 'link',
          attrs: { rel: 'preload', as: 'font', type: 'font/woff2', href: `/${file}`, crossorigin: true },
          injectTo: 'head',
        })),
  }
}

/**
 * Tells the bundler what it cannot know of the router, so that what is unused goes: making a part of it does nothing, and
 * neither its framework, which loads ahead what links lead to, nor what measures it is there.
 */
function leanRouter(): Plugin {
  return {
    name: 'lean-router',
    transform: {
      filter: { id: /node_modules\/react-router\// },
      handler: (code) => ({
        code: code
          .replaceAll(/^\w+\.displayName = ".*";$/gm, '')
          .replaceAll(/= (React\S*\.(?:forwardRef|memo|createContext)\()/g, '= /* @__PURE__ */ $1')
          .replaceAll(/React\S*\.useContext\(FrameworkContext\)/g, 'null')
          .replaceAll('shouldPrefetch && !isAbsolute ?', 'false ?')
          .replaceAll('if (init.instrumentations)', 'if (false)'),
        map: null,
      }),
    },
  }
}

/**
 * Icons name their lines by random keys, which no compression makes small and nothing uses: the lines never change. And what
 * an icon is made of need not be looked at when it is made.
 */
function leanIcons(): Plugin {
  return {
    name: 'lean-icons',
    apply: 'build',
    transform: {
      filter: { id: /node_modules\/lucide-react\/dist\/esm\/icons\// },
      handler: (code) => {
        let line = 0
        const lean = code
          .replaceAll(/key: "\w+"/g, () => `key: ${line++}`)
          .replace(/^__iconData\.node;$/m, '')
        return { code: lean, map: null }
      },
    },
  }
}

/** Two files that wait for one another break every page that needs them, and only a browser would show it. */
function refuseCircles(): Plugin {
  return {
    name: 'refuse-circles',
    generateBundle(_, bundle) {
      const importsOf = (file: string) => {
        const chunk = bundle[file]
        return chunk?.type === 'chunk' ? chunk.imports : []
      }
      const done = new Set<string>()
      const visit = (file: string, way: string[]) => {
        if (way.includes(file)) this.error(`These files wait for one another: ${[...way, file].join(', ')}`)
        if (done.has(file)) return
        for (const next of importsOf(file)) visit(next, [...way, file])
        done.add(file)
      }
      for (const file of Object.keys(bundle)) visit(file, [])
    },
  }
}

/** Writes `.br` and `.gz` beside each text file, so that the server never compresses while it answers. */
function compress(): Plugin {
  return {
    name: 'compress',
    apply: 'build',
    writeBundle({ dir = 'dist' }) {
      for (const name of readdirSync(dir, { recursive: true, encoding: 'utf8' })) {
        if (!/\.(js|css|html|svg)$/.test(name)) continue
        const text = readFileSync(join(dir, name))
        writeFileSync(join(dir, `${name}.br`), brotliCompressSync(text))
        writeFileSync(join(dir, `${name}.gz`), gzipSync(text, { level: 9 }))
      }
    },
  }
}

/** These change less often than the rest, and every page needs them. */
const lasting = [
  { name: 'react', test: /node_modules\/(react|react-dom|scheduler)\//, priority: 3 },
  { name: 'main', tags: ['$initial' as const], priority: 2 },
]

const options: BuildEnvironmentOptions = {
  // An inlined asset would need `data:` in more places than the content security policy allows.
  assetsInlineLimit: 0,
  target: 'es2022',
  // Those that Tailwind needs; they know all colors, so none is written twice.
  cssTarget: ['chrome111', 'edge111', 'firefox128', 'safari16.4'],
  modulePreload: {
    polyfill: false,
    // What every page has by then need not be looked for; and the list of what to load ahead is part of each page.
    resolveDependencies: (_, files, { hostType }) =>
      hostType === 'html' ? files : files.filter((file) => !/\/(main|react|rolldown-runtime)-/.test(file)),
  },
}

const split = (groups: Rolldown.CodeSplittingGroup[]): BuildEnvironmentOptions['rolldownOptions'] => ({
  output: {
    // Without this a shared file is named after every page that uses it.
    chunkFileNames: ({ name }) => `assets/${name.split('~')[0]}-[hash].js`,
    // A file goes where its own group says, not where its first user went.
    codeSplitting: { includeDependenciesRecursively: false, groups },
  },
})

/** Builds once in memory, split as finely as possible, to learn which pages use which files. */
async function findSharedChunks(): Promise<Map<string, string>> {
  const withoutStyles: Plugin = {
    name: 'without-styles',
    enforce: 'pre',
    load: (id) => (id.endsWith('.css') ? '' : null),
  }
  const built = await build({
    root: import.meta.dirname,
    configFile: false,
    logLevel: 'error',
    plugins: [withoutStyles, leanRouter(), leanIcons(), react()],
    build: { ...options, write: false, rolldownOptions: split(lasting) },
  })
  if (!('output' in built)) throw new Error('The build has more than one output')
  const chunks = built.output.filter((file) => file.type === 'chunk')
  const inRoot = (file: string) => join(import.meta.dirname, file)
  const signedIn = first.frames['signed in'].map(inRoot)
  const signedOut = first.frames['signed out'].map(inRoot)
  const firstPages = first.pages.map(({ page }) => inRoot(page))
  // Who is signed in sees every page within the same frames, and so does who is to sign in.
  const framesOf = (page: string) => {
    if (/\/features\/account\/(?!AccountPage)/.test(page)) return signedOut
    return page.includes('/features/') && !page.includes('/features/public/') ? signedIn : []
  }
  return chunksOf(chunks, {
    entry: inRoot('src/main.tsx'),
    framesOf,
    firstPages,
  })
}

export default defineConfig(async ({ command }) => {
  const shared = command === 'build' ? await findSharedChunks() : new Map<string, string>()
  return {
    root: import.meta.dirname,
    plugins: [leanRouter(), leanIcons(), react(), tailwind(), preloadFonts(), refuseCircles(), compress()],
    build: {
      ...options,
      // For the check of what the first pages weigh.
      manifest: true,
      rolldownOptions: split([...lasting, { name: (id) => shared.get(id) ?? null, priority: 1 }]),
    },
    server: { proxy: { '/api': { target: 'http://127.0.0.1:8080', ws: true } } },
  }
})
