import { DiskCreate, type DiskSource, diskTexts } from '@slipway/contract'
import { sizeText } from './size-text.ts'

/** The create form as the user sees it. Each source keeps what was typed for it while another one is chosen. */
export interface DiskForm {
  name: string
  size: string
  source: DiskSource
  imageUrl: string
  containerImage: string
  snapshotName: string
  /** The snapshot that was chosen by hand; empty where its name was typed. */
  snapshotId: string
}

export const emptyDiskForm: DiskForm = {
  name: '',
  size: '10GB',
  source: 'EMPTY',
  imageUrl: '',
  containerImage: '',
  snapshotName: '',
  snapshotId: '',
}

function contentOf({ source, imageUrl, containerImage, snapshotName, snapshotId }: DiskForm) {
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
  return { name: form.name.trim(), size: sizeText(form.size), source: form.source, ...contentOf(form) }
}

export type DiskFormField = 'project' | 'name' | 'size' | 'source' | 'image_url' | 'disk_sansphot'

/** The first rule that the form breaks, with the sentence to show; null when it can be sent. */
export function firstBrokenRule(
  form: DiskForm,
  projectId: string | undefined,
): { field: DiskFormField; text: string } | null {
  if (!projectId) return { field: 'project', text: diskTexts.projectMissing }
  // In the order of the contract's fields, which is the order of the rules.
  const [issue] = DiskCreate.safeParse(toBody(form)).error?.issues ?? []
  // A message of the contract always belongs to one of its own fields.
  return issue ? { field: issue.path[0] as DiskFormField, text: issue.message } : null
}
