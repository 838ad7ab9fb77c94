import { GuardedDialog } from '../../shell/GuardedDialog.tsx'
import { ProjectForm } from './ProjectForm.tsx'

interface ProjectDialogProps {
  open: boolean
  onOpenChange: (open: boolean) => void
  /** The project was created: the dialog closes and leads home. */
  onCreated: () => void
}

export function NewProjectDialog({ open, onOpenChange, onCreated }: ProjectDialogProps) {
  return (
    <GuardedDialog
      open={open}
      onOpenChange={onOpenChange}
      title="New Project"
      description="A project groups virtual machines and what belongs to them."
    >
      <ProjectForm autoFocus onCreated={onCreated} />
    </GuardedDialog>
  )
}
