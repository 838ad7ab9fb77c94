export const templateTexts = {
  nameMissing: 'Please enter a template name',
  descriptionMissing: 'Please enter a template description',
  invalidCpu: 'Please select a valid CPU count',
  invalidMemory: 'Please select a valid memory size',
  invalidImageUrl: 'Please enter a valid image URL',
  bootImage:
    'The image URL names a boot image, which templates cannot use yet. Enter the address of a picture, or none.',
  adminOnly: 'Admin access required',
} as const

/** What a template may give each VM, in cores. */
export const templateCpuOptions = [1, 2, 4, 8, 16] as const

/** What a template may give each VM, in megabytes. */
export const templateMemoryOptionsMb = [512, 1024, 2048, 4096, 8192, 16_384] as const

/** Whether a text is the address of something on the web. */
export function isWebAddress(text: string): boolean {
  return /^https?:\/\//i.test(text) && URL.canParse(text)
}

/**
 * Whether an address names a boot image by the ending of its path, query ignored (catalogue G-069). Every other one is
 * that of a picture.
 */
export function isBootImageUrl(url: string): boolean {
  return /\.(qcow2|img|raw|iso)$/i.test(url.split(/[?#]/)[0] ?? '')
}
