import { routeOf } from '@slipway/contract'
import { apiBase } from '../../api/client.ts'
import { Button } from '../../ui/Button.tsx'
import { Sheet } from '../../ui/Sheet.tsx'

/** All that is stored about the account, as a file. */
export function ExportSection() {
  return (
    <Sheet aria-label="Your data" title="Your data">
      <div className="grid gap-3 px-4 py-4">
        <p className="max-w-prose text-ink-2">
          One JSON file with your profile, sessions, SSH keys, API tokens, projects and activity. Secrets are
          not in it, and neither is what is on your disks.
        </p>
        <div>
          {/* A download of the browser's own: it may be long. */}
          <Button render={<a href={apiBase + routeOf('accountExport.get').path} download />}>
            Download Your Data
          </Button>
        </div>
      </div>
    </Sheet>
  )
}
