import { isAddress } from './image-manifests.ts'
import { type Recipe, recipeVersion } from './recipe.ts'

/** Which images there can be: those of the recipes, and every address an image may be fetched from. */
export function makeKnownImages(ofRecipes: readonly Recipe[]) {
  const recipes = new Map(ofRecipes.map((recipe) => [recipe.id, recipe]))
  const versions = new Map<string, Promise<string>>()

  /** What an image is made after; a new one means that it has to be made anew. */
  function versionOf(imageId: string): Promise<string> {
    // Recipes do not change while a process runs.
    const known = versions.get(imageId) ?? readVersion(imageId)
    versions.set(imageId, known)
    return known
  }

  async function readVersion(imageId: string): Promise<string> {
    const recipe = recipes.get(imageId)
    if (!recipe) return imageId
    const own = await recipeVersion(recipe)
    return recipe.kind === 'layer' ? `${own}-${await versionOf(recipe.extends)}` : own
  }

  return {
    has: (imageId: string): boolean => recipes.has(imageId) || isAddress(imageId),
    /** For sentences. */
    nameOf: (imageId: string): string => recipes.get(imageId)?.name ?? new URL(imageId).host,
    recipeOf: (imageId: string): Recipe => recipes.get(imageId) ?? foreignRecipe(imageId),
    versionOf,
  }
}

export type KnownImages = ReturnType<typeof makeKnownImages>

const foreignRecipe = (url: string): Recipe => ({
  kind: 'foreign',
  id: url,
  dir: '',
  name: new URL(url).host,
  revision: 1,
  place: 0,
  template: null,
  url,
})
