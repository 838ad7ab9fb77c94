import { fillPath, routeOf } from '@slipway/contract'
import { useQuery } from '@tanstack/react-query'
import { Download } from 'lucide-react'
import { apiBase, call } from '../../api/client.ts'
import { keyOf } from '../../api/query.ts'
import { Button } from '../../ui/Button.tsx'

/** Downloads everything that happened. Shown to those alone whom the server lets have it. */
export function ExportActivity() {
  const { isSuccess } = useQuery({
    queryKey: keyOf('activity.export'),
    // A moment to come has no entries: this only asks for permission. A download could not say why it is refused.
    queryFn: async () => {
      await call('activity.export', { query: { since: new Date(Date.now() + 3_600_000).toISOString() } })
      return true
    },
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
  })
  if (!isSuccess) return null
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
