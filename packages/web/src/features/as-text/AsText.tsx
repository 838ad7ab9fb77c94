import { FileCode } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../../ui/Button.tsx'
import { later } from '../../ui/later.tsx'
import type { Creation } from './creation.ts'

const AsTextDialog = later(async () => (await import('./AsTextDialog.tsx')).AsTextDialog, {
  isOpen: ({ creation }) => creation !== null,
  close: ({ onClose }) => onClose(),
})

export interface AsTextProps {
  call: Creation['call']
  /** As in a creation; undefined while it is not known. */
  project: Creation['project'] | undefined
  params?: Creation['params']
  named: Creation['named']
  scheduled?: Creation['scheduled']
  /** What would be sent now. */
  body: () => object
  /** What is still missing of the form. */
  missing: string | undefined
}

/** A button that shows what the form is about to create as a file, a command or a request. */
export function AsText({ call, project, params, named, scheduled, body, missing }: AsTextProps) {
  const [creation, setCreation] = useState<Creation | null>(null)
  return (
    <>
      <Button
        icon={<FileCode size={16} strokeWidth={1.6} aria-hidden />}
        disabledReason={missing}
        onClick={() =>
          project !== undefined &&
          setCreation({
            ...{ call, project, named, body: { ...body() } },
            ...(params && { params }),
            ...(scheduled && { scheduled }),
          })
        }
      >
        Show as Text
      </Button>
      <AsTextDialog creation={creation} onClose={() => setCreation(null)} />
    </>
  )
}
