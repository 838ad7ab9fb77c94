import { type Disk, isSameFile, type Upload } from '@slipway/contract'
import { useId, useRef, useState } from 'react'
import { useNavigate } from 'react-router'
import { useMay } from '../../api/access.ts'
import { errorText } from '../../api/errors.ts'
import { pauseUpload, resumeUpload, startUpload } from '../../api/upload-run.ts'
import { markOf, useCancelUpload, useUpload, useUploadRun } from '../../api/uploads.ts'
import { paths } from '../../paths.ts'
import { formatDateTime } from '../../time.ts'
import { Button } from '../../ui/Button.tsx'
import { WorkTrack } from '../../ui/Progress.tsx'
import { reasonOf } from '../../ui/reason.ts'
import { Sheet } from '../../ui/Sheet.tsx'
import { toast } from '../../ui/toast.tsx'
import { progressText, stateText } from './upload-words.ts'

/** The file that a disk waits for: how far it is, and what can be done about it. */
export function UploadPanel({ disk }: { disk: Disk }) {
  const { data: upload, error, refetch } = useUpload(disk)
  const run = useUploadRun(disk.id)
  const may = useMay(disk.project_id)
  const cancel = useCancelUpload()
  const navigate = useNavigate()
  const [wrong, setWrong] = useState<string | null>(null)
  const bytes = run?.bytes ?? upload?.file_bytes ?? 0
  const sent = Math.max(run?.sent ?? 0, upload?.received_bytes ?? 0)
  const refusal = reasonOf(may('upload.send'))
  const isBusy = run?.state === 'sending' || run?.state === 'waiting'
  // A run that failed to read its file goes on once the file is chosen again.
  const asksForFile = upload !== undefined && (run === null || run.state === 'failed')

  async function choose(file: File) {
    // What is known may be old: another window may have gone on meanwhile.
    const { data } = await refetch()
    if (!data) return
    const chosen = {
      file_name: file.name,
      file_bytes: file.size,
      file_mark: await markOf(file),
      file_modified_at: new Date(file.lastModified).toISOString(),
    }
    const verdict = isSameFile(data, chosen)
    setWrong(verdict === true ? null : verdict)
    if (verdict === true) startUpload(data, file)
  }

  async function cancelUpload() {
    try {
      await cancel.mutateAsync(disk)
    } catch (error) {
      toast.error(errorText(error, 'The upload could not be canceled.'))
      return
    }
    // By now this may be gone with its disk.
    toast.success(`Upload for disk "${disk.name}" canceled`)
    if (window.location.pathname === paths.disk(disk.project_id, disk.id))
      void navigate(paths.disks(disk.project_id))
  }

  return (
    <Sheet title="Upload" aria-label="Upload" className="mb-6">
      <div className="grid gap-3 px-4 py-3 text-dense">
        <p className="font-[550] wrap-anywhere">
          <bdi>{run?.fileName ?? upload?.file_name ?? ''}</bdi>
        </p>
        {bytes > 0 && (
          <div className="border-t border-line">
            <WorkTrack label={`Upload of ${disk.name}`} value={sent / bytes} />
            <p className="mt-2 text-hint text-ink-2">
              {progressText({ sent, bytes, speed: run?.speed ?? null, state: run?.state ?? 'paused' })}
            </p>
          </div>
        )}
        <p role="status" className="text-hint wrap-anywhere text-ink-2">
          {stateText(run, upload, error && errorText(error, 'The upload could not be loaded.'))}
        </p>
        {wrong && (
          <p role="alert" className="text-hint wrap-anywhere text-bad">
            {wrong}
          </p>
        )}
        {upload && !isBusy && <ExpiryNote upload={upload} />}
        <div className="flex flex-wrap gap-2">
          {asksForFile && (
            <FileButton refusal={refusal} isFresh={sent === 0} onChoose={(file) => void choose(file)} />
          )}
          {isBusy && <Button onClick={() => pauseUpload(disk.id)}>Pause</Button>}
          {run?.state === 'paused' && (
            <Button variant="primary" disabledReason={refusal} onClick={() => resumeUpload(disk.id)}>
              Resume
            </Button>
          )}
          {run?.state === 'waiting' && <Button onClick={() => resumeUpload(disk.id)}>Try Again Now</Button>}
          <Button
            busy={cancel.isPending}
            busyText="Canceling..."
            disabledReason={reasonOf(may('upload.cancel'))}
            onClick={() => void cancelUpload()}
          >
            Cancel Upload
          </Button>
        </div>
      </div>
    </Sheet>
  )
}

const ExpiryNote = ({ upload }: { upload: Upload }) => (
  <p className="text-hint text-ink-3">
    {`What has arrived is kept until ${formatDateTime(upload.expires_at)}.`}
  </p>
)

interface FileButtonProps {
  refusal: string | undefined
  isFresh: boolean
  onChoose: (file: File) => void
}

/** A button that asks for a file; the input itself shows a text of the browser that says nothing here. */
function FileButton({ refusal, isFresh, onChoose }: FileButtonProps) {
  const input = useRef<HTMLInputElement>(null)
  const id = useId()
  return (
    <>
      <input
        ref={input}
        id={id}
        type="file"
        aria-label="File to upload"
        tabIndex={-1}
        className="sr-only"
        onChange={({ target }) => {
          const file = target.files?.[0]
          // The same file may be chosen again after a refusal.
          target.value = ''
          if (file) onChoose(file)
        }}
      />
      <Button variant="primary" disabledReason={refusal} onClick={() => input.current?.click()}>
        {isFresh ? 'Choose File to Start' : 'Choose File to Continue'}
      </Button>
    </>
  )
}
