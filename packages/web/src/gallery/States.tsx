import { Button } from '../ui/Button.tsx'
import { EmptyState } from '../ui/EmptyState.tsx'
import { ErrorState } from '../ui/ErrorState.tsx'
import { LoadingState } from '../ui/LoadingState.tsx'
import { Part } from './Part.tsx'

export function States() {
  return (
    <>
      <Part title="Empty">
        <EmptyState title="No VMs Yet" action={<Button variant="primary">Create VM</Button>}>
          A VM is a machine of your own: pick a template, add your SSH key, and it answers in seconds.
        </EmptyState>
      </Part>
      <Part title="Page error">
        <ErrorState
          title="Error Loading Templates"
          message="Failed to load templates. Please try again."
          onRetry={() => {}}
        />
      </Part>
      <Part title="Loading">
        <LoadingState text="Loading VMs..." outline="cards" />
      </Part>
      <Part title="Loading rows and forms">
        <LoadingState text="Loading SSH keys..." outline="rows" />
        <LoadingState text="Loading templates..." outline="form" />
      </Part>
    </>
  )
}
