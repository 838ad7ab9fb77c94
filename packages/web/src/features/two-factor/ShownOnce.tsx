import { Banner } from '../../ui/Banner.tsx'
import { Button } from '../../ui/Button.tsx'
import { CopyButton } from '../../ui/CopyButton.tsx'
import { Dialog } from '../../ui/Dialog.tsx'

/** Recovery codes, the only time that they are shown. */
export function ShownOnce({ codes, onClose }: { codes: readonly string[]; onClose: () => void }) {
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title="Recovery Codes"
      footer={
        <Button variant="primary" onClick={onClose}>
          I Have Saved Them
        </Button>
      }
    >
      <div className="grid gap-4">
        <Banner tone="warn">
          Save these codes now, away from your phone. Each signs you in once without the app. They are not
          shown again.
        </Banner>
        <div className="flex items-start gap-2 rounded-control border border-line bg-sunken p-3">
          <ul aria-label="Recovery codes" className="grid min-w-0 flex-1 gap-x-6 gap-y-1 sm:grid-cols-2">
            {codes.map((code) => (
              <li key={code}>
                <code className="text-dense">{code}</code>
              </li>
            ))}
          </ul>
          <CopyButton
            text={codes.join('\n')}
            label="Copy recovery codes"
            success="Recovery codes copied to clipboard!"
            failure="Failed to copy to clipboard."
          />
        </div>
      </div>
    </Dialog>
  )
}
