import type { BuildWork, BuiltImage, LowerImage } from './builder.ts'
import { buildDebian } from './debian.ts'
import { fetchForeign } from './foreign.ts'
import type { Importer } from './import.ts'
import { buildLayer } from './layer.ts'
import type { Recipe } from './recipe.ts'
import { buildStarter } from './starter.ts'

/** Makes an image after its recipe. `lower` is there exactly when the recipe extends another; `mirror` has Debian's packages. */
export function buildImage(
  recipe: Recipe,
  lower: LowerImage | null,
  { importer, mirror }: { importer: Importer; mirror: string },
  work: BuildWork,
): Promise<BuiltImage> {
  switch (recipe.kind) {
    case 'starter':
      return buildStarter(recipe, work)
    case 'debian':
      return buildDebian(recipe, { mirror }, work)
    case 'layer':
      if (!lower) throw new Error(`The recipe ${recipe.id} builds upon nothing`)
      return buildLayer(recipe, lower, { mirror }, work)
    case 'foreign':
      return fetchForeign(recipe.url, importer, work)
  }
}
