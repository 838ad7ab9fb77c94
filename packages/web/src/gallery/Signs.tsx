import { useState } from 'react'
import { Status } from '../ui/Status.tsx'
import { StepList } from '../ui/StepList.tsx'
import { Part } from './Part.tsx'

const words =
  'running active attached available ready pending creating provisioning starting suspending stopping scaling deleting suspended stopped failed error migrating'

export function Statuses() {
  const [since] = useState(() => new Date(Date.now() - 6_000).toISOString())
  return (
    <Part title="Status">
      <div className="sheet grid grid-cols-2 gap-x-3 gap-y-2 px-4 py-3.5 sm:grid-cols-4">
        {words.split(' ').map((word) => (
          <span key={word}>
            <Status word={word} since={word === 'provisioning' ? since : undefined} />
          </span>
        ))}
      </div>
    </Part>
  )
}

export function Steps() {
  const [now] = useState(() => Date.now())
  const at = (secondsAgo: number) => new Date(now - secondsAgo * 1000).toISOString()
  return (
    <Part title="Steps">
      <div className="sheet grid gap-x-8 p-4 sm:grid-cols-2">
        <StepList
          steps={[
            { label: 'Image found', state: 'done', startedAt: at(12), endedAt: at(11.6) },
            { label: 'Root disk cloned', state: 'done', startedAt: at(11.6), endedAt: at(9.8) },
            { label: 'Waiting for SSH', state: 'now', startedAt: at(4) },
            { label: 'Ready', state: 'todo' },
          ]}
        />
        <StepList
          steps={[
            { label: 'Image found', state: 'done', startedAt: at(300), endedAt: at(165) },
            { label: 'Root disk cloned', state: 'failed', startedAt: at(165), endedAt: at(160) },
            { label: 'Ready', state: 'todo' },
          ]}
        />
      </div>
    </Part>
  )
}
