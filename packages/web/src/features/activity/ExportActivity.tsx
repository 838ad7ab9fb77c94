import { Download } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { useSession } from '../../api/session.ts'
import { Button } from '../../ui/Button.tsx'

const ExportActivityDialog = lazy(async () => ({
  default: (await import('./ExportActivityDialog.tsx')).ExportActivityDialog,
}))

/** Downloads the activity of everybody as a file. Shown to administrators only: the server refuses everybody else. */
export function ExportActivity() {
  const { user } = useSession()
  const [open, setOpen] = useState(false)
  if (!user?.is_admin) return null
  return (
    <>
      <Button
        icon={<Download size={16} strokeWidth={1.6} aria-hidden />}
        aria-haspopup="dialog"
        onClick={() => setOpen(true)}
      >
        Export activity
      </Button>
      {open && (
        <Suspense fallback={null}>
          <ExportActivityDialog onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  )
}
