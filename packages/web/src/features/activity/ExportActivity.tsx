import { fillPath, routeOf } from '@slipway/contract'
import { Download } from 'lucide-react'
import { useState } from 'react'
import { apiBase, call } from '../../api/client.ts'
import { errorDetail } from '../../api/errors.ts'
import { Button } from '../../ui/Button.tsx'
import { toast } from '../../ui/toast.tsx'

/** Brings everything that happened as a file, to those whom the server lets have it. */
export function ExportActivity() {
  const [asking, setAsking] = useState(false)
  const download = async () => {
    setAsking(true)
    try {
      // Of the future there is nothing: this only asks whether one may. A download has no way to say why not.
      await call('activity.export', { query: { since: new Date(Date.now() + 3_600_000).toISOString() } })
      const link = document.createElement('a')
      link.href = apiBase + fillPath(routeOf('activity.export').path)
      link.download = `activity-${new Date().toISOString().slice(0, 10)}.ndjson`
      link.click()
    } catch (error) {
      toast.error('The activity was not exported.', { detail: errorDetail(error) })
    } finally {
      setAsking(false)
    }
  }
  return (
    <Button
      icon={<Download size={16} strokeWidth={1.6} aria-hidden />}
      busy={asking}
      onClick={() => void download()}
    >
      Export activity
    </Button>
  )
}
