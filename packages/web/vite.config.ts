import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import tailwind from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'

/** Fonts are asked for by the style sheet; naming them in the page lets them load beside it. */
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

/** Two files that wait for one another break every page that needs them, which only a browser would tell. */
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

const any =
  (...patterns: RegExp[]) =>
  (file: string) =>
    patterns.some((pattern) => pattern.test(file))

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react(), tailwind(), preloadFonts(), refuseCircles(), compress()],
  // An inlined asset would need `data:` in more places than the content security policy allows.
  build: {
    assetsInlineLimit: 0,
    target: 'es2022',
    modulePreload: { polyfill: false },
    rolldownOptions: {
      output: {
        // Without this a shared file is named after every page that uses it.
        chunkFileNames: ({ name }) => `assets/${name.split('~')[0]}-[hash].js`,
        codeSplitting: {
          // A file goes where its own group says, not where its first user went.
          includeDependenciesRecursively: false,
          // Each builds upon those above it only. Few and whole: a request costs more than some unused bytes.
          groups: [
            // React stays the same from version to version of the console, ...
            { name: 'react', test: /node_modules\/(react|react-dom|scheduler)\//, priority: 9 },
            // ... one file starts every page, ...
            { name: 'main', tags: ['$initial'], priority: 8 },
            // ... and one draws it. Not what lists are made of, what opens over a page, nor charts.
            {
              name: 'ui',
              test: any(
                /contract\/src\/[a-z-]+\.rules\.ts/,
                /lucide-react/,
                /web\/src\/(api\/|paths|time)/,
                /web\/src\/ui\/(?!Ledger|CardGrid|Chart|Plot|Combobox|StepList|\w+(Popup|Box)\.)/,
                /shell\/(Brand|Footer|FullPageNote|PrivacyNotice|guards|sign-in-state|settled-text|use-)/,
              ),
              minShareCount: 2,
              priority: 7,
            },
            // Menus, dialogs and selects, without what only few of them need.
            {
              name: 'overlay',
              test: /node_modules\/(@base-ui|@floating-ui|use-sync-external-store)\//,
              priority: 6,
            },
            { name: 'combobox', test: /@base-ui\/react\/(combobox|autocomplete)\//, priority: 7 },
            // Only forms need the contract's schemas.
            {
              name: 'forms',
              test: any(
                /react-hook-form|@hookform|@standard-schema|\/zod\//,
                /contract\/src\//,
                /project\/(ProjectForm|FirstProject)/,
              ),
              priority: 6,
            },
            // The pages of a visitor, ...
            {
              name: 'public',
              test: /features\/(account|public\/(Legal|Contact))|shell\/(Auth|Public)/,
              priority: 5,
            },
            // ... and the frame and the lists of who is signed in.
            {
              name: 'console',
              test: any(
                /shell\/(?!Drawer|HomePage|NotFound)/,
                /ProjectScope/,
                /@tanstack\/(react-virtual|virtual-core)/,
                /ui\/(Ledger|CardGrid)/,
                /usage\/(Vm)?[Ss]parkline/,
              ),
              priority: 4,
            },
            // The cards of VMs stand on the pages of pools and sets too; theirs stand in two lists.
            {
              name: 'vm',
              test: /features\/(vm\/(VmCard|vm-(actions|steps)|(use-)?ssh-w)|vm-group\/PartOf)/,
              priority: 3,
            },
            {
              name: 'group',
              test: any(
                /vm-group\/(GroupCard|InlineForm|use-inline-edit|DeleteGroup)/,
                /vm-pool\/(PoolGauge|PoolSizes|DeletePool|VmPoolCard|pool-words)/,
                /vm-set\/(Replica|DeleteSet|VmSetCard)/,
              ),
              priority: 3,
            },
            // The pages that create VMs, pools and sets share their fields; no list needs them.
            {
              name: 'create',
              test: any(
                /vm-group\/(Group(CreateForm|DiskFields|Panel)|(use-)?group-form)\.tsx?$/,
                /disk\/DiskRows|ssh-key\/SshKeyField|template\/Template(Field|Panel)/,
              ),
              priority: 3,
            },
            // For all else.
            { name: 'shared', minShareCount: 2, entriesAware: true, entriesAwareMergeThreshold: 8_000 },
          ],
        },
      },
    },
  },
  server: { proxy: { '/api': { target: 'http://127.0.0.1:8080', ws: true } } },
})
