import { DiskCreate, type DiskSource, diskSources, diskTexts, UploadCreate } from '@slipway/contract'
import { sizeText } from './size-text.ts'

/** What a disk can be created from here: a file of this computer too, which is another call. */
export type FormSource = DiskSource | 'UPLOAD'
export const formSources: Record<FormSource, string> = { ...diskSources, UPLOAD: 'Upload a File' }

/** The create form as the user sees it. Each source keeps what was typed for it while another one is chosen. */
export interface DiskForm {
  name: string
  size: string
  source: FormSource
  imageUrl: string
  containerImage: string
  snapshotName: string
  /** The snapshot that was chosen by hand; empty where its name was typed. */
  snapshotId: string
  file: File | null
  /** The checksum that the file has to have; empty: any. */
  sha256: string
}

export const emptyDiskForm: DiskForm = {
  name: '',
  size: '10GB',
  source: 'EMPTY',
  imageUrl: '',
  containerImage: '',
  snapshotName: '',
  snapshotId: '',
  file: null,
  sha256: '',
}

function contentOf(source: DiskSource, { imageUrl, containerImage, snapshotName, snapshotId }: DiskForm) {
  switch (source) {
    case 'EMPTY':
      return {}
    case 'HTTP':
      return { image_url: imageUrl.trim() }
    case 'REGISTRY':
      return { image_url: containerImage.trim() }
    case 'SNAPSHOT':
      return { disk_sansphot: snapshotName.trim(), ...(snapshotId && { snapshot_id: snapshotId }) }
  }
}

/** What is sent: exactly the fields of the call, and of the sources only the chosen one. */
export function toBody(form: DiskForm): DiskCreate {
  // An upload is another call: see `toUpload`.
  const source = form.source as DiskSource
  return { name: form.name.trim(), size: sizeText(form.size), source, ...contentOf(source, form) }
}

export const isUpload = (form: DiskForm): form is DiskForm & { source: 'UPLOAD' } => form.source === 'UPLOAD'

/** The same for a disk from a file of this computer; what is said of the file is enough to find it again. */
export function toUpload({ name, size, file, sha256 }: DiskForm): UploadCreate {
  return {
    name: name.trim(),
    size: sizeText(size),
    file_name: file?.name ?? '',
    file_bytes: file?.size ?? 0,
    ...(file && { file_modified_at: new Date(file.lastModified).toISOString() }),
    ...(sha256.trim() !== '' && { sha256: sha256.trim().toLowerCase() }),
  }
}

export type DiskFormField =
  | 'project'
  | 'name'
  | 'size'
  | 'source'
  | 'image_url'
  | 'disk_sansphot'
  | 'file_name'
  | 'file_bytes'
  | 'sha256'

/** The first rule that the form breaks, with the sentence to show; null when it can be sent. */
export function firstBrokenRule(
  form: DiskForm,
  projectId: string | undefined,
): { field: DiskFormField; text: string } | null {
  if (!projectId) return { field: 'project', text: diskTexts.projectMissing }
  // In the order of the contract's fields, which is the order of the rules.
  const read = isUpload(form) ? UploadCreate.safeParse(toUpload(form)) : DiskCreate.safeParse(toBody(form))
  const [issue] = read.error?.issues ?? []
  // A message of the contract always belongs to one of its own fields.
  return issue ? { field: issue.path[0] as DiskFormField, text: issue.message } : null
}

/** The name of a disk for a file: without what says of which kind the file is. */
export const diskNameFor = (fileName: string): string =>
  fileName.replace(/(\.(qcow2|img|raw|iso|vmdk|gz|xz|zst))+$/i, '').slice(0, 100)
