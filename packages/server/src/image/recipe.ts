import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { lstat, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'

/** What the catalogue of templates says of an image; null where it is only there to build others upon. */
const Offer = z.object({
  description: z.string().min(1),
  cpu: z.int(),
  memoryMb: z.int(),
})

const Common = z.object({
  /** As in "Building the Go image". */
  name: z.string().min(1),
  /** Raise it to have the image made anew although nothing else of the recipe changed. */
  revision: z.int(),
  /** Its place in the catalogue. */
  place: z.int(),
  template: Offer.nullable(),
})

/** Starter Linux: single programs out of Debian packages, see `starter.ts`. */
export const StarterRecipe = Common.extend({
  kind: z.literal('starter'),
  kernelPackage: z.string(),
  packages: z.array(z.string()),
  /** Path in the guest to path in the packages. */
  programs: z.record(z.string(), z.string()),
  links: z.record(z.string(), z.string()),
  directories: z.record(z.string(), z.string()),
  bootModules: z.array(z.string()),
  rootModules: z.array(z.string()),
  rootSizeMb: z.int(),
  cmdline: z.string(),
})
export type StarterRecipe = z.infer<typeof StarterRecipe>

/** A whole Debian that others build upon, see `debian.ts`. */
export const DebianRecipe = Common.extend({
  kind: z.literal('debian'),
  /** Code name of the release. */
  suite: z.string(),
  kernelPackage: z.string(),
  packages: z.array(z.string()),
  /** Drivers that the RAM disk loads. */
  bootModules: z.array(z.string()),
  rootSizeMb: z.int(),
  cmdline: z.string(),
})
export type DebianRecipe = z.infer<typeof DebianRecipe>

/** What a template adds to another image, see `layer.ts`. */
export const LayerRecipe = Common.extend({
  kind: z.literal('layer'),
  /** The image it builds upon. */
  extends: z.string(),
  packages: z.array(z.string()),
  /** Folders of `root/` with a package.json and a package-lock.json, in which npm installs what these name. */
  npm: z.array(z.string()),
})
export type LayerRecipe = z.infer<typeof LayerRecipe>

/** An image that somebody else makes. */
export const ForeignRecipe = Common.extend({
  kind: z.literal('foreign'),
  url: z.url({ protocol: /^https$/ }),
})
export type ForeignRecipe = z.infer<typeof ForeignRecipe>

const RecipeFile = z.discriminatedUnion('kind', [StarterRecipe, DebianRecipe, LayerRecipe, ForeignRecipe])

/** A recipe with its id, which is the name of its folder, and where that is. */
export type Recipe = z.infer<typeof RecipeFile> & { id: string; dir: string }

/** The folder of the recipes that come with Slipway; its README says what may stand in one. */
export const recipesDir = fileURLToPath(new URL('../../../../images/', import.meta.url))

/** Reads every recipe, in the order of the catalogue. Throws when one is not valid. */
export async function readRecipes(dir = recipesDir): Promise<Recipe[]> {
  const ids = (await readdir(dir)).filter((name) => existsSync(join(dir, name, 'recipe.json')))
  const recipes = await Promise.all(
    ids.map(async (id) => {
      const own = join(dir, id)
      const file = JSON.parse(await readFile(join(own, 'recipe.json'), 'utf8'))
      return { ...RecipeFile.parse(file), id, dir: own }
    }),
  )
  return recipes.sort((one, other) => one.place - other.place)
}

/** Changes whenever anything in the folder of a recipe does, so that an image of an older one is replaced. */
export async function recipeVersion({ dir }: Recipe): Promise<string> {
  const hash = createHash('sha256')
  for (const entry of (await readdir(dir, { recursive: true })).sort()) {
    const path = join(dir, entry)
    const { mode } = await lstat(path)
    if ((mode & 0o170000) !== 0o100000) continue
    hash
      .update(`${entry}\0${mode & 0o100}\0`)
      .update(await readFile(path))
      .update('\0')
  }
  return hash.digest('hex').slice(0, 16)
}

/** The templates that recipes offer, in the same order; `url` is null for images that are built here. */
export const templatesOf = (recipes: readonly Recipe[]) =>
  recipes.flatMap((recipe) =>
    recipe.template === null
      ? []
      : [
          {
            id: recipe.id,
            name: recipe.name,
            ...recipe.template,
            url: recipe.kind === 'foreign' ? recipe.url : null,
          },
        ],
  )
