import { isBootImageUrl } from '@slipway/contract'

/** The address of a template's picture; null when the address is that of a boot image (catalogue G-069). */
export function pictureOf(imageUrl: string | null): string | null {
  return imageUrl && isBootImageUrl(imageUrl) ? null : imageUrl
}
