import { cp, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { directoryOfFile } from '../lib/directory.test-kit.ts'
import { readRecipes, recipesDir, recipeVersion, templatesOf } from './recipe.ts'

const recipes = await readRecipes()

describe('the recipes that come with Slipway', () => {
  it('have places of their own in the catalogue', () => {
    const places = recipes.map(({ place }) => place)
    expect(new Set(places).size).toBe(places.length)
    expect(templatesOf(recipes)).toHaveLength(recipes.filter(({ template }) => template).length)
  })

  for (const recipe of recipes) {
    describe(recipe.id, () => {
      it.skipIf(recipe.kind === 'foreign')(
        'is checked inside a guest, and fails when a command does',
        async () => {
          expect(await readFile(join(recipe.dir, 'check.sh'), 'utf8')).toMatch(/^set -eu/m)
        },
      )

      it('names its packages once, in order', () => {
        const packages = 'packages' in recipe ? recipe.packages : []
        expect(packages).toEqual([...new Set(packages)].sort())
      })

      it('builds upon a recipe that builds upon nothing', () => {
        if (recipe.kind !== 'layer') return
        expect(recipes.find(({ id }) => id === recipe.extends)?.kind).toBe('debian')
      })

      it('pins what npm installs, and from no particular host', async () => {
        for (const folder of recipe.kind === 'layer' ? recipe.npm : []) {
          const file = join(recipe.dir, 'root', folder, 'package-lock.json')
          const lock = JSON.parse(await readFile(file, 'utf8'))
          for (const [path, entry] of Object.entries<Record<string, unknown>>(lock.packages)) {
            expect(entry.resolved, path).toBeUndefined()
            if (path && !entry.inBundle) expect(entry.integrity, path).toMatch(/^sha512-/)
          }
        }
      })
    })
  }
})

describe('the version of a recipe', () => {
  const dir = directoryOfFile()

  it('changes with every file of its folder and with what is a program', async () => {
    await cp(join(recipesDir, 'starter'), join(dir, 'starter'), { recursive: true })
    const [recipe] = await readRecipes(dir)
    if (!recipe) throw new Error('The copy was not read')
    const versions = [await recipeVersion(recipe)]
    expect(await recipeVersion(recipe)).toBe(versions[0])
    for (const mode of [0o644, 0o755]) {
      const more = join(recipe.dir, 'root', 'more')
      await rm(more, { force: true })
      await writeFile(more, 'x', { mode })
      versions.push(await recipeVersion(recipe))
    }
    expect(new Set(versions).size).toBe(3)
  })
})
