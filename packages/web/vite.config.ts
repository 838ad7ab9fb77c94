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

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react(), tailwind(), preloadFonts(), compress()],
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
          groups: [
            // The forms check themselves against the contract. The first page has no form, and the contract's schemas
            // are among its modules only because one index names them all.
            {
              name: 'forms',
              test: /react-hook-form|@hookform|@standard-schema|project\/(ProjectForm|FirstProject)|\/zod\/|contract\/src\/(?!endpoint|routes|quantity|index)[a-z-]+\.ts/,
              priority: 3,
            },
            // What pages and schemas both build upon stands apart, so that no two files wait for one another.
            { name: 'rules', test: /contract\/src\/([a-z-]+\.rules|quantity)\.ts/, priority: 3 },
            // The pages that create VMs, pools and sets share their fields; no list needs them.
            {
              name: 'create',
              test: /features\/(vm-group\/(Group(CreateForm|DiskFields|Panel)|(use-)?group-form)|(disk\/DiskRows|ssh-key\/SshKeyField|template\/Template(Field|Panel)))\.tsx?$/,
              priority: 3,
            },
            // React stays the same from version to version of the console, ...
            { name: 'react', test: /node_modules\/(react|react-dom|scheduler)\//, priority: 3 },
            // ... one file holds what every page needs, ...
            { name: 'main', tags: ['$initial'], priority: 2 },
            // ... one for menus, dialogs and selects, which no page needs to be shown, without what only few of them need, ...
            { name: 'combobox', test: /@base-ui\/react\/(combobox|autocomplete)\//, priority: 2 },
            { name: 'overlay', test: /node_modules\/(@base-ui|@floating-ui)\//, priority: 1 },
            // ... and few for what some pages share: a request costs more than some unused bytes.
            { name: 'shared', minShareCount: 2, entriesAware: true, entriesAwareMergeThreshold: 24_000 },
          ],
        },
      },
    },
  },
  server: { proxy: { '/api': { target: 'http://127.0.0.1:8080', ws: true } } },
})
