const bootImage = /\.(qcow2|img|raw|iso)$/i

/** The address of a template's picture; null when the address is that of a boot image (catalogue G-069). */
export function pictureOf(imageUrl: string | null): string | null {
  const path = imageUrl?.split(/[?#]/)[0] ?? ''
  return bootImage.test(path) ? null : imageUrl
}
