import { type AdminMail, type AdminMailState, adminMailStates, adminMailTexts } from '@slipway/contract'
import { useState } from 'react'
import { errorText } from '../../api/errors.ts'
import { useMails, useSendMailAgain } from '../../api/mails.ts'
import { formatDateTime } from '../../time.ts'
import { Button } from '../../ui/Button.tsx'
import { ErrorState } from '../../ui/ErrorState.tsx'
import { LoadingState } from '../../ui/LoadingState.tsx'
import { Select } from '../../ui/Select.tsx'
import { Sheet } from '../../ui/Sheet.tsx'
import { StatusGlyph } from '../../ui/Status.tsx'
import { toast } from '../../ui/toast.tsx'
import { mailStateText, purposeText } from './mail-words.ts'

const labels: Readonly<Record<AdminMailState, string>> = {
  waiting: 'Waiting',
  failed: 'Not sent',
  sent: 'Sent',
}
const glyphs: Readonly<Record<AdminMailState, 'creating' | 'error' | 'ready'>> = {
  waiting: 'creating',
  failed: 'error',
  sent: 'ready',
}
const options = [
  { value: 'all', label: 'All mails' },
  ...adminMailStates.map((value) => ({ value, label: labels[value] })),
]

/** The mails of the server, on the page of its health: what waits, what failed and what was sent. */
export function MailSheet() {
  const [chosen, setChosen] = useState('all')
  const state = adminMailStates.find((one) => one === chosen) ?? null
  const { mails, loading, error, retry, more, loadingMore } = useMails(state)
  const again = useSendMailAgain()

  function send({ id, recipient }: AdminMail): void {
    again.mutate(id, {
      onSuccess: () => toast.success(`The mail to ${recipient} is tried now`),
      onError: (failure) => toast.error(errorText(failure, 'Failed to send the mail. Please try again.')),
    })
  }

  return (
    <Sheet title="Mails">
      <div className="max-w-64 px-4 pt-3">
        <Select label="Which mails" value={chosen} onValueChange={setChosen} options={options} />
      </div>
      {loading && <LoadingState text="Loading mails..." outline="rows" />}
      {error && (
        <ErrorState
          title="Error Loading Mails"
          message={errorText(error, 'Failed to load the mails. Please try again.')}
          onRetry={retry}
        />
      )}
      {!loading && !error && mails.length === 0 && (
        <p className="px-4 py-3 text-ink-2">
          {state === null
            ? 'No mail was sent in the last days.'
            : `No mail is in the state “${labels[state]}”.`}
        </p>
      )}
      {mails.length > 0 && !error && (
        <ul className="divide-y divide-line">
          {mails.map((mail) => (
            <MailRow
              key={mail.id}
              mail={mail}
              asking={again.isPending && again.variables === mail.id}
              onSend={() => send(mail)}
            />
          ))}
        </ul>
      )}
      {more && !error && (
        <div className="px-4 pb-3">
          <Button busy={loadingMore} busyText="Loading..." onClick={more}>
            Show more
          </Button>
        </div>
      )}
    </Sheet>
  )
}

interface MailRowProps {
  mail: AdminMail
  /** Whether the server is asked to send it. */
  asking: boolean
  onSend: () => void
}

function MailRow({ mail, asking, onSend }: MailRowProps) {
  const { recipient, state, created_at, failure, is_being_sent, can_be_sent } = mail
  const obstacle = is_being_sent ? adminMailTexts.beingSent : adminMailTexts.over
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-3">
      <div className="min-w-0 flex-[1_1_16rem]">
        <h3 className="flex items-center gap-2 text-body font-[550] wrap-anywhere">
          <StatusGlyph word={glyphs[state]} />
          <span>
            {purposeText(mail)} to <bdi>{recipient}</bdi>
          </span>
        </h3>
        <p className="mt-0.5 text-hint text-ink-2">
          {mailStateText(mail)}. Queued {formatDateTime(created_at)}.
        </p>
        {failure !== null && <p className="mt-0.5 text-dense text-bad wrap-anywhere">{failure}</p>}
      </div>
      {state !== 'sent' && (
        <Button
          size="sm"
          className="phone:h-10"
          aria-label={`Send now: ${purposeText(mail)} to ${recipient}`}
          busy={asking}
          busyText="Sending..."
          disabledReason={can_be_sent ? undefined : obstacle}
          onClick={onSend}
        >
          Send Now
        </Button>
      )}
    </li>
  )
}
