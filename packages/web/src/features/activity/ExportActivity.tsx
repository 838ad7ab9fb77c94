import { fillPath, routeOf } from '@slipway/contract'
import { Download } from 'lucide-react'
import { apiBase } from '../../api/client.ts'
import { useSession } from '../../api/session.ts'
import { Button } from '../../ui/Button.tsx'

/** Downloads the whole activity as a file. Shown to administrators only: the server refuses everybody else. */
export function ExportActivity() {
  const { user } = useSession()
  if (!user?.is_admin) return null
  return (
    <Button
      icon={<Download size={16} strokeWidth={1.6} aria-hidden />}
      render={
        <a
          href={apiBase + fillPath(routeOf('activity.export').path)}
          download={`activity-${new Date().toISOString().slice(0, 10)}.ndjson`}
        />
      }
    >
      Export activity
    </Button>
  )
}
